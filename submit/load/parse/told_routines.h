/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Routines of MPI with the most time, as a profile record tells of them in one text:
 * NAME=CALLS:SECONDS:OPEN, with a space between two (jobtrail-record(5)).
 */
#ifndef JOBTRAIL_TOLD_ROUTINES_H
#define JOBTRAIL_TOLD_ROUTINES_H

#include <stdbool.h>
#include <stdint.h>

/* All routines together have no more than these; `open` is of each. */
struct told_routines_most {
    int64_t calls, open;
    double seconds;
};

/* Whether the text has that form, with no more routines than a record tells of, and no more calls
 * and time. */
bool told_routines_are_sound(const char *text, const struct told_routines_most *most);

#endif
