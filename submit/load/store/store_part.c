/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "extensions.h"
#include "submit/load/store/store_state.h"

const struct run_part *const run_parts[RUN_PARTS_MOST + 1] = {
#if JOBTRAIL_ROUTINES
    &run_part_routines,
#endif
    NULL,
};

const struct kind_part *const kind_parts[KIND_PARTS_MOST + 1] = {
#if JOBTRAIL_LIBRARIES
    &kind_part_libraries,
#endif
#if JOBTRAIL_WITNESS
    &kind_part_witness,
#endif
#if JOBTRAIL_PROFILE
    &kind_part_profile,
#endif
    NULL,
};
