/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/coverage_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/uuid7.h"
#include "spank/journal.h"
#include "submit/record/json_add.h"

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static void make_uuid(const struct coverage_record_source *source, size_t first, char *text)
{
    char what[512];
    uint8_t uuid[16];
    const struct job_identity *identity = &source->journal->identity;
    int length = snprintf(what, sizeof what, "coverage %s %s %u.%u %zu",
                          record_cluster(source->conf, identity->cluster), identity->node,
                          identity->job, identity->restart, first);
    size_t size = length < (int)sizeof what ? (size_t)length : sizeof what - 1;
    uuid7_of(source->allocation->start_ns, what, size, uuid);
    uuid_unparse_lower(uuid, text);
}

void coverage_record_add_kernel(struct json_object *table, const struct kernel_account *account)
{
    static const struct kernel_account off = {.level = "off"};
    account = account == NULL ? &off : account;
    json_add_text(table, "witness", account->level);
    json_add_int(table, "witness_processes", (int64_t)account->processes);
    json_add_int(table, "witness_older", (int64_t)account->older);
    json_add_int(table, "witness_partial", (int64_t)account->partial);
    json_add_int(table, "witness_left", (int64_t)account->left);
    json_add_int(table, "witness_lost", (int64_t)account->lost);
    json_add_int(table, "witness_overruns", (int64_t)account->overruns);
    json_add_exact(table, "witness_unheard", json_seconds(account->unheard_ns));
}

static void add_agreement(struct json_object *table, const struct kernel_agreement *agreement)
{
    static const struct kernel_agreement none;
    agreement = agreement == NULL ? &none : agreement;
    json_add_int(table, "witness_agreed", (int64_t)agreement->agreed);
    json_add_int(table, "witness_explained", (int64_t)agreement->explained);
    json_add_text(table, "witness_causes", agreement->causes);
    json_add_int(table, "witness_unexplained", (int64_t)agreement->unexplained);
}

static struct json_object *job_table(const struct coverage_record_source *source, const char *uuid)
{
    const struct step_part part = {.conf = source->conf, .identity = &source->journal->identity};
    struct json_object *table = json_object_new_object();
    json_add_text(table, "uuid", uuid);
    step_part_add_job(table, &part);
    json_add_int(table, "dropped", (int64_t)source->dropped);
    const struct job_allocation *allocation = source->allocation;
    json_add_int(table, "cpus", allocation->cpus);
    json_add_exact(table, "start_time", json_seconds(allocation->start_ns));
    json_add_exact(table, "end_time", json_seconds(allocation->end_ns));
    json_add_text(table, "start_source", allocation->start_source);
    json_add_text(table, "end_source", allocation->end_source);
    json_add_exact(table, "suspended", json_seconds(allocation->suspended_ns));
    json_add_exact(table, "core_seconds", allocation->core_seconds);
    json_add_text(table, "timezone", days_zone());
    json_add_int(table, "others_runs", (int64_t)source->others_runs);
    json_add_exact(table, "others_seconds", seconds(source->others_ns));
    if (allocation->is_clock_known)
        json_add_exact(table, "clock_step", allocation->clock_step);
    else
        json_add(table, "clock_step", NULL);
    coverage_record_add_kernel(table, source->kernel);
    add_agreement(table, source->agreement);
    return table;
}

static struct json_object *fact_table(const struct coverage_record_source *source,
                                      const struct coverage_fact *fact)
{
    char step[16];
    struct json_object *table = json_object_new_object();
    journal_step_text(fact->step, step, sizeof step);
    if (fact->step == JOURNAL_NONE)
        json_add(table, "step_id", NULL);
    else
        json_add_text(table, "step_id", step);
    json_add_text(table, "outcome", coverage_outcome_name(fact->outcome));
    /* What Slurm was asked to run need not be the path of a file. */
    if (fact->program == NULL || fact->program[0] == '\0')
        json_add(table, "program", NULL);
    else
        json_add(table, "program", command_line_text(source->lines, text_bytes(fact->program)));
    json_add_int(table, "tasks", fact->tasks);
    json_add_int(table, "runs", fact->runs);
    json_add_int(table, "first_task", fact->first_task);
    json_add_optional(table, "leader", fact->leader, JOURNAL_NONE);
    json_add_text(table, "day", fact->date);
    json_add_exact(table, "core_seconds", fact->core_seconds);
    json_add_double(table, "start_time", seconds(fact->start_ns));
    json_add_double(table, "end_time", seconds(fact->end_ns));
    return table;
}

int coverage_record_build(const struct coverage_record_source *source, size_t first,
                          struct built_record *record)
{
    char uuid[RECORD_UUID_SIZE];
    const struct job_identity *identity = &source->journal->identity;
    make_uuid(source, first, uuid);
    struct json_object *object = record_start();
    struct json_object *array = json_object_new_array();
    json_add(object, "coverageT", job_table(source, uuid));
    size_t end = first + COVERAGE_RECORD_FACTS;
    for (size_t i = first; i < end && i < source->coverage->fact_count; i++)
        json_object_array_add(array, fact_table(source, &source->coverage->facts[i]));
    json_add(object, "coverageA", array);
    record_name(record, "coverage", record_syshost(source->conf, identity->cluster), identity->user,
                source->allocation->start_ns, uuid);
    int result = object == NULL || array == NULL ? -ENOMEM : record_finish(object, record);
    json_object_put(object);
    return result;
}
