/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a child that reads users' files can do once it is confined.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "conf/base/sandbox.h"
#include "submit/facts/file_hash.h"
#include "test/unit/fixture/cases.h"

static void start_program(void)
{
    execl("/bin/true", "true", NULL);
}

static void open_socket(void)
{
    socket(AF_UNIX, SOCK_STREAM, 0);
}

static void trace(void)
{
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static void signal_parent(void)
{
    kill(getppid(), 0);
}

static void mount_something(void)
{
    mount("none", "/nonexistent", "tmpfs", 0, NULL);
}

static void fork_child(void)
{
    if (fork() == 0)
        _exit(0);
}

static void become_root(void)
{
    if (setuid(0) != 0)
        _exit(0);
}

static void new_namespace(void)
{
    syscall(SYS_unshare, 0);
}

static void read_memory(void)
{
    syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0);
}

static void lift_limit(void)
{
    const struct rlimit limit = {1, 1};
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void load_filter(void)
{
    syscall(SYS_bpf, 0, NULL, 0);
}

static void change_mode(void)
{
    chmod("/nonexistent", 0777);
}

static void remove_file(void)
{
    unlink("/nonexistent");
}

static void do_nothing(void)
{
}

/* As reading does. */
static void read_files(void)
{
    struct file_hash hash;
    struct stat status;
    char real[4096];
    file_hash(NULL, NULL, "/bin/true", &hash);
    if (strlen(hash.sha1) != 40 || realpath("/bin/sh", real) == NULL || stat(real, &status) != 0)
        _exit(1);
    free(malloc(100 << 20));
}

static int status_of(void (*act)(void), enum sandbox_kind kind)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        if (sandbox_enter(kind) != 0)
            _exit(99);
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

TEST(what_reading_does_not_need_ends_the_child)
{
    void (*const acts[])(void) = {start_program,   open_socket, trace,       signal_parent,
                                  mount_something, fork_child,  become_root, new_namespace,
                                  read_memory,     lift_limit,  load_filter, change_mode};
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++)
        for (int kind = SANDBOX_READS; kind <= SANDBOX_RENAMES; kind++) {
            int status = status_of(acts[i], (enum sandbox_kind)kind);
            if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
                fail_msg("act %zu, kind %d: status %x", i, kind, (unsigned)status);
        }
}

TEST(reading_goes_on_and_removing_where_it_is_wanted)
{
    assert_int_equal(status_of(do_nothing, SANDBOX_READS), 0);
    assert_int_equal(status_of(read_files, SANDBOX_READS), 0);
    assert_int_equal(status_of(read_files, SANDBOX_RENAMES), 0);
    assert_int_equal(status_of(remove_file, SANDBOX_RENAMES), 0);
    assert_true(WIFSIGNALED(status_of(remove_file, SANDBOX_READS)));
}
