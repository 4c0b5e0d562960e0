/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/held.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "conf/base/io.h"
#include "ldwrap/descriptor_numbers.h"

enum { STEP_BYTES = 64 << 10 };

int held_open(struct held *held, int to, size_t limit)
{
    int ends[2];
    *held = (struct held){.from = -1, .writes = -1, .to = to, .limit = limit};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    held->from = descriptor_move_up(ends[0]);
    held->writes = descriptor_move_up(ends[1]);
    if (held->from < 0 || held->writes < 0 || fcntl(held->from, F_SETFL, O_NONBLOCK) != 0) {
        held_close(held);
        return -EMFILE;
    }
    return 0;
}

static int make_room(struct held *held)
{
    if (held->room - held->size >= STEP_BYTES)
        return 1;
    size_t room = held->room == 0 ? STEP_BYTES : 2 * held->room;
    char *bytes = realloc(held->bytes, room);
    if (bytes == NULL)
        return 0;
    held->bytes = bytes;
    held->room = room;
    return 1;
}

static void take(struct held *held, size_t size)
{
    held->size += size;
    if (held->released || held->size > held->limit)
        held_release(held);
}

/* Without memory: passes it on by a buffer of its own. */
static char spare[4096];

void held_read(struct held *held)
{
    while (held->from >= 0) {
        int has_room = make_room(held);
        if (!has_room)
            held_release(held);
        char *at = has_room ? held->bytes + held->size : spare;
        ssize_t got = read(held->from, at, has_room ? held->room - held->size : sizeof spare);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            close(held->from);
            held->from = -1;
        } else if (has_room) {
            take(held, (size_t)got);
        } else if (held->to >= 0) {
            io_write_all(held->to, at, (size_t)got);
        }
    }
}

void held_release(struct held *held)
{
    if (held->to >= 0 && held->size > 0)
        io_write_all(held->to, held->bytes, held->size);
    held->released = 1;
    held->size = 0;
}

void held_close(struct held *held)
{
    if (held->from >= 0)
        close(held->from);
    if (held->writes >= 0)
        close(held->writes);
    free(held->bytes);
    *held = (struct held){.from = -1, .writes = -1, .to = -1};
}
