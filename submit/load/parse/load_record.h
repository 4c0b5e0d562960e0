/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records: from their JSON text, as jobtrail or XALT writes it, to checked values. What kind one is
 * follows from its keys (record_keys.h), which have to be of that kind alone, each once, and from
 * its name where it has one: both say the same. Anything may be missing except a run's and a link's
 * uuid and a package's run; a number may be written as a string. The keys are XALT's; slurmT is
 * jobtrail's own.
 */
#ifndef JOBTRAIL_LOAD_RECORD_H
#define JOBTRAIL_LOAD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "conf/base/id_cache.h"
#include "submit/definition/record_keys.h"
#include "submit/load/parse/json_members.h"
#include "submit/load/parse/load_reason.h"

/* Bytes of UTF-8. A name is what people group by: users, accounts, hosts. */
#define RECORD_NAME_MAX_BYTES 255
#define RECORD_TEXT_MAX_BYTES 65535

#define RECORD_DATE_SIZE sizeof "YYYY-MM-DD HH:MM:SS"

struct record_int {
    bool known;
    int64_t value;
};

struct record_real {
    bool known;
    double value;
};

/* A part of a record that many records share. */
struct record_part {
    struct digest digest;      /* of its text as it stands in the record, and of what it is */
    struct json_slice text;    /* of the record's text; of size 0 when it has no such part */
    struct json_object *value; /* owned, canonical; NULL when the digest is known already */
    size_t bytes;              /* that the value takes, about */
};

/* Texts are owned by `struct record`, NUL-terminated UTF-8, and NULL when the record does not say.
 * Times are seconds since the Epoch, durations seconds. */
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

    char date[RECORD_DATE_SIZE]; /* start_time in local time; "" when not known */
    const char *cmdline;         /* JSON array */
    const char *ancestor_pids;   /* JSON array, the parent's first */

    struct record_part libs;        /* array of [path, hash], in order, each once */
    struct record_part environment; /* object of strings */
    struct record_part ancestors;   /* array of objects, the parent first, without their pids */
    struct record_part build;       /* object: the executable's watermark */
};

/* What an executable's watermark says. */
struct build_record {
    const char *build_uuid, *build_user, *build_host, *build_syshost, *build_os, *build_cwd;
    const char *build_compiler, *build_compiler_path, *build_modules, *build_lmfiles, *build_xalt;
    struct record_real build_epoch;
};

struct link_record {
    const char *uuid;
    const char *exec_path, *hash_id, *link_program, *link_path, *cwd;
    const char *build_user, *build_host, *build_syshost;
    struct record_real build_epoch;
    char date[RECORD_DATE_SIZE];  /* build_epoch in local time */
    const char *link_line;        /* JSON array */
    struct record_part libs;      /* as a run's */
    struct record_part functions; /* array of names, in order, each once */
};

struct package_record {
    const char *run_uuid, *program, *name, *version, *path;
    /* Whose job it is from; not known of XALT's */
    const char *user, *cluster;
    struct record_int job_id, restart_count;
};

/* What became of the tasks of a job on a node; the keys are in jobtrail-record(5). */
struct coverage_record {
    const char *uuid;
    struct json_object *job;   /* coverageT: texts, numbers and nulls */
    struct json_object *facts; /* coverageA: an array of objects of such */
};

struct record {
    enum record_kind kind;
    bool unproven; /* others than root may have written it (record_proof.h) */
    union {
        struct run_record run;
        struct link_record link;
        struct package_record package;
        struct coverage_record coverage;
    };
    struct json_object *root; /* owned: what the values are part of, if they are not in the text */
    size_t root_bytes;        /* that it takes, about */
    char *text;               /* owned: what the parts are slices of */
    size_t size;              /* of the text */
    char *list_text;          /* owned: `run.cmdline` or `link.link_line`, or NULL */
    char *pids_text;          /* owned: `run.ancestor_pids`, or NULL */
    char *ancestors_text;     /* owned: `run.ancestors` without its pids, or NULL */
};

enum field_kind { FIELD_TEXT, FIELD_INT, FIELD_REAL };

/* Where a value stands in the JSON, in the struct and, under the same name, in the store. */
struct record_field {
    const char *column;
    enum field_kind kind;
    size_t offset; /* in struct run_record, link_record ... */
    size_t max_bytes;
    const char *table; /* of the record; "" for a key at its top */
    const char *key;
};

struct record_fields {
    const struct record_field *field;
    size_t count;
};

/* Of a run, by the table of the store that they go to. */
extern const struct record_fields run_fields, executable_fields, program_fields, job_part_fields,
    layout_fields, ending_fields;
extern const struct record_fields build_fields, link_fields, package_fields;

/* Reads the record in the `size` bytes at `text`, which is malloc'ed and has a NUL behind it.
 * `named` is the kind that its name says, RECORD_KINDS where it has none. A part whose digest is in
 * `seen` (which may be NULL) has been read before and is not parsed again; others are added.
 * Returns 0 and fills `*record`, which load_record_free() releases and which owns the text from now
 * on; or the text stays the caller's: -EBADMSG and `*reason` when it is damaged; -ENOMEM. */
int load_record(char *text, size_t size, enum record_kind named, struct id_cache *seen,
                struct record *record, struct load_reason *reason);

/* The memory that the record takes, about: its text, and what was parsed of it. */
size_t load_record_bytes(const struct record *record);

/* `when`, in seconds since the Epoch, as local time YYYY-MM-DD HH:MM:SS in `date`, which has
 * RECORD_DATE_SIZE bytes; "" when it is in no year that databases know. */
void record_date(double when, char *date);

/* The record's text as it was read, which the record's values are not to be used after. */
const char *load_record_text(struct record *record);

void load_record_free(struct record *record);

/* The watermark's values; the texts are owned by `part`. `*build` is all unknown where they are
 * nonsense: a watermark is whatever the executable's owner put there. */
void load_build(const struct record_part *part, struct build_record *build);

#endif
