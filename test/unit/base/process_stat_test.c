/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is read of processes in /proc: of real ones, whose names try to mislead.
 */
#include "conf/base/process.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "test/unit/fixture/cases.h"

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

TEST(a_process_is_read_whatever_its_name_is)
{
    static const char *const names[] = {"plain", "two words", "a\nb", ") Z 1 (", "x) R 7 7\n(", ""};
    struct process_stat own;
    assert_int_equal(process_stat_read(getpid(), &own), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct process_stat stat = {0};
        uint64_t ticks;
        pid_t pid = start_child(names[i]);
        assert_int_equal(process_stat_read(pid, &stat), 0);
        assert_int_equal(stat.parent, getpid());
        assert_true(stat.start_ticks >= own.start_ticks);
        assert_int_equal(process_parent(pid), getpid());
        assert_true(process_start(pid, &ticks));
        assert_int_equal(ticks, stat.start_ticks);
        assert_true(process_alive(pid, ticks));
        assert_false(process_alive(pid, ticks + 1));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        assert_int_equal(process_stat_read(pid, &stat), -ESRCH);
    }
}

TEST(a_zombie_has_a_start_and_does_not_run)
{
    struct process_stat before, stat;
    uint64_t ticks;
    siginfo_t ended;
    pid_t pid = start_child("a\nb");
    assert_int_equal(process_stat_read(pid, &before), 0);
    kill(pid, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
    assert_int_equal(process_stat_read(pid, &stat), 0);
    assert_int_equal(stat.state, 'Z');
    assert_int_equal(stat.start_ticks, before.start_ticks);
    assert_false(process_start(pid, &ticks));
    assert_false(process_alive(pid, before.start_ticks));
    assert_int_equal(process_parent(pid), 0);
    waitpid(pid, NULL, 0);
}

static int ready_end;

static void *wait_to_be_killed(void *unused)
{
    while (write(ready_end, "", 1) == 1)
        pause();
    return unused;
}

static void leave_first_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_to_be_killed, NULL) != 0)
        _exit(1);
    pthread_exit(NULL);
}

TEST(a_process_runs_until_its_last_thread_is_over)
{
    struct process_stat stat = {0};
    uint64_t ticks;
    siginfo_t ended;
    int ends[2];
    char ready;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        ready_end = ends[1];
        leave_first_thread();
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &ready, 1), 1);
    close(ends[0]);
    while (stat.state != 'Z')
        assert_int_equal(process_stat_read(pid, &stat), 0);
    assert_int_equal(stat.threads, 2);
    assert_false(process_stat_is_over(&stat));
    assert_true(process_start(pid, &ticks));
    kill(pid, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
    assert_int_equal(process_stat_read(pid, &stat), 0);
    assert_true(process_stat_is_over(&stat));
    assert_false(process_start(pid, &ticks));
    waitpid(pid, NULL, 0);
}
