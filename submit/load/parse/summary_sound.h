/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether numbers in records about ranks can be. Anybody can write such a
 * record; whoever asks for the job adds its numbers up.
 */
#ifndef JOBTRAIL_SUMMARY_SOUND_H
#define JOBTRAIL_SUMMARY_SOUND_H

#include <stdbool.h>

#include "submit/load/parse/load_record.h"

/* Counts add up; least, mean and most are known together; ways to end have their form. */
bool ranks_are_sound(const struct ranks_record *ranks);

#endif
