/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/ranks/ranks_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "spank/journal.h"
#include "submit/record/json_add.h"
#include "submit/record/step_part.h"

enum { PATH_BYTES = 4096, END_SIZE = 32 };

static void add_ranks(struct json_object *table, const struct rank_row *row)
{
    size_t size = strnlen(row->program, PATH_BYTES);
    json_add_bytes(table, "program", (struct capture_bytes){.at = row->program, .size = size});
    json_add_int(table, "ranks", row->ranks);
    json_add_int(table, "unseen", row->unseen);
    step_part_add_seconds(table, "start_time", (double)row->start_ns, row->start_ns != 0);
    step_part_add_seconds(table, "end_time", (double)row->end_ns, true);
}

static void add_times(struct json_object *table, const struct rank_row *row)
{
    bool is_timed = row->timed > 0;
    json_add_int(table, "timed", row->timed);
    step_part_add_seconds(table, "elapsed_min", (double)row->elapsed_ns.least, is_timed);
    step_part_add_seconds(table, "elapsed_mean", row->elapsed_ns.sum / row->timed, is_timed);
    step_part_add_seconds(table, "elapsed_max", (double)row->elapsed_ns.most, is_timed);
}

static void add_memory(struct json_object *table, const char *key, double kib, bool is_known)
{
    if (is_known)
        json_add_int(table, key, (int64_t)(kib * 1024));
    else
        json_add(table, key, NULL);
}

static void add_faults(struct json_object *table, const struct rank_row *row)
{
    const struct rank_spread *faults = &row->major_faults;
    if (row->measured > 0) {
        json_add_int(table, "faults_min", (int64_t)faults->least);
        json_add_exact(table, "faults_mean", faults->sum / row->measured);
        json_add_int(table, "faults_max", (int64_t)faults->most);
    } else {
        json_add(table, "faults_min", NULL);
        json_add(table, "faults_mean", NULL);
        json_add(table, "faults_max", NULL);
    }
    json_add_optional(table, "faults_task", row->faulting, JOURNAL_NONE);
}

static void add_use(struct json_object *table, const struct rank_row *row)
{
    bool is_measured = row->measured > 0;
    json_add_int(table, "measured", row->measured);
    step_part_add_seconds(table, "cpu_min", (double)row->run_ns.least, is_measured);
    step_part_add_seconds(table, "cpu_mean", row->run_ns.sum / row->measured, is_measured);
    step_part_add_seconds(table, "cpu_max", (double)row->run_ns.most, is_measured);
    add_memory(table, "memory_min", (double)row->peak_kib.least, is_measured);
    if (is_measured)
        json_add_exact(table, "memory_mean", row->peak_kib.sum * 1024 / row->measured);
    else
        json_add(table, "memory_mean", NULL);
    add_memory(table, "memory_max", (double)row->peak_kib.most, is_measured);
    json_add_optional(table, "largest_task", row->largest, JOURNAL_NONE);
    add_faults(table, row);
}

static void print_end(int status, char text[END_SIZE])
{
    bool was_killed = WIFSIGNALED(status);
    snprintf(text, END_SIZE, "%d:%d", was_killed ? 0 : WEXITSTATUS(status),
             was_killed ? WTERMSIG(status) : 0);
}

static void add_ends(struct json_object *table, const struct rank_row *row)
{
    char ends[RANK_ENDS_MAX * (END_SIZE + 12)] = "", end[END_SIZE];
    size_t length = 0;
    for (size_t i = 0; i < row->end_count; i++) {
        print_end(row->ends[i].status, end);
        length += (size_t)snprintf(ends + length, sizeof ends - length, "%s%s=%u",
                                   i == 0 ? "" : " ", end, row->ends[i].ranks);
    }
    json_add_int(table, "ended_zero", row->zero);
    json_add_int(table, "ended_code", row->coded);
    json_add_int(table, "ended_signal", row->signaled);
    json_add_int(table, "ended_unknown", row->unknown);
    json_add_text(table, "ends", ends);
    json_add_optional(table, "failed_task", row->failed_task, JOURNAL_NONE);
    step_part_add_seconds(table, "failed_time", (double)row->failed_ns, row->failed_ns != 0);
    print_end(row->failed_status, end);
    if (row->failed_ns == 0)
        json_add(table, "failed_end", NULL);
    else
        json_add_text(table, "failed_end", end);
}

int ranks_record_build(const struct ranks_source *source, struct built_record *record)
{
    char uuid[RECORD_UUID_SIZE];
    const struct job_identity *identity = &source->journal->identity;
    const struct step_part part = {source->conf, identity, source->row->step};
    int error = step_part_uuid(&part, "ranks", source->row->program, uuid);
    if (error != 0)
        return error;
    struct json_object *object = record_start();
    if (object == NULL)
        return -ENOMEM;
    struct json_object *table = json_object_new_object();
    json_add_text(table, "uuid", uuid);
    step_part_add_job(table, &part);
    step_part_add_step(table, &part);
    add_ranks(table, source->row);
    add_times(table, source->row);
    add_use(table, source->row);
    add_ends(table, source->row);
    json_add(object, "ranksT", table);
    record_name(record, "ranks", record_syshost(source->conf, identity->cluster), identity->user,
                source->row->step->start_ns, uuid);
    error = table == NULL ? -ENOMEM : record_finish(object, record);
    json_object_put(object);
    return error;
}
