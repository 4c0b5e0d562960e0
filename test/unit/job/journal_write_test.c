/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The journal as the plugin writes it, read again.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "spank/journal.h"
#include "spank/journal_line.h"
#include "submit/job/journal_read.h"
#include "test/unit/fixture/cases.h"

#define WHO "step time=1.000000000 job=7 restart=0 step=0 uid=1000 gid=100\n"

static struct journal parsed_bytes(const char *text, size_t size)
{
    struct journal journal;
    assert_int_equal(journal_parse(text, size, &journal), 0);
    return journal;
}

/* What is in the journal after these lines were appended to it. */
static struct journal written(struct journal_line *lines, size_t count)
{
    char directory[] = "/tmp/journal_write_test.XXXXXX";
    static char text[32 * JOURNAL_LINE_MAX];
    assert_non_null(mkdtemp(directory));
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(journal_append(&lines[i], fd), 0);
    int file = openat(fd, JOURNAL_NAME, O_RDONLY | O_CLOEXEC);
    struct stat status;
    assert_int_equal(fstat(file, &status), 0);
    assert_int_equal(status.st_mode, S_IFREG | 0600);
    ssize_t size = read(file, text, sizeof text);
    assert_true(size > 0 && text[size - 1] == '\n');
    close(file);
    unlinkat(fd, JOURNAL_NAME, 0);
    close(fd);
    rmdir(directory);
    return parsed_bytes(text, (size_t)size);
}

static struct journal_line step_line(void)
{
    struct journal_line line;
    journal_start(&line, "step");
    journal_number(&line, "job", 4294967295u);
    journal_number(&line, "uid", 1000);
    journal_number(&line, "gid", 100);
    return line;
}

TEST(a_value_of_any_bytes_comes_back_as_it_was)
{
    char all[256];
    static const char *const values[] = {
        "plain",          "",         "with blank",  "two\nlines", "a=b",          "100%", "%41",
        "\n\nstep uid=0", "\xff\x80", "caf\xc3\xa9", "\x01\x7f",   "_./:,@+()[]-", " ",
    };
    for (int i = 0; i < 255; i++)
        all[i] = (char)(i + 1);
    all[255] = '\0';
    for (size_t i = 0; i <= sizeof values / sizeof values[0]; i++) {
        const char *value = i < sizeof values / sizeof values[0] ? values[i] : all;
        struct journal_line line = step_line();
        journal_text(&line, "submit_host", value);
        journal_text(&line, "node", "after");
        struct journal journal = written(&line, 1);
        assert_int_equal(journal.bad_lines, 0);
        assert_int_equal(journal.step_count, 1);
        assert_string_equal(journal.submit_host, value);
        assert_string_equal(journal.identity.node, "after");
        assert_int_equal(journal.identity.uid, 1000);
        assert_int_equal(journal.identity.job, 4294967295u);
        journal_free(&journal);
    }
}

TEST(a_value_that_does_not_fit_is_left_out_whole)
{
    char value[JOURNAL_LINE_MAX + 1];
    for (size_t length = JOURNAL_LINE_MAX - 120; length <= JOURNAL_LINE_MAX; length++) {
        struct journal_line line = step_line();
        memset(value, 'x', length);
        value[length] = '\0';
        journal_text(&line, "submit_host", value);
        journal_text(&line, "node", "n1");
        assert_true(line.length < JOURNAL_LINE_MAX);
        struct journal journal = written(&line, 1);
        assert_int_equal(journal.bad_lines, 0);
        if (journal.submit_host[0] != '\0')
            assert_string_equal(journal.submit_host, value);
        assert_true(journal.identity.node[0] == '\0' || strcmp(journal.identity.node, "n1") == 0);
        if (length == JOURNAL_LINE_MAX)
            assert_string_equal(journal.submit_host, "");
        if (length == JOURNAL_LINE_MAX - 120)
            assert_string_equal(journal.submit_host, value);
        journal_free(&journal);
    }
}

/* A long variable as the plugin writes it, in pieces, of which number `lost` is missing. */
static struct journal journal_with_variable(const char *value, size_t lost)
{
    static struct journal_line lines[32];
    size_t count = 1, at = 0;
    lines[0] = step_line();
    journal_number(&lines[0], "step", 0);
    for (size_t piece = 0; value[at] != '\0'; piece++) {
        struct journal_line *line = &lines[count];
        journal_start(line, "variable");
        journal_number(line, "step", 0);
        journal_text(line, "name", "library_path");
        journal_number(line, "size", strlen(value));
        journal_number(line, "at", at);
        at += journal_piece(line, "text", value + at);
        count += piece != lost;
    }
    static const char *const verbs[] = {"task", "exit", "loader"};
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        journal_start(&lines[count], verbs[i]);
        journal_number(&lines[count], "step", 0);
        journal_number(&lines[count], "task", 0);
        journal_number(&lines[count], "pid", 9);
        journal_number(&lines[count], "status", 127 << 8);
        journal_text(&lines[count++], "preload", "");
    }
    return written(lines, count);
}

TEST(a_long_variable_in_pieces_is_put_together)
{
    static char value[20000];
    for (size_t i = 0; i < sizeof value - 1; i++)
        value[i] = (char)(i % 3 == 0 ? ' ' + i % 90 : 0x80 + i % 100);
    for (size_t lost = 0; lost <= 10; lost++) {
        bool is_lost = lost < 10; /* there are more */
        struct journal journal = journal_with_variable(value, is_lost ? lost : SIZE_MAX);
        assert_int_equal(journal.task_count, 1);
        if (is_lost)
            assert_null(journal.tasks[0].library_path);
        else
            assert_string_equal(journal.tasks[0].library_path, value);
        assert_int_equal(journal.bad_lines > 0, is_lost);
        assert_string_equal(journal.tasks[0].preload, "");
        journal_free(&journal);
    }
}

TEST(a_value_whose_escapes_do_not_fit_is_left_out_whole)
{
    char value[JOURNAL_LINE_MAX];
    for (size_t length = 1300; length < 1370; length++) {
        struct journal_line line = step_line();
        memset(value, ' ', length);
        value[length] = '\0';
        journal_text(&line, "submit_host", value);
        struct journal journal = written(&line, 1);
        assert_int_equal(journal.bad_lines, 0);
        if (journal.submit_host[0] != '\0')
            assert_string_equal(journal.submit_host, value);
        if (length == 1369)
            assert_string_equal(journal.submit_host, "");
        if (length == 1300)
            assert_string_equal(journal.submit_host, value);
        journal_free(&journal);
    }
}

TEST(lines_are_appended_and_a_missing_value_adds_nothing)
{
    struct journal_line lines[3] = {step_line()};
    journal_start(&lines[1], "task");
    journal_number(&lines[1], "step", 0);
    journal_number(&lines[1], "task", 0);
    journal_number(&lines[1], "pid", 77);
    journal_number(&lines[1], "ticks", UINT64_MAX);
    journal_start(&lines[2], "epilog");
    journal_text(&lines[2], "user", NULL);
    journal_text(&lines[2], "account", "a");
    struct journal journal = written(lines, 3);
    assert_int_equal(journal.bad_lines, 0);
    assert_non_null(journal_find_task(&journal, 77, UINT64_MAX));
    assert_string_equal(journal.identity.user, "");
    assert_string_equal(journal.identity.account, "a");
    assert_true(journal.epilog_ns >= journal.tasks[0].start_ns);
    journal_free(&journal);
}

TEST(a_line_after_a_cut_one_is_whole_and_the_cut_one_is_not_believed)
{
    static const char *const cuts[] = {"exit time=3.000000000 step=0 task=0 pid=5 status=25",
                                       "exit time=3.000000000 step=0 task=0 pid=5 status=2%",
                                       "exit time=3.000000000 step=0 task=0 pid=5 ", "ex"};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        char directory[] = "/tmp/journal_write_test.XXXXXX", text[2048];
        struct journal_line line;
        assert_non_null(mkdtemp(directory));
        int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        int file = openat(fd, JOURNAL_NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        assert_true(dprintf(file, WHO "task time=2.000000000 step=0 task=0 pid=5 ticks=6\n%s",
                            cuts[i]) > 0);
        journal_start(&line, "end");
        journal_number(&line, "step", 0);
        assert_int_equal(journal_append(&line, fd), 0);
        ssize_t size = pread(file, text, sizeof text, 0);
        struct journal journal = parsed_bytes(text, (size_t)size);
        assert_int_equal(journal.bad_lines, 1);
        assert_int_equal(journal.tasks[0].end_ns, 0);
        assert_true(journal.steps[0].end_ns > 0);
        journal_free(&journal);
        close(file);
        unlinkat(fd, JOURNAL_NAME, 0);
        close(fd);
        rmdir(directory);
    }
}

TEST(a_journal_that_is_a_symbolic_link_is_not_followed)
{
    char directory[] = "/tmp/journal_write_test.XXXXXX";
    struct journal_line line = step_line();
    assert_non_null(mkdtemp(directory));
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(symlinkat("elsewhere", fd, JOURNAL_NAME), 0);
    assert_int_equal(journal_append(&line, fd), -ELOOP);
    assert_int_equal(faccessat(fd, "elsewhere", F_OK, 0), -1);
    unlinkat(fd, JOURNAL_NAME, 0);
    close(fd);
    rmdir(directory);
}

/* ---- how large a journal becomes ---- */

static char grown[64];

static int open_grown(off_t size)
{
    snprintf(grown, sizeof grown, "/tmp/journal_write_test.XXXXXX");
    assert_non_null(mkdtemp(grown));
    int fd = open(grown, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = openat(fd, JOURNAL_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(ftruncate(file, size - 1), 0);
    assert_int_equal(pwrite(file, "\n", 1, size - 1), 1);
    close(file);
    return fd;
}

static void close_grown(int fd)
{
    unlinkat(fd, JOURNAL_NAME, 0);
    unlinkat(fd, JOURNAL_LEFT_OUT, 0);
    close(fd);
    rmdir(grown);
}

static off_t size_of(int fd, const char *name)
{
    struct stat status;
    return fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_size : -1;
}

static int append_verb(int fd, const char *verb)
{
    struct journal_line line;
    journal_start(&line, verb);
    return journal_append(&line, fd);
}

TEST(a_line_that_others_need_the_room_of_is_counted_instead)
{
    static const struct {
        const char *verb;
        unsigned quarters; /* of the journal that its lines may fill; 5: more than there are */
    } kinds[] = {{"program", 2}, {"step", 3}, {"noledger", 3}, {"task", 3},
                 {"exit", 4},    {"end", 4},  {"prolog", 5},   {"epilog", 5}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (unsigned quarters = 1; quarters <= 4; quarters++) {
            off_t size = (off_t)(JOURNAL_BYTES / 4 * quarters);
            int fd = open_grown(size), full = quarters >= kinds[i].quarters;
            assert_int_equal(append_verb(fd, kinds[i].verb), full);
            assert_int_equal(size_of(fd, JOURNAL_NAME) > size, !full);
            assert_int_equal(size_of(fd, JOURNAL_LEFT_OUT), full ? 1 : -1);
            close_grown(fd);
        }
}

TEST(what_is_left_out_is_counted_up_to_a_bound)
{
    int fd = open_grown((off_t)JOURNAL_BYTES);
    for (int i = 1; i <= 10; i++) {
        assert_int_equal(append_verb(fd, "task"), 1);
        assert_int_equal(size_of(fd, JOURNAL_LEFT_OUT), i);
    }
    int file = openat(fd, JOURNAL_LEFT_OUT, O_WRONLY | O_CLOEXEC);
    assert_int_equal(ftruncate(file, JOURNAL_LEFT_OUT_MAX - 1), 0);
    close(file);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(append_verb(fd, "task"), 1);
        assert_int_equal(size_of(fd, JOURNAL_LEFT_OUT), JOURNAL_LEFT_OUT_MAX);
    }
    assert_int_equal(size_of(fd, JOURNAL_NAME), (off_t)JOURNAL_BYTES);
    close_grown(fd);
}
