/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether processes are stopped: real ones, by signals and, where this machine has a freezer that
 * the test may use, by that.
 */
#include "conf/base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_cgroup.h"

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
    assert_false(process_is_stopped(pid));
}

TEST(signals_stop_and_resume)
{
    pid_t pid = start_child();
    int status;
    assert_false(process_is_stopped(getpid()));
    assert_false(process_is_stopped(pid));
    kill(pid, SIGSTOP);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(process_is_stopped(pid));
    kill(pid, SIGCONT);
    assert_int_equal(waitpid(pid, &status, WCONTINUED), pid);
    assert_false(process_is_stopped(pid));
    end_child(pid);
}

TEST(a_debugger_does_not_count)
{
    pid_t pid = start_child();
    int status;
    assert_int_equal(ptrace(PTRACE_ATTACH, pid, NULL, NULL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_false(process_is_stopped(pid));
    end_child(pid);
}

static int write_text(const char *directory, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int error = write(fd, text, strlen(text)) < 0 ? -errno : 0;
    close(fd);
    return error;
}

static bool becomes(pid_t pid, bool stopped)
{
    for (int i = 0; i < 100000 && process_is_stopped(pid) != stopped; i++)
        usleep(1000);
    return process_is_stopped(pid) == stopped;
}

/* In a cgroup of its own at `place`, where there can be one. */
static void freeze_in(const char *place, const char *file, const char *freeze, const char *thaw)
{
    char directory[128], number[16];
    snprintf(directory, sizeof directory, "%s/jobtrail_test.%d", place, (int)getpid());
    if (mkdir(directory, 0755) != 0)
        return;
    pid_t pid = start_child();
    snprintf(number, sizeof number, "%d", (int)pid);
    if (write_text(directory, "cgroup.procs", number) == 0) {
        assert_false(process_is_stopped(pid));
        if (write_text(directory, file, freeze) == 0) {
            assert_true(becomes(pid, true));
            assert_int_equal(write_text(directory, file, thaw), 0);
            assert_true(becomes(pid, false));
        }
    }
    end_child(pid);
    for (int i = 0; i < 1000 && rmdir(directory) != 0 && errno == EBUSY; i++)
        usleep(1000);
}

TEST(a_frozen_cgroup_stops)
{
    freeze_in("/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED");
    freeze_in("/sys/fs/cgroup/unified", "cgroup.freeze", "1", "0");
    if (!made_cgroup_start("job_7"))
        return;
    pid_t pid = start_child();
    made_cgroup_put(pid);
    assert_false(process_is_stopped(pid) || process_is_frozen(pid));
    made_cgroup_freeze(true); /* above its own cgroup */
    assert_true(process_is_stopped(pid) && process_is_frozen(pid));
    made_cgroup_freeze(false);
    kill(pid, SIGSTOP);
    assert_true(becomes(pid, true));
    assert_false(process_is_frozen(pid));
    end_child(pid);
    made_cgroup_end();
}
