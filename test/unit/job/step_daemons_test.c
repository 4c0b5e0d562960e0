/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Processes with the names of slurmstepd, in a pid namespace with no others. As root.
 */
#define OWN_MAIN

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "submit/job/job_cgroups.h"
#include "test/unit/fixture/cases.h"

/* cat(1) waits for its input, and `sleep infinity` waits, too. */
static char cat[48], sleep_program[48];

/* Starts a process with these words as its command line. It has been executed when this returns: it
 * has closed the pipe. */
static pid_t start_as(uid_t uid, bool is_privileged, const char *first, const char *second)
{
    int executed[2], never[2];
    char byte;
    assert_int_equal(pipe2(executed, O_CLOEXEC), 0);
    assert_int_equal(pipe(never), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char *const argv[] = {(char *)(uintptr_t)first, (char *)(uintptr_t)second, NULL};
        dup2(never[0], STDIN_FILENO);
        if (setresuid(uid, is_privileged ? 0 : uid, uid) == 0)
            execv(second == NULL ? cat : sleep_program, argv);
        _exit(1);
    }
    close(executed[1]);
    assert_int_equal(read(executed[0], &byte, 1), 0);
    close(executed[0]);
    close(never[0]);
    return pid; /* never[1] stays open in this process */
}

static pid_t start(uid_t uid, const char *first, const char *second)
{
    return start_as(uid, false, first, second);
}

/* leaves a zombie */
static void kill_daemon(pid_t pid)
{
    siginfo_t dead;
    kill(pid, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)pid, &dead, WEXITED | WNOWAIT), 0);
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(a_job_has_a_daemon_of_its_number_alone)
{
    assert_false(step_daemon_may_live(12));
    pid_t pid = start(0, "slurmstepd: [12.batch]", NULL);
    assert_true(step_daemon_may_live(12));
    assert_false(step_daemon_may_live(1));
    assert_false(step_daemon_may_live(2));
    assert_false(step_daemon_may_live(123));
    pid_t keeper = start(0, "slurmstepd: [13:namespace]", NULL);
    assert_true(step_daemon_may_live(13));
    assert_false(step_daemon_may_live(123));
    end(keeper);
    kill_daemon(pid);
    assert_false(step_daemon_may_live(12));
    end(pid);
    assert_false(step_daemon_may_live(12));
}

TEST(one_without_a_number_may_be_of_each_job)
{
    static const char *const names[] = {"/usr/sbin/slurmstepd",   "slurmstepd: [sJ8Z3V0CEB4N00.0]",
                                        "slurmstepd: [12",        "slurmstepd: [ 12.0]",
                                        "slurmstepd: [0.batch]",  "slurmstepd: [-12.0]",
                                        "slurmstepd: [12x.batch]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        pid_t pid = start(0, names[i], NULL);
        assert_true(step_daemon_may_live(12));
        assert_true(step_daemon_may_live(13));
        end(pid);
    }
}

TEST(the_one_that_keeps_a_cgroup_is_of_no_job)
{
    pid_t pid = start(0, "/usr/sbin/slurmstepd", "infinity");
    assert_false(step_daemon_may_live(12));
    end(pid);
}

TEST(a_process_of_a_users_is_none)
{
    pid_t pid = start(1234, "slurmstepd: [12.0]", NULL);
    assert_false(step_daemon_may_live(12));
    end(pid);
    /* as a set-user-id program that the user has linked to such a name */
    pid = start_as(1234, true, "slurmstepd: [12.0]", NULL);
    assert_false(step_daemon_may_live(12));
    end(pid);
}

static int inside(void)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("proc", "/proc", "proc", 0, NULL) != 0)
        return 99;
    return run_cases();
}

/* In a process of its own: no child can be started after the first process of a pid namespace has
 * ended, and the leak checker of asan starts one at the exit. */
static int in_namespace(void)
{
    int status = 0;
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(inside());
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(void)
{
    char directory[] = "/tmp/jobtrail-daemons-XXXXXX";
    int status = 0;
    if (geteuid() != 0)
        return 0;
    if (mkdtemp(directory) == NULL || chmod(directory, 0755) != 0)
        return 1;
    snprintf(cat, sizeof cat, "%s/slurmstepd", directory);
    snprintf(sleep_program, sizeof sleep_program, "%s/slurmstepd-wlm", directory);
    if (symlink("/bin/cat", cat) != 0 || symlink("/bin/sleep", sleep_program) != 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(in_namespace());
    waitpid(pid, &status, 0);
    unlink(cat);
    unlink(sleep_program);
    rmdir(directory);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
