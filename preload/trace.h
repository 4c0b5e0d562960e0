/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines on stderr about the tracking of this process, where XALT_TRACING asks for them. Each line
 * is one write(2).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "preload/switches.h"

/* A line that is being put together; what does not fit is cut. */
struct trace {
    int on;
    size_t used;
    char text[1024];
};

/* Starts the line "jobtrail: PATH: "; `path` is `length` bytes. */
void trace_start(struct trace *trace, const struct switches *switches, const char *path,
                 size_t length);

void trace_text(struct trace *trace, const char *text);
void trace_number(struct trace *trace, uint64_t number);

/* Writes the line. */
void trace_write(struct trace *trace);
