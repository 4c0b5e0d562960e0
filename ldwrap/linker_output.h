/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the linker writes to a pipe, kept until it is known whether it is to be shown.
 */
#ifndef JOBTRAIL_LDWRAP_LINKER_OUTPUT_H
#define JOBTRAIL_LDWRAP_LINKER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct linker_output {
    int read_fd;      /* of the pipe, does not block; -1: not in use, or at its end */
    int write_fd;     /* of the pipe, until the linker has it; -1: none */
    int target_fd;    /* where it is shown; -1: nowhere */
    size_t limit;     /* bytes that are kept; with more, all is written to target_fd at once */
    bool is_released; /* nothing is kept any more */
    char *bytes;
    size_t size, room;
};

/* Opens a pipe, with descriptors of 200 and above (descriptor_numbers.h). Returns 0 or -errno. */
int output_open(struct linker_output *output, int target_fd, size_t limit);

/* Reads what is in the pipe. */
void output_read(struct linker_output *output);

/* Writes what was kept to target_fd; later output is written there at once. */
void output_release(struct linker_output *output);

void output_close(struct linker_output *output);

#endif
