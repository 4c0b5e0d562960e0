/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What extensions add to the flush of a job, in the order of its work. A part defines its row in
 * its own folder.
 */
#pragma once

#include <stdint.h>

struct coverage;
struct coverage_told;
struct flush_state;
struct journal;
struct ledger_send;
struct reading_request;

/* A function is NULL where the part has nothing to do. */
struct flush_part {
    const char *name;

    /* In root's process, before a reader is started for the first time: gives root's own records of
     * the job to `take` of the request. Returns 0, -errno, or what `take` returned. */
    int (*give)(const struct reading_request *request);

    /* In the reader, behind all other records: gives more, in units of its own, and adds to `*runs`
     * those of runs. Returns 0, -errno, or what `give` of `send` returned. */
    int (*send)(const struct ledger_send *send, const struct coverage *coverage,
                const struct coverage_told *told, uint64_t *runs);

    /* In root's process, when all records of the job are on the disk, before its directory goes.
     * Trouble is reported on stderr. Returns NULL, or why the directory is to be kept in the
     * quarantine (static). */
    const char *(*end)(const struct flush_state *state, const struct journal *journal,
                       int directory);
};

/* Those that are built; the last one is NULL. */
extern const struct flush_part *const flush_parts[];

extern const struct flush_part flush_part_witness;
extern const struct flush_part flush_part_profile; /* contrib/profile/flush */
