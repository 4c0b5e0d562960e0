/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/program_run.h"

#include <sys/wait.h>

#include "test/unit/fixture/cases.h"

enum { PATIENCE_MS = 60000 };

static int run_shell(const char *script, char *const environment[], unsigned timeout_ms,
                     struct program_result *result)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    return program_run(argv, environment, timeout_ms, result);
}

TEST(text_status_and_the_last_complaint_are_told)
{
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    assert_int_equal(run_shell("echo out; echo first >&2; printf 'se\\tcond\\n\\n' >&2; exit 3",
                               NULL, PATIENCE_MS, &result),
                     0);
    assert_string_equal(result.text, "out\n");
    assert_int_equal(result.size, 4);
    assert_string_equal(result.complaint, "se?cond");
    assert_int_equal(WEXITSTATUS(result.status), 3);
}

TEST(a_silent_program_has_an_empty_text)
{
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    assert_int_equal(run_shell("kill -TERM $$", NULL, PATIENCE_MS, &result), 0);
    assert_string_equal(result.text, "");
    assert_string_equal(result.complaint, "");
    assert_int_equal(WTERMSIG(result.status), 15);
}

TEST(stdin_is_empty_and_the_environment_is_the_one_given)
{
    char *environment[] = {(char *)(uintptr_t) "A=b", NULL};
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    assert_int_equal(
        run_shell("read -r x || printf %s \"$A$HOME\"", environment, PATIENCE_MS, &result), 0);
    assert_string_equal(result.text, "b");
}

static int add_bytes(void *context, const char *bytes, size_t size)
{
    size_t *count = context;
    for (size_t i = 0; i < size; i++)
        assert_int_equal(bytes[i], 'x');
    *count += size;
    return *count > 1 << 20 ? -EFBIG : 0;
}

TEST(what_is_printed_can_be_taken_as_it_comes)
{
    static const char *const some[] = {"sh", "-c", "printf xxx; printf xx; exit 4", NULL};
    static const char *const endless[] = {"sh", "-c", "yes xx | tr -d '\\n'", NULL};
    size_t count = 0;
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    assert_int_equal(program_run_taking(some, NULL, PATIENCE_MS, add_bytes, &count, &result), 0);
    assert_int_equal(count, 5);
    assert_int_equal(result.size, 0);
    assert_int_equal(WEXITSTATUS(result.status), 4);
    assert_int_equal(program_run_taking(endless, NULL, PATIENCE_MS, add_bytes, &count, &result),
                     -EFBIG);
}

/* Of /proc/PID/stat the fields are: pid, name, state, parent, group, session, terminal. */
TEST(a_program_has_no_terminal)
{
    const char *const argv[] = {"cat", "/proc/self/stat", NULL};
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    int pid, group, session, terminal;
    assert_int_equal(program_run(argv, NULL, PATIENCE_MS, &result), 0);
    assert_int_equal(
        sscanf(result.text, "%d (cat) %*c %*d %d %d %d", &pid, &group, &session, &terminal), 4);
    assert_int_equal(group, pid);
    assert_int_equal(session, pid);
    assert_int_equal(terminal, 0);
}

TEST(a_text_beyond_the_bound_is_dropped)
{
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    assert_int_equal(run_shell("head -c 17000000 /dev/zero", NULL, PATIENCE_MS, &result), 0);
    assert_int_equal(result.size, PROGRAM_TEXT_MAX);
    assert_int_equal(result.status, 0);
}

TEST(what_takes_too_long_is_killed_with_its_children)
{
    struct program_result result = {.text = NULL};
    assert_int_equal(run_shell("sleep 1000 & sleep 1000", NULL, 100, &result), -ETIMEDOUT);
    assert_int_equal(run_shell("exec >/dev/null 2>&1; sleep 1000", NULL, 100, &result), -ETIMEDOUT);
    assert_null(result.text);
}

TEST(a_program_that_is_not_there_is_told)
{
    const char *const argv[] = {"/nowhere/program", NULL};
    struct program_result result = {.text = NULL};
    assert_int_equal(program_run(argv, NULL, PATIENCE_MS, &result), -ENOENT);
}
