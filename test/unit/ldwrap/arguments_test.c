/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A linker's command line: response files, and what the options ask for.
 */
#include <sys/inotify.h>
#include <sys/stat.h>

#include "conf/conf.h"
#include "ldwrap/link_line.h"
#include "ldwrap/startup.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

/* The arguments in `text`, with a '|' between. */
static struct strings split(const char *text)
{
    struct strings list = {NULL, 0};
    for (const char *at = text; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        assert_int_equal(strings_add_bytes(&list, at, strcspn(at, "|")), 0);
    }
    return list;
}

static char *join(const struct strings *list)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    for (size_t i = 0; i < list->count; i++)
        fprintf(stream, "%s%s", i == 0 ? "" : "|", list->item[i]);
    fclose(stream);
    return text;
}

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static int in_new_directory(void **state)
{
    return made_tree_set_up(state) != 0 || chdir(made_tree) != 0;
}

TEST(a_response_file_is_read_as_libiberty_does)
{
    static const struct {
        const char *file, *arguments;
    } cases[] = {
        {"", "ld"},
        {" \n\t ", "ld"},
        {"a", "ld|a"},
        {"a b\n\n c\t", "ld|a|b|c"},
        {"'a b' \"c d\"", "ld|a b|c d"},
        {"a'b c'd", "ld|ab cd"},
        {"a\\ b", "ld|a b"},
        {"'a\\b'", "ld|ab"}, /* which is no shell's */
        {"\"a\\\"b\"", "ld|a\"b"},
        {"\"it's\"", "ld|it's"},
        {"'' b", "ld||b"},
        {"'open", "ld|open"},
        {"a\\", "ld|a"},
        {"@nowhere", "ld|@nowhere"},
        {"@nested z", "ld|x|y|z"},
    };
    write_text("nested", "x\ny\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *argv[] = {"ld", "@f", NULL};
        struct strings list;
        write_text("f", cases[i].file);
        assert_int_equal(response_expand(2, argv, &list), 0);
        char *text = join(&list);
        assert_string_equal(text, cases[i].arguments);
        free(text);
        strings_free(&list);
    }
}

TEST(what_is_no_response_file_stays)
{
    char *argv[] = {"@f", "@", "@/", "@/dev/null", "@nowhere", "a@f", NULL};
    struct strings list;
    assert_int_equal(response_expand(6, argv, &list), 0);
    char *text = join(&list);
    assert_string_equal(text, "@f|@|@/|@/dev/null|@nowhere|a@f");
    free(text);
    strings_free(&list);
}

TEST(a_circle_of_response_files_is_refused)
{
    char *argv[] = {"ld", "@circle", NULL};
    struct strings list;
    write_text("circle", "a @circle");
    assert_true(response_expand(2, argv, &list) < 0);
}

/* Each of a row of files may name the next one twice: two to the power of their number. */
TEST(response_files_are_counted)
{
    char *argv[] = {"ld", "@row0", NULL}, name[8], text[32];
    struct strings list;
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "row%d", i);
        snprintf(text, sizeof text, "@row%d @row%d", i + 1, i + 1);
        write_text(name, text);
    }
    assert_int_equal(response_expand(2, argv, &list), -ELOOP);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "row%d", i);
        unlink(name);
    }
}

TEST(a_pipe_is_found_wherever_it_is_named)
{
    static const struct {
        const char *arguments;
        bool has_pipe;
    } cases[] = {
        {"ld|f", true},
        {"ld|a.o|f|-o|x", true},
        {"ld|-T|f", true},
        {"ld|-Tf", true},
        {"ld|-Rf", true},
        {"ld|@f", true},
        {"ld|-Map=f", true},
        {"ld|--dynamic-list=./f", true},
        {"ld|/dev/null", true},
        {"f|a.o", false},
        {"ld|nested|nowhere|-L/|-|--|-o", false},
        {"ld|@nested", false},
        {"ld", false},
        {"ld|-T|/|a=f", false},
    };
    write_text("nested", "a");
    unlink("f");
    assert_int_equal(mkfifo("f", 0600), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strings list = split(cases[i].arguments);
        if (link_line_has_pipe(&list, true) != cases[i].has_pipe ||
            link_line_has_pipe(&list, false) != cases[i].has_pipe)
            fail_msg("%s", cases[i].arguments);
        strings_free(&list);
    }
    assert_int_equal(rename("f", "f.o"), 0);
    struct strings list = split("ld|f.o");
    assert_true(link_line_has_pipe(&list, true));
    assert_false(link_line_has_pipe(&list, false));
    strings_free(&list);
    unlink("f.o");
}

/* A writer that waits for a reader would write to nobody. */
TEST(a_response_file_that_is_a_pipe_is_not_opened)
{
    char *argv[] = {"ld", "@f", NULL}, event[512];
    struct strings list;
    unlink("f");
    assert_int_equal(mkfifo("f", 0600), 0);
    int watch = inotify_init1(IN_NONBLOCK);
    assert_true(inotify_add_watch(watch, "f", IN_OPEN) >= 0);
    assert_int_equal(response_expand(2, argv, &list), 0);
    assert_true(read(watch, event, sizeof event) < 0 && errno == EAGAIN);
    assert_string_equal(list.item[1], "@f");
    assert_int_equal(close(watch), 0);
    strings_free(&list);
    unlink("f");
}

TEST(each_command_line_is_judged)
{
    enum { MARK, UNMARKED, PASS };
    static const struct {
        const char *arguments, *output;
        int what;
    } cases[] = {
        {"ld|crt1.o", "a.out", MARK},
        {"ld|a.o|-dynamic-linker|/lib/ld.so", "a.out", MARK},
        {"ld|a.o|-shared", "a.out", MARK},
        {"ld|crt1.o|group|libc.so|libc.a", "a.out", MARK},
        {"ld|crt1.o|inserts", "a.out", MARK},
        {"ld|crt1.o|layout", "a.out", UNMARKED},
        {"ld|a.o|-shared|layout", "a.out", UNMARKED},
        {"ld|a.o", "a.out", UNMARKED}, /* nobody starts it but a boot loader */
        {"ld|crt1.o|-o|x", "x", MARK},
        {"ld|crt1.o|-ox", "x", MARK},
        {"ld|crt1.o|-omagic", "magic", MARK}, /* GNU ld: long options with an 'o' need two dashes */
        {"ld|crt1.o|--output=x", "x", MARK},
        {"ld|crt1.o|--output|x", "x", MARK},
        {"ld|crt1.o|-output|x", "utput", MARK},
        {"ld|crt1.o|-rpath|-r", "a.out", MARK},
        {"ld|crt1.o|-soname|-Map=f", "a.out", MARK},
        {"ld|crt1.o|-z|muldefs|-e|v|-u|r", "a.out", MARK},
        {"ld|crt1.o|-melf_x86_64|--build-id|-build-id=sha1", "a.out", MARK},
        {"ld|crt1.o|-Bstatic|-Ttext-segment=0x1000000", "a.out", MARK},
        {"ld|crt1.o|--oformat=elf64-x86-64", "a.out", MARK},
        {"ld|-flavor|gnu|crt1.o", "a.out", MARK},
        {"ld", NULL, PASS},
        {"ld|-lc", NULL, PASS},
        {"ld|-r|crt1.o", NULL, PASS},
        {"ld|crt1.o|--relocatable", NULL, PASS},
        {"ld|crt1.o|-v", NULL, PASS},
        {"ld|crt1.o|-version", NULL, PASS},
        {"ld|crt1.o|--help", NULL, PASS},
        {"ld|crt1.o|--oformat|binary", NULL, PASS},
        {"ld|crt1.o|--oformat=binary", NULL, PASS},
        {"ld|crt1.o|-m|i386pep", NULL, PASS},
        {"ld|-flavor|wasm|crt1.o", NULL, PASS},
        {"mold|-run|make|all", NULL, PASS},
        {"ld|crt1.o|-o|conftest", NULL, PASS},
        {"ld|crt1.o|-o|dir/conftest.exe", NULL, PASS},
        {"ld|crt1.o|-o|conftests", "conftests", MARK},
        {"ld|crt1.o|-o|CMakeFiles/cmTC_12ab3", NULL, PASS},
        {"ld|crt1.o|-o|libcmTC_12ab3.so", NULL, PASS},
        {"ld|crt1.o|-o|/dev/null", NULL, PASS},
        {"ld|crt1.o|-o|/tmp", NULL, PASS},
        {"ld|crt1.o|-M", "a.out", UNMARKED},
        {"ld|crt1.o|-Map|f", "a.out", UNMARKED},
        {"ld|crt1.o|--Map=f", "a.out", UNMARKED},
        {"ld|crt1.o|-t", "a.out", UNMARKED},
        {"ld|crt1.o|--cref", "a.out", UNMARKED},
        {"ld|crt1.o|--print-memory-usage", "a.out", UNMARKED},
        {"ld|crt1.o|-ymain", "a.out", UNMARKED},
        {"ld|crt1.o|--verbose=2", "a.out", UNMARKED},
        {"ld|crt1.o|-T|/nowhere.ld", "a.out", UNMARKED},
        {"ld|crt1.o|-T/nowhere.ld", "a.out", UNMARKED},
        {"ld|crt1.o|-Ttext=0", "a.out", UNMARKED},
        {"ld|crt1.o|-Ttext|0", "a.out", UNMARKED},
        {"ld|crt1.o|-N", "a.out", UNMARKED},
        {"ld|crt1.o|-b|binary|f", "a.out", UNMARKED},
        {"ld|crt1.o|-bbinary|f", "a.out", UNMARKED},
        {"ld|crt1.o|--orphan-handling=warn", "a.out", UNMARKED},
    };
    write_text("group", "GROUP ( libc.so.6 )");
    write_text("inserts", "SECTIONS { .x : { *(.x) } } INSERT AFTER .text;");
    write_text("layout", "ENTRY(start) SECTIONS { .text : { *(.text) } }");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strings arguments = split(cases[i].arguments);
        struct link_line line;
        assert_int_equal(link_line_read(&arguments, &line), 0);
        int what = line.why_plain != NULL ? PASS : line.why_unmarked != NULL ? UNMARKED : MARK;
        if (what != cases[i].what || (what != PASS && strcmp(line.output, cases[i].output) != 0))
            fail_msg("%s: %d, %s", cases[i].arguments, what, line.output);
        link_line_free(&line);
        strings_free(&arguments);
    }
}

TEST(inputs_directories_and_kinds_are_told)
{
    struct strings arguments = split("ld|-static|-I|loader|a.o|-L/x|-L|/y|--library-path=/"
                                     "z|-lm|-l|n|b.a|--dependency-file|d|-Map=m");
    struct link_line line;
    assert_int_equal(link_line_read(&arguments, &line), 0);
    char *inputs = join(&line.inputs), *directories = join(&line.directories);
    char *libraries = join(&line.libraries);
    assert_string_equal(libraries, "m|n");
    free(libraries);
    assert_string_equal(inputs, "a.o|b.a");
    assert_string_equal(directories, "/x|/y|/z");
    assert_string_equal(line.dependency_file, "d");
    assert_string_equal(line.map_file, "m");
    assert_true(line.is_static && !line.is_shared);
    free(inputs);
    free(directories);
    link_line_free(&line);
    strings_free(&arguments);
}

/* Before which argument the archive stands; NULL: it is not added. */
static const char *place_of(const char *text, uint32_t site)
{
    static char found[64];
    struct strings list = split(text);
    struct link_line line;
    assert_int_equal(link_line_read(&list, &line), 0);
    int place = profile_archive_place(&line, site, &list);
    snprintf(found, sizeof found, "%s", place == 0 ? "" : list.item[place]);
    link_line_free(&line);
    strings_free(&list);
    return place == 0 ? NULL : found;
}

TEST(the_archive_for_profiles_stands_before_the_c_library)
{
    static const struct {
        const char *line, *before;
    } cases[] = {
        {"ld|-o|a|/lib/crt1.o|a.o|-lm|-lgcc|--push-state|--as-needed|-lgcc_s|-lc", "-lgcc"},
        {"ld|-static|-o|a|/lib/crt1.o|a.o|--start-group|-lgcc|-lc|--end-group", "--start-group"},
        {"ld|-o|a|/lib/Scrt1.o|a.o|--as-needed|-lgcc_s|-lc", "--as-needed"},
        {"ld|-o|a|/lib/rcrt1.o|a.o|-(|-lc|-)", "-("},
        {"ld|-o|a|/lib/crt1.o|a.o", NULL},                /* no C library */
        {"ld|-o|a|a.o|-lgcc|-lc", NULL},                  /* no start-up code */
        {"ld|-shared|-o|a.so|/lib/crt1.o|a.o|-lc", NULL}, /* not a program */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *place = place_of(cases[i].line, CONF_PROFILE_ASKED);
        assert_int_equal(place == NULL, cases[i].before == NULL);
        if (place != NULL)
            assert_string_equal(place, cases[i].before);
        assert_null(place_of(cases[i].line, CONF_PROFILE_NONE));
    }
}

TEST(static_means_a_whole_program)
{
    static const struct {
        const char *arguments;
        int is_static;
    } cases[] = {{"ld|a.o", 0},
                 {"ld|a.o|-static", 1},
                 {"ld|a.o|-static|-pie|--no-dynamic-linker", 1},
                 {"ld|a.o|-Bstatic|-lx", 0},
                 {"ld|a.o|-static|-lx|-Bdynamic", 0},
                 {"ld|a.o|-static|-shared", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strings arguments = split(cases[i].arguments);
        struct link_line line;
        assert_int_equal(link_line_read(&arguments, &line), 0);
        assert_int_equal(line.is_static, cases[i].is_static);
        link_line_free(&line);
        strings_free(&arguments);
    }
}

ALL(in_new_directory, made_tree_tear_down)
