/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which forks of slurmstepd's thread are taken for that of a task's epilog.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#include "spank/exit_note.h"
#include "test/unit/fixture/cases.h"

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static pid_t start_child(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_true(child > 0);
    return child;
}

static void *run_child(void *nothing)
{
    assert_int_equal(waitpid(start_child(), NULL, 0) > 0, 1);
    return nothing;
}

TEST(the_first_fork_after_a_wait_is_noted)
{
    assert_true(fork_note_start());
    pid_t task = start_child();
    assert_true(fork_note_take().time_ns == 0); /* nobody was waited for */
    assert_int_equal(waitpid(task, NULL, 0), task);
    assert_true(fork_note_take().time_ns == 0);
    uint64_t before_ns = now_ns();
    pid_t epilog = start_child();
    uint64_t after_ns = now_ns();
    const struct fork_note note = fork_note_take();
    assert_true(note.time_ns >= before_ns && note.time_ns <= after_ns);
    assert_true(note.busy_ns <= fork_note_busy());
    assert_int_equal(waitpid(epilog, NULL, 0), epilog);
    run_child(NULL);
    assert_int_equal(fork_note_take().time_ns, note.time_ns);
    assert_true(fork_note_start());
    assert_true(fork_note_take().time_ns == 0);
}

TEST(forks_of_other_threads_are_not)
{
    pthread_t thread;
    assert_true(fork_note_start());
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&thread, NULL, run_child, NULL), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_true(fork_note_take().time_ns == 0);
}
