/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/load_part.h"

#include "extensions.h"

/* clang-format off */
const struct load_extension load_extensions[LOAD_EXTENSIONS] = {
    {"libraries", RECORD_LIBRARY, RECORD_TOP_libraryT,
     JOBTRAIL_LIBRARIES ? &load_part_libraries : NULL},
    {"the kernel witness", RECORD_RANKS, RECORD_TOP_ranksT,
     JOBTRAIL_WITNESS ? &load_part_witness : NULL},
    {"profiles", RECORD_PROFILE, RECORD_TOP_profileT,
     JOBTRAIL_PROFILE ? &load_part_profile : NULL},
    {"routines", RECORD_RUN, RECORD_TOP_routineT,
     JOBTRAIL_ROUTINES ? &load_part_routines : NULL},
};
/* clang-format on */
