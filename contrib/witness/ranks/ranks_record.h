/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of a program in a step on a node, summarised, as a record:
 * ranks.SYSHOST.DATE.USER.UUID.json. Its keys are in contrib/witness/ranks_keys.def.
 *
 * Root alone writes such records: no gate takes one from a user.
 */
#ifndef JOBTRAIL_RANKS_RECORD_H
#define JOBTRAIL_RANKS_RECORD_H

#include "conf/conf.h"
#include "contrib/witness/ranks/rank_summary.h"
#include "submit/job/journal_read.h"
#include "submit/record/record.h"

struct ranks_source {
    const struct conf *conf;
    const struct journal *journal;
    const struct rank_row *row;
};

/* Builds the record. The same step, node and program give the same uuid: it may be built again
 * after a flush that was killed. Returns 0, -ENOMEM, or -EIO where there is no hash (uuid7.h).
 * record_free() releases `*record`. */
int ranks_record_build(const struct ranks_source *source, struct built_record *record);

#endif
