/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The process watch's look at suspensions, of real processes: tasks, and what the daemon of an
 * extern step keeps.
 */
#include "submit/flush/suspend_look.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "conf/base/process.h"
#include "spank/journal.h"
#include "submit/job/spool_job.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_cgroup.h"
#include "test/unit/fixture/made_tree.h"

static pid_t start_child(void)
{
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    return pid;
}

static void end_child(pid_t pid)
{
    int status;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
}

static void stop_child(pid_t pid)
{
    int status;
    kill(pid, SIGSTOP);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
}

static void resume_child(pid_t pid)
{
    int status;
    kill(pid, SIGCONT);
    assert_int_equal(waitpid(pid, &status, WCONTINUED), pid);
}

static void add_text(const char *text)
{
    int fd = openat(made_tree_fd, JOURNAL_NAME, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* A journal with a step that has these tasks; and with an extern step of this daemon, unless it is
 * 0. */
static void make_journal(const pid_t *tasks, size_t count, pid_t daemon)
{
    char line[256];
    uint64_t ticks;
    unlinkat(made_tree_fd, JOURNAL_NAME, 0);
    unlinkat(made_tree_fd, SUSPENSION_NAME, 0);
    add_text("step time=1.000000000 job=7 step=0 uid=1000 gid=100\n");
    for (size_t i = 0; i < count; i++) {
        assert_true(process_start(tasks[i], &ticks));
        snprintf(line, sizeof line, "task time=2.000000000 step=0 task=%zu pid=%d ticks=%llu\n", i,
                 (int)tasks[i], (unsigned long long)ticks);
        add_text(line);
    }
    if (daemon == 0)
        return;
    assert_true(process_start(daemon, &ticks));
    snprintf(line, sizeof line,
             "step time=3.000000000 job=7 step=4294967292 uid=1000 gid=100 pid=%d ticks=%llu\n",
             (int)daemon, (unsigned long long)ticks);
    add_text(line);
}

/* A process with a child, which becomes this user's. */
static pid_t start_daemon(uid_t uid, pid_t *kept)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t daemon = fork();
    if (daemon == 0) {
        pid_t child = fork();
        if (child == 0) {
            pid_t self = getpid();
            if (setuid(uid) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0)
                _exit(1);
            (void)!write(ends[1], &self, sizeof self);
        }
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], kept, sizeof *kept), sizeof *kept);
    close(ends[0]);
    close(ends[1]);
    return daemon;
}

static bool is_stopped_by(pid_t pid, int signal)
{
    kill(pid, signal);
    for (int i = 0; i < 100000 && process_is_stopped(pid) != (signal == SIGSTOP); i++)
        usleep(1000);
    return process_is_stopped(pid);
}

/* Looks; what the journal says then, of which only the pauses are to be used. */
static struct journal look(void)
{
    struct journal journal;
    assert_int_equal(spool_job_journal(made_tree_fd, &journal), 0);
    assert_int_equal(suspend_look(made_tree_fd, &journal), 0);
    journal_free(&journal);
    assert_int_equal(spool_job_journal(made_tree_fd, &journal), 0);
    return journal;
}

static struct journal_pause last_pause(size_t count)
{
    struct journal journal = look();
    struct journal_pause pause = {0};
    assert_int_equal(journal.pause_count, count);
    assert_int_equal(journal.bad_lines, 0);
    if (count > 0)
        pause = journal.pauses[count - 1];
    journal_free(&journal);
    return pause;
}

TEST(a_job_is_suspended_while_all_its_tasks_are_stopped)
{
    pid_t tasks[] = {start_child(), start_child(), start_child()};
    make_journal(tasks, 3, 0);
    end_child(tasks[2]); /* whose exit is not in the journal yet */
    last_pause(0);
    uint64_t ran_ns = suspension_read(made_tree_fd).time_ns;
    stop_child(tasks[0]);
    last_pause(0);
    stop_child(tasks[1]);
    struct journal_pause pause = last_pause(1);
    assert_true(pause.may_start_ns > ran_ns && pause.start_ns > pause.may_start_ns);
    assert_true(pause.may_end_ns == UINT64_MAX);
    pause = last_pause(1);
    uint64_t end_ns = pause.end_ns;
    assert_true(end_ns > pause.start_ns && pause.may_end_ns == UINT64_MAX);
    resume_child(tasks[1]);
    pause = last_pause(1);
    assert_true(pause.end_ns == end_ns && pause.may_end_ns > end_ns);
    last_pause(1);
    stop_child(tasks[1]);
    pause = last_pause(2);
    assert_true(pause.may_end_ns == UINT64_MAX);
    end_child(tasks[0]);
    end_child(tasks[1]);
    pause = last_pause(2); /* nothing lives: nothing is known */
    assert_true(pause.may_end_ns == UINT64_MAX);
}

TEST(the_process_of_an_extern_step_decides)
{
    pid_t task, kept, daemon;
    if (getuid() != 0)
        skip();
    task = start_child();
    daemon = start_daemon(0, &kept);
    make_journal(&task, 1, daemon);
    stop_child(task);
    last_pause(0);
    assert_true(is_stopped_by(kept, SIGSTOP));
    last_pause(1);
    resume_child(task);
    assert_true(last_pause(1).may_end_ns == UINT64_MAX);
    assert_false(is_stopped_by(kept, SIGCONT));
    assert_true(last_pause(1).may_end_ns != UINT64_MAX);
    kill(kept, SIGKILL);
    end_child(daemon);
    end_child(task);
}

TEST(a_users_process_in_an_extern_step_does_not)
{
    pid_t task, kept, daemon;
    if (getuid() != 0)
        skip();
    task = start_child();
    daemon = start_daemon(65534, &kept);
    make_journal(&task, 1, daemon);
    assert_true(is_stopped_by(kept, SIGSTOP));
    last_pause(0);
    kill(kept, SIGKILL);
    end_child(daemon);
    end_child(task);
}

/* Slurm 22.05 and 24.11 name a job's directory job_N, 26.05 by its SLUID. */
TEST(only_what_is_frozen_is_suspended_where_slurm_freezes)
{
    static const char *const jobs[] = {"job_7", "sJ8Z3V0CEB4N00"};
    for (int i = 0; i < 2; i++) {
        pid_t task = start_child();
        if (!made_cgroup_start(jobs[i])) {
            end_child(task);
            return;
        }
        make_journal(&task, 1, 0);
        add_text("step time=1.500000000 job=7 step=0 uid=1000 gid=100 freezes=1\n");
        made_cgroup_put(task);
        last_pause(0);
        stop_child(task); /* its user can */
        last_pause(0);
        made_cgroup_freeze(true);
        assert_true(last_pause(1).may_end_ns == UINT64_MAX);
        made_cgroup_freeze(false);
        assert_true(last_pause(1).may_end_ns != UINT64_MAX);
        resume_child(task);
        made_cgroup_freeze(true);
        assert_true(last_pause(2).may_end_ns == UINT64_MAX);
        made_cgroup_freeze(false);
        end_child(task);
        made_cgroup_end();
    }
}

TEST(a_journal_has_a_bounded_number_of_suspensions)
{
    pid_t task = start_child();
    struct stat before, after;
    make_journal(&task, 1, 0);
    for (unsigned i = 0; i < JOURNAL_PAUSES_MAX; i++) {
        char lines[256];
        snprintf(lines, sizeof lines,
                 "suspend time=%u.500000000 since=%u.000000000\n"
                 "resume time=%u.700000000 since=%u.600000000\n",
                 10 + i, 10 + i, 10 + i, 10 + i);
        add_text(lines);
    }
    last_pause(JOURNAL_PAUSES_MAX);
    assert_int_equal(fstatat(made_tree_fd, JOURNAL_NAME, &before, 0), 0);
    stop_child(task);
    for (int i = 0; i < 3; i++)
        last_pause(JOURNAL_PAUSES_MAX);
    resume_child(task);
    last_pause(JOURNAL_PAUSES_MAX);
    assert_int_equal(fstatat(made_tree_fd, JOURNAL_NAME, &after, 0), 0);
    assert_int_equal(after.st_size, before.st_size);
    end_child(task);
}

TEST(a_clock_that_was_set_back_adds_no_lines_without_end)
{
    pid_t task = start_child();
    struct stat before, after;
    make_journal(&task, 1, 0);
    add_text("suspend time=10000000000.500000000 since=10000000000.000000000\n"
             "resume time=10000000000.700000000 since=10000000000.600000000\n");
    stop_child(task);
    assert_int_equal(fstatat(made_tree_fd, JOURNAL_NAME, &before, 0), 0);
    last_pause(1);
    last_pause(1);
    assert_int_equal(fstatat(made_tree_fd, JOURNAL_NAME, &after, 0), 0);
    assert_int_equal(after.st_size, before.st_size);
    end_child(task);
}

ALL(made_tree_set_up, made_tree_tear_down)
