/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all records share: a JSON object on one line, whose first key is the CRC of its text, and a
 * file name that is fixed for what the record tells.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "conf/conf.h"
#include "submit/definition/record_view.h"
#include "submit/job/job_journal.h"
#include "submit/record/json_write.h"

/* One that was built here. */
struct built_record {
    char name[RECORD_NAME_MAX]; /* file name */
    char *text;                 /* owned; ASCII, no newline */
    size_t length;
};

/* An object with the key for the CRC, to be finished by record_finish(). NULL: out of memory. */
struct json_object *record_start(void);

/* Puts the object's text into `*record`, its CRC filled in. Returns 0 or -ENOMEM; record_free()
 * releases. */
int record_finish(struct json_object *object, struct built_record *record);

/* The same of a record written key by key (json_write.h). record_end() leaves the writer empty. */
void record_begin(struct json_writer *writer);
int record_end(struct json_writer *writer, struct built_record *record);

/* A view of it, which it must outlive. */
struct record_view record_view_of(const struct built_record *record);

void record_free(struct built_record *record);

/* The object on one line, in ASCII, as all our records are; malloc'ed. NULL when out of memory. */
char *record_text(struct json_object *object);

/* A host's or user's name as it stands in a record's file name, `size` bytes at the most: without
 * dots, slashes and blanks. */
void record_plain_name(const char *text, char *name, size_t size);

/* "KIND.SYSHOST.DATE.USER.UUID.json", KIND before and UUID after any dots of their own; DATE is
 * `time_ns` in local time, to 1/10000 s. A user "" is "unknown". */
void record_name(struct built_record *record, const char *kind, const char *syshost,
                 const char *user_name, uint64_t time_ns, const char *uuid);

/* The host name of XALT's tables: that of [site] syshost, or the cluster's name. `slurm_cluster`:
 * Slurm's name of the cluster, or "". */
const char *record_syshost(const struct conf *conf, const char *slurm_cluster);

/* The cluster's name: that of [site] cluster, or Slurm's. */
const char *record_cluster(const struct conf *conf, const char *slurm_cluster);

/* Which job it was, where, and the uid of its user: what slurmT and coverageT have in common. */
void record_add_job(struct json_object *table, const struct job_identity *identity);

/* ---- What records of a step have in common --------------------------------------------------- */

/* What records of a job or a step on a node have in common: their uuid, job, user and step. */

struct step_part {
    const struct conf *conf;
    const struct job_identity *identity;
    const struct journal_step *step; /* NULL: of the job */
};

/* The same `kind`, step, node and `what` give the same text, of RECORD_UUID_SIZE bytes. Returns 0,
 * -ENOMEM, or -EIO where there is no hash (uuid7.h). */
int step_part_uuid(const struct step_part *part, const char *kind, const char *what, char *text);

/* cluster to partition; step_id to node_tasks. */
void step_part_add_job(struct json_object *table, const struct step_part *part);
void step_part_add_step(struct json_object *table, const struct step_part *part);

void step_part_add_seconds(struct json_object *table, const char *key, double ns, bool is_known);
