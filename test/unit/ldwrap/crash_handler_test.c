/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Faults of the wrapper's own: the build goes on.
 */
#include <signal.h>
#include <sys/wait.h>

#include "ldwrap/wrap.h"
#include "test/unit/fixture/cases.h"

static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGXFSZ, SIGXCPU};

/* Runs `act` in a child and returns its wait status. */
static int in_child(void (*act)(int), int number)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        act(number);
        raise(number);
        _exit(99);
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    return status;
}

static char *const shell[] = {"sh", "-c", "kill -$0 $$ 2>/dev/null; exit 7", "0", NULL};

static void before_link(int number)
{
    (void)number;
    crash_runs_linker("/bin/sh", shell);
}

static void no_linker(int number)
{
    (void)number;
    crash_runs_linker("/nowhere", shell);
}

static void after_link(int number)
{
    (void)number;
    crash_runs_linker("/bin/sh", shell);
    crash_succeeds();
}

static void off_again(int number)
{
    (void)number;
    crash_runs_linker("/bin/sh", shell);
    crash_default();
}

TEST(a_fault_before_the_link_becomes_the_linker)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        int status = in_child(before_link, faults[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    assert_int_equal(WEXITSTATUS(in_child(no_linker, SIGSEGV)), 127);
}

TEST(the_linker_has_no_signal_blocked)
{
    static char *const segv[] = {"sh", "-c", "kill -SEGV $$; exit 7", NULL};
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        crash_runs_linker("/bin/sh", segv);
        raise(SIGSEGV);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

TEST(a_fault_after_the_link_is_a_success)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        assert_int_equal(in_child(after_link, faults[i]), 0);
    assert_int_equal(in_child(after_link, SIGALRM), 0);
}

TEST(a_fault_between_is_a_fault)
{
    int status;
    status = in_child(off_again, SIGXCPU); /* cmocka catches the others */
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
}
