/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/flush_part.h"

#include <stddef.h>

#include "extensions.h"
#include "submit/flush/kernel_witness.h"

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
