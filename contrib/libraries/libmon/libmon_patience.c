/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libmon/libmon_patience.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/text.h"

/* What is killed is gone then, unless its file system does not let it go. */
enum { KILLED_MS = 10 * 1000 };

pid_t libmon_fork(void)
{
    const pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    return 0;
}

/* Whether the child ends while its walk goes on. */
static bool ends(int child, const struct library_beat *beat, int patience_ms)
{
    struct pollfd ended = {.fd = child, .events = POLLIN};
    uint64_t count;
    int ready;
    do {
        count = __atomic_load_n(&beat->count, __ATOMIC_RELAXED);
        ready = poll(&ended, 1, patience_ms);
    } while (ready == 0 ? beat->at[0] == '\0' || count != beat->count : ready < 0);
    return ready > 0;
}

/* Kills the child, and notes where it was. Returns whether another one can scan. */
static bool leave(int child, pid_t pid, struct library_beat *beat)
{
    char shown[4 * PATH_MAX];
    struct pollfd ended = {.fd = child, .events = POLLIN};
    kill(pid, SIGKILL);
    terminal_text(beat->at, strlen(beat->at), shown, sizeof shown);
    fprintf(stderr, "jobtrail-libmon: %s: nothing answers there: it is left out\n", shown);
    bool can_scan = beat->left_count < LIBRARY_LEFT_MAX && poll(&ended, 1, KILLED_MS) > 0;
    if (can_scan) {
        memcpy(beat->left[beat->left_count++], beat->at, sizeof beat->at);
        beat->at[0] = '\0';
        waitpid(pid, NULL, 0);
    }
    return can_scan;
}

int libmon_patient_scan(int (*scan)(const void *context, struct library_beat *beat),
                        const void *context, unsigned patience_s, int failed)
{
    int status = failed;
    struct library_beat *beat =
        mmap(NULL, sizeof *beat, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool is_again = beat != MAP_FAILED;
    if (is_again)
        beat->hash_ms = patience_s * 500; /* a file that is hashed answers */
    while (is_again) {
        pid_t pid = libmon_fork();
        if (pid == 0)
            exit(scan(context, beat));
        int child = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
        is_again = child >= 0 && !ends(child, beat, (int)patience_s * 1000);
        if (is_again)
            is_again = leave(child, pid, beat);
        else if (pid > 0 && waitpid(pid, &status, 0) == pid)
            status = WIFEXITED(status) ? WEXITSTATUS(status) : failed;
        if (child >= 0)
            close(child);
    }
    return status;
}
