/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run record: from its JSON text, as jobtrail or XALT writes it, to checked values. Anything may
 * be missing except the run's uuid; a number may be written as a string. The keys are those of
 * XALT's "run" records; slurmT is jobtrail's own.
 */
#ifndef JOBTRAIL_LOAD_RECORD_H
#define JOBTRAIL_LOAD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "load_reason.h"

#define RECORD_TEXT_MAX_BYTES 65535

struct record_int {
    bool known;
    int64_t value;
};

struct record_real {
    bool known;
    double value;
};

/* Texts are owned by `root`, NUL-terminated UTF-8, and NULL when the record does not say. Times are
 * seconds since the Epoch, durations seconds. */
struct run_record {
    /* Who ran what, where */
    const char *uuid;
    const char *user, *account, *queue, *scheduler, *syshost, *submit_host, *container;
    const char *exec_path, *hash_id, *exec_type, *cwd;
    struct record_real exec_epoch, record_epoch;
    struct record_real start_time, end_time, run_time, probability;
    struct record_int num_tasks, num_nodes, num_cores, num_threads, num_gpus;

    /* Slurm's facts; job_id is XALT's text, job_id_raw Slurm's number */
    const char *job_id;
    struct record_int job_id_raw;
    const char *step_id;
    struct record_int array_job_id, array_task_id, het_job_id, het_offset, restart_count;
    const char *cluster, *partition, *qos, *node;
    struct record_int node_id, task_id, cpus_alloc, gpus_alloc, dropped;

    /* How it ended */
    struct record_int exit_code, signal, core_dumped;
    const char *end_source;
    struct record_real end_time_error;
    bool is_start_only;

    /* The executable's watermark */
    const char *build_uuid, *build_user, *build_host, *build_syshost, *build_os, *build_cwd;
    const char *build_compiler, *build_compiler_path, *build_modules, *build_lmfiles, *build_xalt;
    struct record_real build_epoch;

    /* Canonical JSON, owned; NULL when the record has none */
    struct json_object *cmdline;     /* array of strings */
    struct json_object *libs;        /* array of [path, hash], in order, each once */
    struct json_object *environment; /* object */
    struct json_object *ancestors;   /* array of objects, the parent first */

    struct json_object *root; /* owned: the record as parsed */
};

enum record_kind { RECORD_TEXT, RECORD_INT, RECORD_REAL };

/* Where a value stands in the JSON, in the struct and, under the same name, in the store. */
struct record_field {
    const char *column;
    enum record_kind kind;
    size_t offset;     /* in struct run_record */
    const char *table; /* of the record; "" for a key at its top */
    const char *key;
};

extern const struct record_field record_fields[];
extern const size_t record_field_count;

/* Reads the record in the `size` bytes at `text`. Returns 0 and fills
 * `*record`, which load_record_free() releases; -EBADMSG and `*reason` when it is damaged; -ENOMEM.
 */
int load_record(const char *text, size_t size, struct run_record *record,
                struct load_reason *reason);

void load_record_free(struct run_record *record);

#endif
