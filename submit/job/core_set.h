/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A set of a node's cores, as Slurm lists them: "0-3,8".
 */
#ifndef JOBTRAIL_CORE_SET_H
#define JOBTRAIL_CORE_SET_H

#include <stddef.h>
#include <stdint.h>

/* Cores are numbered from 0 to CORE_SET_MAX - 1. */
enum { CORE_SET_MAX = 4096 };

struct core_set {
    uint64_t *words; /* owned; bit N % 64 of words[N / 64] is core N. NULL: not known */
    size_t word_count;
    uint32_t count; /* of cores in it; 0: not known */
};

/* The set of a list: numbers and ranges with commas between, each core once or more often. Any
 * other text, also "" and NULL, is not known: `*set` is then empty. Returns 0 or -ENOMEM.
 * core_set_free() releases. */
int core_set_parse(const char *text, struct core_set *set);

void core_set_free(struct core_set *set);

#endif
