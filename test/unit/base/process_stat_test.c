/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is read of processes in /proc: of real ones, whose names try to mislead.
 */
#include "conf/base/process_stat.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "conf/base/process.h"

/* A child of this name that waits to be killed. */
static pid_t start_child(const char *name)
{
    int ends[2];
    char ready;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, name);
        (void)!write(ends[1], "", 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], &ready, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return pid;
}

static void a_process_is_read_whatever_its_name_is(void **state)
{
    static const char *const names[] = {"plain", "two words", "a\nb", ") Z 1 (", "x) R 7 7\n(", ""};
    struct process_stat own;
    (void)state;
    assert_true(process_stat_read(getpid(), &own));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct process_stat stat = {0};
        uint64_t ticks;
        pid_t pid = start_child(names[i]);
        assert_true(process_stat_read(pid, &stat));
        assert_int_equal(stat.parent, getpid());
        assert_true(stat.start_ticks >= own.start_ticks);
        assert_int_equal(process_parent(pid), getpid());
        assert_true(process_start(pid, &ticks));
        assert_int_equal(ticks, stat.start_ticks);
        assert_true(process_alive(pid, ticks));
        assert_false(process_alive(pid, ticks + 1));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        assert_false(process_stat_read(pid, &stat));
    }
}

static void a_zombie_has_a_start_and_does_not_run(void **state)
{
    struct process_stat before, stat;
    uint64_t ticks;
    siginfo_t ended;
    (void)state;
    pid_t pid = start_child("a\nb");
    assert_true(process_stat_read(pid, &before));
    kill(pid, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
    assert_true(process_stat_read(pid, &stat));
    assert_int_equal(stat.state, 'Z');
    assert_int_equal(stat.start_ticks, before.start_ticks);
    assert_false(process_start(pid, &ticks));
    assert_false(process_alive(pid, before.start_ticks));
    assert_int_equal(process_parent(pid), 0);
    waitpid(pid, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_read_whatever_its_name_is),
        cmocka_unit_test(a_zombie_has_a_start_and_does_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
