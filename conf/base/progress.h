/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Progress of something long on a terminal: one line on stderr, which is written over. Nothing is
 * printed where stderr is no terminal.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool is_shown;    /* set by the caller: stderr is a terminal */
    double begun_s;   /* monotonic: since when `count` and `part` grow */
    size_t total;     /* of what is counted; 0: not known */
    double part;      /* of all, from 0 to 1; negative: not known */
    const char *what; /* "": what is read is not named */
};

/* Begins to count. `what`, in plain ASCII, must live as long as it is shown. */
void progress_begin(struct progress *progress, const char *what, size_t total);

/* Shows that `count` are done, how fast that was, and how long the rest will take at that speed;
 * with a `note` behind it, or "". */
void progress_show(const struct progress *progress, size_t count, const char *note);

/* Clears the line, before anything else is printed. */
void progress_clear(const struct progress *progress);
