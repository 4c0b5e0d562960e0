/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of ranks in the store.
 */
#include "submit/load/store/store_state.h"

static int prepare(struct store_connection *on, void **state)
{
    return store_prepare_summaries(on, "ranks", &ranks_fields, state);
}

static int put(void *state, const struct record *record, enum store_result *result)
{
    return store_put_summary(state, record, &record->ranks, result);
}

const struct kind_part kind_part_witness = {RECORD_RANKS, prepare, put, store_free_summaries};
