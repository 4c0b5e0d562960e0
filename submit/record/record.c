/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/base/cleanup.h"
#include "conf/base/crc.h"
#include "conf/base/text.h"
#include "conf/base/uuid7.h"
#include "spank/journal.h"
#include "submit/record/json_add.h"

/* Where "0xFFFF" stands in {"crc":"0xFFFF", ...}: the CRC's six characters. */
enum { CRC_OFFSET = 8 };
#define NO_CRC "0xFFFF"

struct json_object *record_start(void)
{
    struct json_object *object = json_object_new_object();
    if (object != NULL)
        json_add_text(object, "crc", NO_CRC);
    return object;
}

char *record_text(struct json_object *object)
{
    const char *utf8 = json_text(object);
    return utf8 == NULL ? NULL : text_ascii_json(utf8);
}

static int seal_text(struct built_record *record)
{
    char crc[7];
    if (record->text == NULL)
        return -ENOMEM;
    snprintf(crc, sizeof crc, "0x%04X", crc16(record->text, record->length));
    memcpy(record->text + CRC_OFFSET, crc, sizeof crc - 1);
    return 0;
}

int record_finish(struct json_object *object, struct built_record *record)
{
    record->text = record_text(object);
    record->length = record->text == NULL ? 0 : strlen(record->text);
    return seal_text(record);
}

void record_begin(struct json_writer *writer)
{
    json_write_begin(writer);
    json_write_text(writer, "crc", NO_CRC);
}

int record_end(struct json_writer *writer, struct built_record *record)
{
    record->text = json_write_end(writer, &record->length);
    return seal_text(record);
}

struct record_view record_view_of(const struct built_record *record)
{
    return record_view(record->name, record->text, record->length);
}

void record_free(struct built_record *record)
{
    free(record->text);
    record->text = NULL;
}

void record_plain_name(const char *text, char *name, size_t size)
{
    size_t length = 0;
    for (; *text != '\0' && length < size - 1; text++)
        name[length++] =
            (unsigned char)*text <= ' ' || strchr("/.\"\\", *text) != NULL ? '_' : *text;
    name[length] = '\0';
}

void record_name(struct built_record *record, const char *kind, const char *syshost,
                 const char *user_name, uint64_t time_ns, const char *uuid)
{
    time_t start = (time_t)(time_ns / 1000000000u);
    struct tm local;
    char date[32] = "", host[64], user[RECORD_USER_SIZE];
    if (localtime_r(&start, &local) != NULL)
        strftime(date, sizeof date, "%Y_%m_%d_%H_%M_%S", &local);
    record_plain_name(syshost, host, sizeof host);
    record_plain_name(user_name[0] == '\0' ? "unknown" : user_name, user, sizeof user);
    snprintf(record->name, sizeof record->name, "%s.%s.%s_%04u.%s.%s.json", kind, host, date,
             (unsigned)(time_ns % 1000000000u / 100000u), user, uuid);
}

const char *record_syshost(const struct conf *conf, const char *slurm_cluster)
{
    const char *cluster = record_cluster(conf, slurm_cluster);
    if (conf->syshost[0] != '\0')
        return conf->syshost;
    return cluster[0] != '\0' ? cluster : "unknown";
}

const char *record_cluster(const struct conf *conf, const char *slurm_cluster)
{
    return conf->cluster[0] != '\0' ? conf->cluster : slurm_cluster;
}

void record_add_job(struct json_object *table, const struct job_identity *identity)
{
    json_add_optional(table, "job_id", identity->job, 0);
    json_add_optional(table, "array_job_id", identity->array_job, JOURNAL_NONE);
    json_add_optional(table, "array_task_id", identity->array_task, JOURNAL_NONE);
    json_add_optional(table, "het_job_id", identity->het_job, JOURNAL_NONE);
    json_add_optional(table, "het_offset",
                      identity->het_job == JOURNAL_NONE ? JOURNAL_NONE
                                                        : identity->job - identity->het_job,
                      JOURNAL_NONE);
    json_add_int(table, "restart_count", identity->restart);
    json_add_text(table, "node", identity->node);
}

/* ---- What records of a step have in common --------------------------------------------------- */

int step_part_uuid(const struct step_part *part, const char *kind, const char *what, char *text)
{
    const struct job_identity *identity = part->identity;
    CLEANUP_FREE char *words = NULL;
    size_t size = 0;
    uint8_t uuid[16];
    FILE *stream = open_memstream(&words, &size);
    if (stream == NULL)
        return -ENOMEM;
    fprintf(stream, "%s %s %s %u.%u %u %s", kind, record_cluster(part->conf, identity->cluster),
            identity->node, identity->job, identity->restart, part->step->step, what);
    if (fclose(stream) != 0)
        return -ENOMEM;
    int error = uuid7_of(part->step->start_ns, words, size, uuid);
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

void step_part_add_job(struct json_object *table, const struct step_part *part)
{
    const struct job_identity *identity = part->identity;
    add_name_or_null(table, "cluster", record_cluster(part->conf, identity->cluster));
    json_add_text(table, "syshost", record_syshost(part->conf, identity->cluster));
    record_add_job(table, identity);
    add_name_or_null(table, "user", identity->user);
    add_name_or_null(table, "account", identity->account);
    add_name_or_null(table, "partition", identity->partition);
}

void step_part_add_step(struct json_object *table, const struct step_part *part)
{
    char step[16];
    journal_step_text(part->step->step, step, sizeof step);
    json_add_text(table, "step_id", step);
    json_add_int(table, "step_tasks", part->step->tasks);
    json_add_int(table, "step_nodes", part->step->nodes);
    json_add_int(table, "node_tasks", part->step->local_tasks);
}

void step_part_add_seconds(struct json_object *table, const char *key, double ns, bool is_known)
{
    if (is_known)
        json_add_exact(table, key, ns / 1e9);
    else
        json_add(table, key, NULL);
}
