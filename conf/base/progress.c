/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/progress.h"

#include <stdio.h>
#include <time.h>

#include "conf/base/clocks.h"

void progress_begin(struct progress *progress, const char *what, size_t total)
{
    progress->begun_s = clock_seconds(CLOCK_MONOTONIC);
    progress->what = what;
    progress->total = total;
    progress->part = -1;
}

static void print_left(double seconds)
{
    if (seconds < 100)
        fprintf(stderr, ", %.0f s left", seconds);
    else if (seconds < 6000)
        fprintf(stderr, ", %.0f min left", seconds / 60);
    else
        fprintf(stderr, ", %.1f h left", seconds / 3600);
}

void progress_show(const struct progress *progress, size_t count, const char *note)
{
    if (!progress->is_shown)
        return;
    const double seconds = clock_seconds(CLOCK_MONOTONIC) - progress->begun_s;
    const double part = progress->total > 0 && progress->part < 0
                            ? (double)count / (double)progress->total
                            : progress->part;
    fprintf(stderr, "\r\033[K%s%zu", progress->what, count);
    if (progress->total > 0)
        fprintf(stderr, " of %zu", progress->total);
    fputs(" read", stderr);
    if (part >= 0)
        fprintf(stderr, ", %.0f %%", 100 * (part < 1 ? part : 1));
    if (seconds > 0)
        fprintf(stderr, ", %.0f/s", (double)count / seconds);
    if (part > 0)
        print_left(part < 1 ? seconds * (1 - part) / part : 0);
    fputs(note, stderr);
}

void progress_clear(const struct progress *progress)
{
    if (progress->is_shown)
        fputs("\r\033[K", stderr);
}
