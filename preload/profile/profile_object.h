/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PROFILE_OBJECT_H
#define JOBTRAIL_PROFILE_OBJECT_H

#include <stdint.h>

/* The number, from 1, of the object that has the function, which is noted in the chunk of the
 * process; 0: it is not known, there is no room, or another thread notes one just now. */
uint32_t profile_object_find(uint64_t function);

#endif
