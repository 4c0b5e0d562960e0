/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/base/crc.h"
#include "conf/base/text.h"
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
    json_add_int(table, "uid", identity->uid);
}
