/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/linker_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "ldwrap/descriptor_numbers.h"

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

void output_read(struct linker_output *output)
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
