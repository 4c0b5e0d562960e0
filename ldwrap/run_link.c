/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/run_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "ldwrap/descriptor_numbers.h"

/* ---- What the linker writes to our pipe ------------------------------------------------------ */

enum { STEP_BYTES = 64 << 10 };

int output_open(struct linker_output *output, int target_fd, size_t limit)
{
    int ends[2];
    *output = (struct linker_output){
        .read_fd = -1, .write_fd = -1, .target_fd = target_fd, .limit = limit};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    output->read_fd = descriptor_move_up(ends[0]);
    output->write_fd = descriptor_move_up(ends[1]);
    if (output->read_fd < 0 || output->write_fd < 0 ||
        fcntl(output->read_fd, F_SETFL, O_NONBLOCK) != 0) {
        output_close(output);
        return -EMFILE;
    }
    return 0;
}

/* For output that is shown at once, since there is no memory to keep it. */
static char spare_buffer[4096];

/* Reads what is in the pipe. */
static void output_read(struct linker_output *output)
{
    while (output->read_fd >= 0) {
        bool has_room = GROW_TO(output->bytes, output->room, output->size + STEP_BYTES) == 0;
        if (!has_room)
            output_release(output);
        char *at = has_room ? output->bytes + output->size : spare_buffer;
        ssize_t got =
            read(output->read_fd, at, has_room ? output->room - output->size : sizeof spare_buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            close(output->read_fd);
            output->read_fd = -1;
        } else if (has_room) {
            output->size += (size_t)got;
            if (output->is_released || output->size > output->limit)
                output_release(output);
        } else if (output->target_fd >= 0) {
            io_write_all(output->target_fd, at, (size_t)got);
        }
    }
}

void output_release(struct linker_output *output)
{
    if (output->target_fd >= 0 && output->size > 0)
        io_write_all(output->target_fd, output->bytes, output->size);
    output->is_released = true;
    output->size = 0;
}

void output_close(struct linker_output *output)
{
    if (output->read_fd >= 0)
        close(output->read_fd);
    if (output->write_fd >= 0)
        close(output->write_fd);
    free(output->bytes);
    *output = (struct linker_output){.read_fd = -1, .write_fd = -1, .target_fd = -1};
}

/* Signals that end a build from outside. They are passed on to the linker. */
static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
enum { ENDING = sizeof ending / sizeof ending[0] };

static volatile sig_atomic_t child_pid;

static void pass_on(int number)
{
    int saved = errno;
    if (child_pid > 0)
        kill((pid_t)child_pid, number);
    errno = saved;
}

static void on_child(int number)
{
    (void)number;
}

/* Sets the handlers for the time of the link. Signals that are ignored stay ignored, in the linker
 * too. Signals are blocked except for during the wait, so that none is lost between a check and the
 * wait. */
static void set_handlers(struct sigaction *before, sigset_t *mask)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    for (int i = 0; i < ENDING; i++)
        sigaddset(&blocked, ending[i]);
    sigprocmask(SIG_BLOCK, &blocked, mask);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = on_child}, &before[ENDING]);
    for (int i = 0; i < ENDING; i++) {
        sigaction(ending[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(ending[i], &(struct sigaction){.sa_handler = pass_on}, NULL);
    }
}

static void restore_handlers(const struct sigaction *before, const sigset_t *mask)
{
    for (int i = 0; i < ENDING; i++)
        sigaction(ending[i], &before[i], NULL);
    sigaction(SIGCHLD, &before[ENDING], NULL);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

bool run_link_is_one_stream(void)
{
    struct stat out, err;
    return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
           out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

static void inherit(int fd)
{
    if (fd >= 0)
        fcntl(fd, F_SETFD, 0);
}

/* In the child, which shares our memory until then: runs the linker, or returns errno. */
static int exec_linker(const struct run_link *run, const struct sigaction *before,
                       const sigset_t *mask, pid_t parent)
{
    int errors = run->errors.write_fd >= 0 ? run->errors.write_fd : run->output.write_fd;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    for (int i = 0; i < RUN_LINK_INHERITED; i++)
        inherit(run->inherited[i]);
    inherit(run->map.write_fd);
    if (dup2(run->output.write_fd, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
        return errno;
    restore_handlers(before, mask);
    execv(run->path, run->argv);
    return errno;
}

/* vfork() does not copy our page tables, which takes as long as all else here. The child has signal
 * handlers and descriptors of its own, sets only these, and tells of an error in our memory.
 * Signals are blocked in it until those that we were called with are restored, of which none is
 * ours. */
static int start_linker(const struct run_link *run, const struct sigaction *before,
                        const sigset_t *mask)
{
    volatile int error = 0;
    pid_t parent = getpid();
    pid_t pid = vfork();
    if (pid == 0) {
        error = exec_linker(run, before, mask, parent);
        _exit(127);
    }
    if (pid < 0)
        return -errno;
    if (error != 0) {
        waitpid(pid, NULL, 0);
        return -error;
    }
    child_pid = pid;
    return 0;
}

static void close_writing_end(struct linker_output *output)
{
    if (output->write_fd >= 0)
        close(output->write_fd);
    output->write_fd = -1;
}

/* Waits until the child has ended, and not for the end of the pipes: the linker may leave a process
 * behind that keeps them open (mold does). */
static int wait_for(struct run_link *run, const sigset_t *mask)
{
    struct linker_output *const all[] = {&run->output, &run->errors, &run->map};
    int status;
    while (waitpid((pid_t)child_pid, &status, WNOHANG) == 0) {
        struct pollfd polled[3];
        for (int i = 0; i < 3; i++)
            polled[i] = (struct pollfd){.fd = all[i]->read_fd, .events = POLLIN};
        if (ppoll(polled, 3, NULL, mask) <= 0)
            continue;
        for (int i = 0; i < 3; i++)
            output_read(all[i]);
    }
    for (int i = 0; i < 3; i++)
        output_read(all[i]);
    return status;
}

int run_link(struct run_link *run, int *status)
{
    struct sigaction before[ENDING + 1];
    sigset_t mask;
    set_handlers(before, &mask);
    int error = start_linker(run, before, &mask);
    close_writing_end(&run->output);
    close_writing_end(&run->errors);
    close_writing_end(&run->map);
    if (error == 0)
        *status = wait_for(run, &mask);
    child_pid = 0;
    restore_handlers(before, &mask);
    return error;
}

bool run_link_is_ended(int status)
{
    if (!WIFSIGNALED(status))
        return false;
    switch (WTERMSIG(status)) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGKILL:
    case SIGTERM:
    case SIGUSR1:
    case SIGUSR2:
    case SIGPIPE:
    case SIGXCPU:
        return true;
    default:
        return false;
    }
}

void run_link_die(int number)
{
    sigset_t only;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the linker has left one */
    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    kill(getpid(), number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    _exit(128 + number);
}
