/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/trace.h"

#include "preload/memory.h"
#include "preload/system.h"

static void trace_add(struct trace *trace, const char *text, size_t length)
{
    size_t room = sizeof trace->text - 1 - trace->used; /* one is left for the newline */
    if (length > room)
        length = room;
    memcpy(trace->text + trace->used, text, length);
    trace->used += length;
}

void trace_start(struct trace *trace, const struct switches *switches, const char *path,
                 size_t length)
{
    trace->on =
        switches->trace == TRACE_ALL || (switches->trace == TRACE_RANK_0 && switches->rank == 0);
    trace->used = 0;
    if (!trace->on)
        return;
    trace_text(trace, "jobtrail: ");
    trace_add(trace, path, length);
    trace_text(trace, ": ");
}

void trace_text(struct trace *trace, const char *text)
{
    if (trace->on)
        trace_add(trace, text, text_length(text));
}

void trace_number(struct trace *trace, uint64_t number)
{
    char digits[24];
    text_decimal(digits, number);
    trace_text(trace, digits);
}

void trace_write(struct trace *trace)
{
    const int standard_error = 2;
    if (!trace->on)
        return;
    trace->text[trace->used++] = '\n';
    system_call6(SYS_write, standard_error, (long)trace->text, (long)trace->used, 0, 0, 0);
    trace->used = 0;
}
