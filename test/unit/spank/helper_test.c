/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running a program from Slurm's daemons.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "spank/helper.h"
#include "test/unit/fixture/cases.h"

static struct helper_result run(const char *script, unsigned timeout_s)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct helper_result result;
    memset(&result, 0x5a, sizeof result);
    assert_int_equal(helper_run(argv, timeout_s, &result), 0);
    return result;
}

TEST(the_exit_status_is_told)
{
    static const struct {
        const char *script;
        int status;
    } cases[] = {
        {"exit 0", 0},     {"exit 3", 3 << 8},   {"exit 255", 255 << 8},
        {"kill -9 $$", 9}, {"kill $$", SIGTERM},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct helper_result result = run(cases[i].script, 60);
        assert_int_equal(result.is_finished, 1);
        assert_int_equal(result.status, cases[i].status);
        assert_string_equal(result.message, "");
    }
}

/* As slurmstepd does for moments (as_root.h). */
TEST(the_program_is_root_where_the_daemon_acts_as_a_user)
{
    if (geteuid() != 0)
        skip();
    assert_int_equal(seteuid(65534), 0);
    struct helper_result result = run("echo $(id -u) $(id -ru) >&2", 60);
    assert_int_equal(seteuid(0), 0);
    assert_string_equal(result.message, "0 0");
}

TEST(a_failure_has_a_reason)
{
    static const char *const cases[][2] = {
        {"exit 3", "exit status 3"},
        {"echo oops >&2; exit 3", "oops"},
        {"kill -9 $$", "ended by signal 9 (Killed)"},
        {"echo oops >&2; kill -9 $$", "ended by signal 9 (Killed): oops"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[64];
        struct helper_result result = run(cases[i][0], 60);
        helper_why(&result, why, sizeof why);
        assert_string_equal(why, cases[i][1]);
    }
}

TEST(what_it_says_on_stderr_is_kept_without_the_last_newline)
{
    static const char *const cases[][2] = {
        {"echo oops >&2; exit 1", "oops"},
        {"printf 'a\\nb\\n\\n\\n' >&2", "a\nb"},
        {"printf '\\n\\n' >&2", ""},
        {"echo lost; echo kept >&2", "kept"},
        {"echo one >&2; sleep 0.05; echo two >&2", "one\ntwo"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct helper_result result = run(cases[i][0], 60);
        assert_int_equal(result.is_finished, 1);
        assert_string_equal(result.message, cases[i][1]);
    }
}

TEST(a_long_message_is_cut_and_the_program_is_not_held_up)
{
    /* more than a pipe holds */
    struct helper_result result = run("head -c 300000 /dev/zero | tr '\\0' x >&2; exit 4", 60);
    assert_int_equal(result.is_finished, 1);
    assert_int_equal(result.status, 4 << 8);
    assert_int_equal(strlen(result.message), sizeof result.message - 1);
    assert_int_equal(strspn(result.message, "x"), sizeof result.message - 1);
}

TEST(a_program_that_takes_too_long_is_left_to_itself)
{
    char path[] = "/tmp/spank_helper_test.XXXXXX", script[128];
    assert_non_null(mkdtemp(path));
    snprintf(script, sizeof script,
             "echo $$ >&2; until [ -e %s/go ]; do sleep 0.05; done; rmdir %s/go; exit 5", path,
             path);
    struct helper_result result = run(script, 3);
    assert_int_equal(result.is_finished, 0);
    pid_t pid = (pid_t)atoi(result.message);
    assert_true(pid > 1);
    assert_int_equal(kill(pid, 0), 0);
    assert_int_equal(getsid(pid), pid); /* signals to our session do not reach it */
    strcat(strcpy(script, path), "/go");
    assert_int_equal(mkdir(script, 0700), 0);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 5 << 8);
    assert_int_equal(rmdir(path), 0);
}

TEST(a_program_that_closes_stderr_is_waited_for)
{
    struct helper_result result = run("exec 2>&-; sleep 0.1; exit 6", 60);
    assert_int_equal(result.is_finished, 1);
    assert_int_equal(result.status, 6 << 8);
}

TEST(a_program_that_is_missing_is_an_error)
{
    const char *const none[] = {"/nonexistent/program", NULL}, *const folder[] = {"/tmp", NULL};
    struct helper_result result;
    assert_int_equal(helper_run(none, 60, &result), -ENOENT);
    assert_int_equal(helper_run(folder, 60, &result), -EACCES);
}

TEST(the_environment_is_path_and_lang)
{
    setenv("LD_PRELOAD_OF_A_USER", "x", 1);
    const char *const argv[] = {
        "/bin/sh", "-c", "/usr/bin/env -u PWD -u SHLVL -u OLDPWD -u _ /usr/bin/env >&2", NULL};
    struct helper_result result;
    assert_int_equal(helper_run(argv, 60, &result), 0);
    assert_string_equal(result.message, "PATH=/usr/sbin:/usr/bin:/sbin:/bin\nLANG=C.UTF-8");
}

/* A shell lists its descriptors as NUMBER:FILE. It sees 3 in use, as it reads the directory. */
TEST(no_descriptor_is_handed_on_but_the_first_three)
{
    int fds[20];
    for (int i = 0; i < 20; i++) {
        fds[i] = open("/", O_RDONLY | O_DIRECTORY); /* without O_CLOEXEC */
        assert_true(fds[i] >= 0);
    }
    assert_true(dup2(fds[0], 200) == 200);
    struct helper_result result =
        run("for fd in /proc/$$/fd/*; do all=\"$all ${fd##*/}:$(readlink $fd)\"; done; "
            "echo \"$all\" >&2",
            60);
    for (int i = 0; i < 20; i++)
        close(fds[i]);
    close(200);
    assert_int_equal(result.is_finished, 1);
    assert_non_null(strstr(result.message, " 0:/dev/null 1:/dev/null 2:pipe:"));
    for (const char *word = strchr(result.message, ' '); word != NULL;
         word = strchr(word + 1, ' ')) {
        int length = (int)strcspn(word + 1, " ");
        if (atoi(word + 1) > 3 || strncmp(word + length - 1, ":/", 2) == 0)
            fail_msg("%s", result.message);
    }
}

TEST(a_daemon_without_the_first_three_descriptors_is_served)
{
    int status;
    for (int closed = 0; closed < 8; closed++) {
        pid_t pid = fork();
        if (pid == 0) {
            for (int fd = 0; fd < 3; fd++) {
                if (closed & 1 << fd)
                    close(fd);
            }
            struct helper_result result = run("echo hello >&2; exit 7", 60);
            _exit(result.is_finished == 1 && result.status == 7 << 8 &&
                          strcmp(result.message, "hello") == 0
                      ? 0
                      : 1);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status != 0)
            fail_msg("closed %d: status %d", closed, status);
    }
}

TEST(signals_are_as_a_program_expects_them)
{
    sigset_t all, before;
    sigfillset(&all);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, &all, &before);
    struct helper_result result =
        run("grep -E '^Sig(Blk|Ign):' /proc/self/status | tr -d '\\t' >&2", 60);
    unsigned long blocked = 1, ignored = 1;
    sigprocmask(SIG_SETMASK, &before, NULL);
    signal(SIGPIPE, SIG_DFL);
    assert_int_equal(sscanf(result.message, "SigBlk:%lx\nSigIgn:%lx", &blocked, &ignored), 2);
    assert_int_equal(blocked, 0);
    assert_int_equal(ignored & 0x7fffffff, 0); /* 32 and 33 are the C library's own */
}

TEST(no_descriptor_stays_open_here)
{
    int before = dup(0);
    close(before);
    run("exit 0", 60);
    const char *const none[] = {"/nonexistent/program", NULL};
    struct helper_result result;
    helper_run(none, 60, &result);
    int after = dup(0);
    close(after);
    assert_int_equal(after, before);
}

TEST(a_helpers_path_starts_where_we_lie)
{
    char path[4096], expected[4096], self[2048];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(expected, sizeof expected, "%s/../../bin/jobtrail-conf", self);
    int result = helper_path("jobtrail-conf", path, sizeof path);
    if (result == -ENOENT) /* this program was started by a relative path */
        return;
    assert_int_equal(result, 0);
    assert_string_equal(path, expected);
    assert_int_equal(helper_path("jobtrail-conf", path, strlen(expected)), -ENAMETOOLONG);
    assert_int_equal(helper_path("jobtrail-conf", path, strlen(expected) + 1), 0);
}
