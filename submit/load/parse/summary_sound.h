/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether numbers in records about whole steps (ranks, profiles) can be. Anybody can write such a
 * record; whoever asks for the job adds its numbers up.
 */
#ifndef JOBTRAIL_SUMMARY_SOUND_H
#define JOBTRAIL_SUMMARY_SOUND_H

#include <stdbool.h>

#include "submit/load/parse/load_record.h"

/* Counts add up; least, mean and most are known together; ways to end have their form. */
bool ranks_are_sound(const struct ranks_record *ranks);

/* Times are known where calls were counted, and no others are. No call is shorter than a
 * nanosecond. Routines have their form, and no more calls and time than all. */
bool profile_is_sound(const struct profile_record *profile);

#endif
