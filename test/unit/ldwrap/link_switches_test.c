/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * XALT's variables for links.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "ldwrap/link_switches.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static char path[64];

static int set_up(void **state)
{
    if (made_tree_set_up(state) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/trace", made_tree);
    return 0;
}

static int tear_down(void **state)
{
    return unsetenv("XALT_TRACING") + made_tree_tear_down(state);
}

TEST(only_yes_asks_for_tracking)
{
    static const char *const values[] = {"no", "", "YES", "yes ", "1"};
    unsetenv("XALT_EXECUTABLE_TRACKING");
    assert_false(switch_tracking());
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        setenv("XALT_EXECUTABLE_TRACKING", values[i], 1);
        assert_false(switch_tracking());
    }
    setenv("XALT_EXECUTABLE_TRACKING", "yes", 1);
    assert_true(switch_tracking());
}

TEST(functions_are_looked_for_unless_the_user_says_no)
{
    unsetenv("XALT_FUNCTION_TRACKING");
    assert_true(switch_functions());
    setenv("XALT_FUNCTION_TRACKING", "yes", 1);
    assert_true(switch_functions());
    setenv("XALT_FUNCTION_TRACKING", "no", 1);
    assert_false(switch_functions());
}

/* What a user says about the command line is not to be misread as a yes. */
TEST(a_command_line_is_kept_where_nothing_or_yes_is_said)
{
    static const char *const values[] = {"no", "", "No", "off"};
    unsetenv("XALT_CMDLINE_RECORD");
    assert_true(switch_command_line());
    setenv("XALT_CMDLINE_RECORD", "yes", 1);
    assert_true(switch_command_line());
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        setenv("XALT_CMDLINE_RECORD", values[i], 1);
        assert_false(switch_command_line());
    }
}

/* Makes XALT_TRACING "link:" and our file; says a line; returns what the file has then. */
static const char *traced(const char *text)
{
    static char found[8192];
    char value[80];
    snprintf(value, sizeof value, "link:%s", path);
    setenv("XALT_TRACING", value, 1);
    switch_trace("%s", text);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, found, sizeof found - 1);
    assert_true(size >= 0);
    found[size] = '\0';
    if (fd >= 0)
        close(fd);
    return found;
}

TEST_IN(a_line_goes_to_the_end_of_the_file, set_up, tear_down)
{
    assert_string_equal(traced("one"), "jobtrail-ld: one\n");
    assert_string_equal(traced("two"), "jobtrail-ld: one\njobtrail-ld: two\n");
}

TEST_IN(a_long_line_is_cut_and_ends, set_up, tear_down)
{
    static char text[6000];
    memset(text, 'x', sizeof text - 1);
    const char *found = traced(text);
    assert_int_equal(strlen(found), 4095);
    assert_int_equal(found[4094], '\n');
    assert_int_equal(found[4093], 'x');
}

/* Root builds in users' directories, who may have put a link there. */
TEST_IN(root_follows_no_link, set_up, tear_down)
{
    char to[80];
    struct stat status;
    snprintf(to, sizeof to, "%s/elsewhere", made_tree);
    assert_int_equal(symlink(to, path), 0);
    traced("one");
    assert_int_equal(stat(to, &status) == 0, geteuid() != 0);
    unlink(to);
}

/* A pipe that nobody reads from must not hold the link up. */
TEST_IN(a_pipe_without_a_reader_is_passed_over, set_up, tear_down)
{
    char value[80];
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(value, sizeof value, "link:%s", path);
    setenv("XALT_TRACING", value, 1);
    switch_trace("one");
}

/* What is said on stderr with this value of XALT_TRACING; NULL: unset. */
static void expect_on_stderr(const char *tracing, const char *expected)
{
    char found[64];
    int saved = dup(STDERR_FILENO), ends[2];
    if (tracing == NULL)
        unsetenv("XALT_TRACING");
    else
        setenv("XALT_TRACING", tracing, 1);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    switch_trace("%d", 7);
    int is_open = fcntl(STDERR_FILENO, F_GETFD) >= 0;
    dup2(saved, STDERR_FILENO);
    close(saved);
    ssize_t size = read(ends[0], found, sizeof found - 1);
    close(ends[0]);
    assert_true(is_open && size >= 0);
    found[size] = '\0';
    assert_string_equal(found, expected);
}

TEST_IN(stderr_is_for_yes_and_link, set_up, tear_down)
{
    expect_on_stderr("yes", "jobtrail-ld: 7\n");
    expect_on_stderr("link", "jobtrail-ld: 7\n");
    expect_on_stderr("run", "");
    expect_on_stderr("yes0", "");
    expect_on_stderr("", "");
    expect_on_stderr(NULL, "");
}
