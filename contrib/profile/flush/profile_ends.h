/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When and how the runs of a job's profiles ended: as their records have it
 * (submit/facts/ending.h), or where a process has no capture of its own, as forked children and
 * ranks whose run another one records, as the kernel or Slurm reported of its process. Where nobody
 * saw the end, it was over when the step or the job was.
 */
#pragma once

#include <stddef.h>

#include "contrib/profile/profile_collect.h"
#include "submit/flush/reading.h"

struct profile_ends {
    const struct reading_request *request;
    struct captured_end *captured; /* owned: of captures, by uuid and pid */
    size_t count, room;
};

/* Reads the request's ledger; without a usable one there are no captures. Looks at files of
 * programs: to be called as the job's user. The request stays the caller's, and `ends->captured` is
 * to be freed in every case. Returns 0 or -errno. */
int profile_ends_read(const struct reading_request *request, struct profile_ends *ends);

struct collect_end profile_ends_find(const struct profile_ends *ends,
                                     const struct profiled_process *process);
