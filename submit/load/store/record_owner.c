/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/record_owner.h"

#include "submit/load/database/value_digest.h"

static const struct value unknown = {.kind = VALUE_NULL};

static struct value number_or_null(const struct record_int *whole)
{
    return whole->known ? value_int(whole->value) : unknown;
}

int record_owner_of_values(const struct value *user, const struct value *job,
                           const struct value *restart_count, const struct value *cluster,
                           int64_t *owner)
{
    const struct value values[] = {*user, *job, *restart_count, *cluster};
    const bool is_ours = restart_count->kind != VALUE_NULL;
    struct digest digest;
    uint64_t bits = 0;
    int error = digest_values(values, sizeof values / sizeof values[0], &digest);
    if (error != 0)
        return error;
    for (size_t i = 0; i < sizeof bits; i++)
        bits = bits << 8 | digest.bytes[i];
    *owner = (int64_t)((bits >> 2) << 1 | is_ours);
    return 0;
}

/* XALT's number of a job is a text at some sites. */
int record_owner_of_run(const struct run_record *run, int64_t *owner)
{
    const bool is_text = !run->restart_count.known && !run->job_id_raw.known;
    const struct value user = value_text(run->user), cluster = value_text(run->cluster),
                       restart = number_or_null(&run->restart_count),
                       job = is_text ? value_text(run->job_id) : number_or_null(&run->job_id_raw);
    return record_owner_of_values(&user, &job, &restart, &cluster, owner);
}

int record_owner_of_package(const struct package_record *package, int64_t *owner)
{
    const struct value user = value_text(package->user), cluster = value_text(package->cluster),
                       restart = number_or_null(&package->restart_count),
                       job = number_or_null(&package->job_id);
    if (package->restart_count.known)
        return record_owner_of_values(&user, &job, &restart, &cluster, owner);
    *owner = OWNER_OF_XALT;
    return 0;
}
