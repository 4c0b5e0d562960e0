/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/job/witness_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"

enum { LINE_SIZE = 512, LOOK_MS = 1 };

int witness_state_write(int lock, const struct witness_state *state)
{
    char line[LINE_SIZE];
    int length = snprintf(
        line, sizeof line,
        "level=%2" PRIu32 " events=%10" PRId32 " ends=%10" PRId32 " since=%20" PRIu64
        " until=%20" PRIu64 " jobs=%20" PRIu64 " noted=%20" PRIu64 " left=%20" PRIu64
        " lost=%20" PRIu64 " overruns=%20" PRIu64 " unmatched=%20" PRIu64 "\n",
        state->level, state->events, state->ends, state->since_ns, state->until_ns, state->jobs,
        state->noted, state->left, state->lost, state->overruns, state->unmatched);
    ssize_t written = pwrite(lock, line, (size_t)length, 0);
    return written < 0 ? -errno : written == length ? 0 : -ENOSPC;
}

int witness_state_read(int spool, struct witness_state *state, bool *is_running)
{
    char line[LINE_SIZE] = "", end = '\0';
    struct witness_state found;
    CLEANUP_CLOSE int fd =
        openat(spool, WITNESS_STATE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    ssize_t size = pread(fd, line, sizeof line - 1, 0);
    if (size <= 0)
        return size < 0 ? -errno : -ENOENT;
    if (sscanf(line,
               "level=%" SCNu32 " events=%" SCNd32 " ends=%" SCNd32 " since=%" SCNu64
               " until=%" SCNu64 " jobs=%" SCNu64 " noted=%" SCNu64 " left=%" SCNu64
               " lost=%" SCNu64 " overruns=%" SCNu64 " unmatched=%" SCNu64 "%c",
               &found.level, &found.events, &found.ends, &found.since_ns, &found.until_ns,
               &found.jobs, &found.noted, &found.left, &found.lost, &found.overruns,
               &found.unmatched, &end) != 12 ||
        end != '\n')
        return -EINVAL;
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    *state = found;
    *is_running = fcntl(fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    return 0;
}

int witness_state_refusal(int spool)
{
    struct witness_state state;
    bool is_running;
    int error = witness_state_read(spool, &state, &is_running);
    return error != 0 ? error : state.events != 0 ? state.events : state.ends;
}

uint64_t witness_state_heard_until(int spool)
{
    struct witness_state state;
    bool is_running;
    if (witness_state_read(spool, &state, &is_running) != 0 || state.until_ns == 0)
        return 0;
    uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME);
    return state.until_ns > boot_ns ? 0 : state.until_ns + (clock_ns(CLOCK_REALTIME) - boot_ns);
}

int witness_state_wait(int spool, unsigned patience_ms)
{
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    struct witness_state state;
    bool is_running = false;
    const uint64_t begin_ns = clock_ns(CLOCK_BOOTTIME);
    int error = witness_state_read(spool, &state, &is_running);
    if (error != 0 || !is_running)
        return error != 0 ? error : -ENOENT;
    CLEANUP_CLOSE int wake =
        openat(spool, WITNESS_WAKE, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (wake < 0 || (write(wake, "", 1) < 0 && errno != EAGAIN))
        return -errno;
    while (error == 0 && is_running && state.until_ns < begin_ns) {
        if (clock_ns(CLOCK_BOOTTIME) - begin_ns > patience_ms * UINT64_C(1000000))
            return -ETIMEDOUT;
        nanosleep(&pause, NULL);
        error = witness_state_read(spool, &state, &is_running);
    }
    return error != 0 ? error : is_running ? 0 : -ENOENT;
}
