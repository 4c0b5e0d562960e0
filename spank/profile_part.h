/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the plugin does so that a step leaves a profile: a row that the extension `profile` defines
 * in its own folder. Where it is not built, the option says so, and no policy asks for more.
 */
#pragma once

#include <limits.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct journal_line;

/* `switches`: of the policy; `library`: the one that LD_PRELOAD gets for captures. */
struct profile_part {
    /* What Slurm calls for --jobtrail-profile (spank.h); `is_kept`: whether root keeps profiles. */
    int (*option_given)(int is_kept, const char *argument, int remote);

    /* In slurmstepd. Whether the step is to leave a profile. Adds to its line of the journal what
     * the user said of it. */
    bool (*begin)(spank_t spank, uint32_t switches, const char *library, struct journal_line *line);

    /* Makes the file for it, of `bytes`, as spool_make_ledger() does. Returns 0 or -errno. */
    int (*make)(int part, uid_t uid, gid_t gid, uint64_t bytes);

    /* Its own library, which lies beside that one. Returns false where that has another name. */
    bool (*name_library)(const char *library, char path[PATH_MAX]);

    /* In a task. `add` puts a library into its LD_PRELOAD: returns 0 or -errno. */
    void (*inject)(spank_t spank, uint32_t switches, const char *library,
                   int (*add)(spank_t spank, const char *library));
};

extern const struct profile_part profile_part_row; /* contrib/profile/spank */

extern const struct profile_part *const profile_part;
