/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/flush_part.h"

#include <stddef.h>

#include "extensions.h"
#include "submit/flush/kernel_witness.h"
#include "submit/flush/watch_child.h"

#if JOBTRAIL_WITNESS
const struct kernel_witness *const kernel_witness = &kernel_witness_row;
#else
const struct kernel_witness *const kernel_witness = NULL;
#endif

const struct flush_part *const flush_parts[] = {
#if JOBTRAIL_WITNESS
    &flush_part_witness,
#endif
#if JOBTRAIL_PROFILE
    &flush_part_profile,
#endif
    NULL,
};

const struct watch_child *const watch_children[WATCH_CHILDREN_MOST + 1] = {
#if JOBTRAIL_LIBRARIES
    &watch_child_libraries,
#endif
#if JOBTRAIL_WITNESS
    &watch_child_witness,
#endif
    NULL,
};
