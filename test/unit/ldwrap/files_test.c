/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What linkers and sites write: dependency files, maps of modules.
 */
#include "conf/library_modules.h"
#include "ldwrap/link_attempt.h"
#include "test/unit/fixture/cases.h"

static const char gnu[] = "out: \\\n  /a.o \\\n  /b c.o \\\n  /proc/self/fd/200 \\\n  /d.a\n\n"
                          "/a.o:\n\n/b c.o:\n\n/proc/self/fd/200:\n\n/d.a:\n";
static const char lld[] = "out: \\\n /a.o \\\n /b\\ c.o \\\n /$$x\\#.o \\\n /proc/self/fd/200\n\n"
                          "/a.o:\n\n/b\\ c.o:\n\n/$$x\\#.o:\n\n/proc/self/fd/200:\n";
static const char mold[] =
    "out: /a.o /b c.o /proc/self/fd/200\n\n/a.o:\n\n/b c.o:\n\n/proc/self/fd/200:\n";

TEST(inputs_are_read_in_each_linkers_form)
{
    static const struct {
        const char *text, *inputs;
    } cases[] = {
        {gnu, "/a.o|/b c.o|/proc/self/fd/200|/d.a|"},
        {lld, "/a.o|/b c.o|/$x#.o|/proc/self/fd/200|"},
        {mold, "/a.o|/b c.o|/proc/self/fd/200|"},
        {"", ""},
        {"out:\n", ""},
        {"out: a.o", ""},
        {"out: a.o\n\n:\n", ""},
        {"out: a.o\n\na.o:", "a.o|"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strings inputs = {NULL, 0};
        char joined[256] = "";
        assert_int_equal(dependency_file_read(cases[i].text, &inputs), 0);
        for (size_t j = 0; j < inputs.count; j++)
            strcat(strcat(joined, inputs.item[j]), "|");
        assert_string_equal(joined, cases[i].inputs);
        strings_free(&inputs);
    }
}

TEST(a_file_is_taken_out_as_if_it_had_not_been_there)
{
    static const struct {
        const char *text, *left;
    } cases[] = {
        {gnu, "out: \\\n  /a.o \\\n  /b c.o \\\n  /d.a\n\n/a.o:\n\n/b c.o:\n\n/d.a:\n"},
        {lld, "out: \\\n /a.o \\\n /b\\ c.o \\\n /$$x\\#.o\n\n/a.o:\n\n/b\\ c.o:\n\n/$$x\\#.o:\n"},
        {mold, "out: /a.o /b c.o\n\n/a.o:\n\n/b c.o:\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = strdup(cases[i].text);
        assert_true(dependency_file_remove(text, "/proc/self/fd/200"));
        assert_string_equal(text, cases[i].left);
        assert_false(dependency_file_remove(text, "/proc/self/fd/200"));
        assert_string_equal(text, cases[i].left);
        free(text);
    }
}

static int load(const char *text, struct module_map *map)
{
    char path[] = "/tmp/jobtrail-unit-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    int result = module_map_load(path, map);
    unlink(path);
    return result;
}

TEST(a_map_of_modules_has_two_forms)
{
    static const char *const texts[] = {
        "/usr base/1\n/usr/lib lib/2\n",
        "# comment\n\n  /usr/lib/\t lib/2 more\r\n/usr base/1\n/nowhere none/1 # gone\n",
        "{\"reverseMapT\": {\"/usr\": {\"pkg\": \"base/1\"}, \"/usr/lib/\": \"lib/2\", "
        "\"/nowhere\": \"n\"}}",
        " {\"timestampFn\": false, \"reverseMapT\": {\"/usr\": \"base/1\", \"/usr/bin\": 3, "
        "\"/usr/lib\": "
        "{\"pkg\": \"lib/2\", \"flavor\": [\"default\"]}, \"/bin\": {}}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct module_map map;
        assert_int_equal(load(texts[i], &map), 0);
        assert_string_equal(module_map_find(&map, "/usr/x.so"), "base/1");
        assert_string_equal(module_map_find(&map, "/usr"), "base/1");
        assert_string_equal(module_map_find(&map, "/usr/lib/x.so"), "lib/2");
        assert_string_equal(module_map_find(&map, "/usr/lib64/x.so"), "base/1");
        assert_null(module_map_find(&map, "/usrlocal/x.so"));
        assert_null(module_map_find(&map, "/nowhere/x.so"));
        module_map_free(&map);
    }
    struct module_map map;
    assert_int_equal(
        load("{\"reverseMapT\": {\"/usr\": {\"pkg\": \"a/1\", \"flavor\": [\"default:x/2\"]}, "
             "\"usr/bin\": \"b\"}}",
             &map),
        0);
    assert_string_equal(module_map_find(&map, "/usr/bin/x"), "a/1(x/2)");
    module_map_free(&map);
}

TEST(what_is_no_map_is_refused)
{
    struct module_map map;
    assert_int_equal(load("{", &map), -EINVAL);
    assert_int_equal(load("{}", &map), -EINVAL);
    assert_int_equal(load("/usr\n", &map), -EINVAL);
    assert_int_equal(load("no path\n", &map), -EINVAL);
    assert_int_equal(load("{\"reverseMapT\": []}", &map), -EINVAL);
    assert_int_equal(module_map_load("/nowhere", &map), -ENOENT);
    assert_int_equal(module_map_load("/dev/null", &map), -EINVAL);
    assert_int_equal(load("", &map), 0);
    assert_int_equal(map.count, 0);
    module_map_free(&map);
}
