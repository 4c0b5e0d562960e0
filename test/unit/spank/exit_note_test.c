/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the kernel reports of the end of processes that nobody has waited for yet.
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "spank/exit_note.h"
#include "test/unit/fixture/cases.h"

/* A child that waits for the end of `go`, forks `forks` times and ends. */
static pid_t start_child(int go[2], int forks)
{
    assert_int_equal(pipe(go), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) {
        close(go[0]);
        return child;
    }
    char nothing;
    close(go[1]);
    if (read(go[0], &nothing, 1) != 0)
        _exit(1);
    for (int i = 0; i < forks; i++) {
        if (fork() == 0)
            _exit(0);
        wait(NULL);
    }
    _exit(0);
}

static void wait_until_dead(pid_t child)
{
    siginfo_t end;
    assert_int_equal(waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT), 0);
}

/* Debian's own kernels refuse it to users (perf_event_paranoid). */
static void watch(pid_t child)
{
    int error = exit_note_watch(child);
    if (error == -EACCES && geteuid() != 0)
        skip();
    assert_int_equal(error, 0);
}

TEST(end_is_noted)
{
    for (int forks = 0; forks <= 1000; forks += 1000) {
        int go[2];
        pid_t child = start_child(go, forks);
        watch(child);
        uint64_t before_ns = clock_ns(CLOCK_REALTIME);
        close(go[1]);
        wait_until_dead(child);
        uint64_t after_ns = clock_ns(CLOCK_REALTIME);
        assert_int_equal(waitpid(child, NULL, 0), child);
        uint64_t taken_ns = exit_note_take(child).died_ns;
        assert_true(taken_ns >= before_ns && taken_ns <= after_ns);
        assert_true(exit_note_take(child).died_ns == 0);
    }
}

TEST(end_by_a_signal_is_noted)
{
    int go[2];
    pid_t child = start_child(go, 0);
    watch(child);
    watch(child);
    uint64_t before_ns = clock_ns(CLOCK_REALTIME);
    assert_int_equal(kill(child, SIGKILL), 0);
    wait_until_dead(child);
    uint64_t after_ns = clock_ns(CLOCK_REALTIME);
    uint64_t taken_ns = exit_note_take(child).died_ns;
    assert_true(taken_ns >= before_ns && taken_ns <= after_ns);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(go[1]);
}

TEST(what_lives_has_no_end)
{
    int go[2];
    pid_t child = start_child(go, 0);
    assert_true(exit_note_take(child).died_ns == 0); /* is not watched */
    watch(child);
    assert_true(exit_note_take(child).died_ns == 0);
    close(go[1]);
    wait_until_dead(child);
    assert_int_equal(exit_note_watch(child), -ESRCH);
    assert_int_equal(exit_note_watch(0), -ESRCH); /* for perf_event_open(2): the caller */
    assert_int_equal(exit_note_watch(-1), -ESRCH);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* The rings are not mapped there. */
TEST(children_know_nothing)
{
    int go[2], status;
    pid_t child = start_child(go, 0);
    watch(child);
    pid_t other = fork();
    if (other == 0)
        _exit(exit_note_take(child).died_ns == 0 ? 0 : 1);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    close(go[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    exit_note_forget();
    assert_true(exit_note_take(child).died_ns == 0);
}

TEST(number_is_bounded)
{
    pid_t children[EXIT_NOTE_MAX + 1];
    for (int i = 0; i <= EXIT_NOTE_MAX; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            pause();
            _exit(0);
        }
        assert_int_equal(exit_note_watch(children[i]), i < EXIT_NOTE_MAX ? 0 : -EMFILE);
    }
    for (int i = 0; i <= EXIT_NOTE_MAX; i++) {
        kill(children[i], SIGKILL);
        assert_int_equal(waitpid(children[i], NULL, 0), children[i]);
        assert_true((exit_note_take(children[i]).died_ns != 0) == (i < EXIT_NOTE_MAX));
    }
}

/* A child that waits, forks `forks` times, tries to execute `path`, and ends. */
static struct exit_note note_of_exec(const char *path, int forks)
{
    int go[2];
    assert_int_equal(pipe(go), 0);
    pid_t child = fork();
    if (child == 0) {
        char nothing;
        close(go[1]);
        for (int i = 0; read(go[0], &nothing, 1) == 0 && i < forks; i++) {
            if (fork() == 0)
                _exit(0);
            wait(NULL);
        }
        prctl(PR_SET_NAME, "renamed");
        execl(path, path, (char *)NULL);
        _exit(2);
    }
    watch(child);
    close(go[0]);
    close(go[1]);
    wait_until_dead(child);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return exit_note_take(child);
}

TEST(when_the_last_program_was_executed_is_told)
{
    const uint64_t before = clock_ns(CLOCK_REALTIME);
    const struct exit_note one = note_of_exec("/bin/true", 3);
    assert_true(one.executed_ns >= before && one.executed_ns <= one.died_ns);
    assert_int_equal(note_of_exec("/nonexistent", 3).executed_ns, 0);
    /* what is no longer there may have been a thread, which could have executed another one */
    assert_int_equal(note_of_exec("/nonexistent", 1000).executed_ns, 0);
}

TEST(what_executed_no_program_is_told)
{
    assert_true(note_of_exec("/nonexistent", 0).has_no_program);
    assert_true(note_of_exec("/etc/passwd", 3).has_no_program);
    assert_false(note_of_exec("/bin/true", 0).has_no_program);
    assert_false(note_of_exec("/bin/true", 3).has_no_program);
    assert_true(note_of_exec("/bin/true", 0).has_no_child);
    assert_false(note_of_exec("/bin/true", 1).has_no_child);
    /* the ring has no longer all records */
    const struct exit_note unknown = note_of_exec("/nonexistent", 1000);
    assert_false(unknown.has_no_program);
    assert_false(unknown.has_no_child);
    assert_true(unknown.died_ns != 0);
}
