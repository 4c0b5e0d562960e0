/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/ranks_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "conf/base/cleanup.h"
#include "conf/base/uuid7.h"
#include "spank/journal.h"
#include "submit/record/json_add.h"

enum { PATH_BYTES = 4096, END_SIZE = 32 };

static int make_uuid(const struct ranks_source *source, char *text)
{
    const struct job_identity *identity = &source->journal->identity;
    const struct rank_row *row = source->row;
    CLEANUP_FREE char *what = NULL;
    size_t size = 0;
    uint8_t uuid[16];
    FILE *stream = open_memstream(&what, &size);
    if (stream == NULL)
        return -ENOMEM;
    fprintf(stream, "ranks %s %s %u.%u %u %s", record_cluster(source->conf, identity->cluster),
            identity->node, identity->job, identity->restart, row->step->step, row->program);
    if (fclose(stream) != 0)
        return -ENOMEM;
    int error = uuid7_of(row->step->start_ns, what, size, uuid);
    if (error == 0)
        uuid_unparse_lower(uuid, text);
    return error;
}

static void add_name_or_null(struct json_object *table, const char *key, const char *text)
{
    if (text[0] == '\0')
        json_add(table, key, NULL);
    else
        json_add_text(table, key, text);
}

static void add_seconds(struct json_object *table, const char *key, double ns, bool is_known)
{
    if (is_known)
        json_add_exact(table, key, ns / 1e9);
    else
        json_add(table, key, NULL);
}

static void add_job(struct json_object *table, const struct ranks_source *source)
{
    const struct job_identity *identity = &source->journal->identity;
    add_name_or_null(table, "cluster", record_cluster(source->conf, identity->cluster));
    json_add_text(table, "syshost", record_syshost(source->conf, identity->cluster));
    record_add_job(table, identity);
    add_name_or_null(table, "user", identity->user);
    add_name_or_null(table, "account", identity->account);
    add_name_or_null(table, "partition", identity->partition);
}

static void add_step(struct json_object *table, const struct rank_row *row)
{
    char step[16];
    size_t size = strnlen(row->program, PATH_BYTES);
    record_step_text(row->step->step, step, sizeof step);
    json_add_text(table, "step_id", step);
    json_add_int(table, "step_tasks", row->step->tasks);
    json_add_int(table, "step_nodes", row->step->nodes);
    json_add_int(table, "node_tasks", row->step->local_tasks);
    json_add_bytes(table, "program", (struct capture_bytes){.at = row->program, .size = size});
    json_add_int(table, "ranks", row->ranks);
    json_add_int(table, "unseen", row->unseen);
    add_seconds(table, "start_time", (double)row->start_ns, row->start_ns != 0);
    add_seconds(table, "end_time", (double)row->end_ns, true);
}

static void add_times(struct json_object *table, const struct rank_row *row)
{
    bool is_timed = row->timed > 0;
    json_add_int(table, "timed", row->timed);
    add_seconds(table, "elapsed_min", (double)row->elapsed_ns.least, is_timed);
    add_seconds(table, "elapsed_mean", row->elapsed_ns.sum / row->timed, is_timed);
    add_seconds(table, "elapsed_max", (double)row->elapsed_ns.most, is_timed);
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
    add_seconds(table, "cpu_min", (double)row->run_ns.least, is_measured);
    add_seconds(table, "cpu_mean", row->run_ns.sum / row->measured, is_measured);
    add_seconds(table, "cpu_max", (double)row->run_ns.most, is_measured);
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
    add_seconds(table, "failed_time", (double)row->failed_ns, row->failed_ns != 0);
    print_end(row->failed_status, end);
    add_name_or_null(table, "failed_end", row->failed_ns == 0 ? "" : end);
}

int ranks_record_build(const struct ranks_source *source, struct built_record *record)
{
    char uuid[RECORD_UUID_SIZE];
    const struct job_identity *identity = &source->journal->identity;
    int error = make_uuid(source, uuid);
    if (error != 0)
        return error;
    struct json_object *object = record_start();
    if (object == NULL)
        return -ENOMEM;
    struct json_object *table = json_object_new_object();
    json_add_text(table, "uuid", uuid);
    add_job(table, source);
    add_step(table, source->row);
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
