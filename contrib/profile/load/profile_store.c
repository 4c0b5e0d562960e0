/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of profiles in the store.
 */
#include "submit/load/store/store_state.h"

static int prepare(struct store_connection *on, void **state)
{
    return store_prepare_summaries(on, "profile", &profile_fields, state);
}

static int put(void *state, const struct record *record, enum store_result *result)
{
    return store_put_summary(state, record, &record->profile, result);
}

const struct kind_part kind_part_profile = {RECORD_PROFILE, prepare, put, store_free_summaries};
