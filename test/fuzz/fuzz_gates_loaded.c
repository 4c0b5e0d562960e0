/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test/fuzz/fuzz_gates_loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/crc.h"
#include "submit/load/parse/load_record.h"
#include "submit/load/read/load_dir.h"

enum { CRC_OFFSET = 8, CRC_LENGTH = 6 };

static void set_crc(char *text, size_t size)
{
    char crc[CRC_LENGTH + 1];
    if (size < CRC_OFFSET + CRC_LENGTH || memcmp(text, "{\"crc\":\"", CRC_OFFSET) != 0)
        return;
    memcpy(text + CRC_OFFSET, "0xFFFF", CRC_LENGTH);
    snprintf(crc, sizeof crc, "0x%04X", (unsigned)crc16(text, size));
    memcpy(text + CRC_OFFSET, crc, CRC_LENGTH);
}

static void copy(char to[64], const char *from)
{
    snprintf(to, 64, "%s", from == NULL ? "" : from);
}

static const char *text_of(struct json_object *table, const char *key)
{
    struct json_object *value = json_object_object_get(table, key);
    return value == NULL ? NULL : json_object_get_string(value);
}

static void note_run(const struct run_record *run, struct loaded *loaded)
{
    copy(loaded->uuid, run->uuid);
    copy(loaded->user, run->user);
    copy(loaded->node, run->node);
    copy(loaded->cluster, run->cluster);
    loaded->job = run->job_id_raw.known ? run->job_id_raw.value : 0;
}

static void note_coverage(const struct coverage_record *coverage, struct loaded *loaded)
{
    copy(loaded->uuid, coverage->uuid);
    copy(loaded->user, text_of(coverage->job, "user"));
    copy(loaded->node, text_of(coverage->job, "node"));
    copy(loaded->cluster, text_of(coverage->job, "cluster"));
    loaded->job = json_object_get_int64(json_object_object_get(coverage->job, "job_id"));
}

static void note_package(const struct package_record *package, struct loaded *loaded)
{
    copy(loaded->uuid, package->run_uuid);
    copy(loaded->user, package->user);
    copy(loaded->cluster, package->cluster);
    loaded->job = package->job_id.known ? package->job_id.value : 0;
}

static void note(const struct record *record, struct loaded *loaded)
{
    memset(loaded, 0, sizeof *loaded);
    loaded->kind = record->kind;
    if (record->kind == RECORD_RUN)
        note_run(&record->run, loaded);
    else if (record->kind == RECORD_COVERAGE)
        note_coverage(&record->coverage, loaded);
    else if (record->kind == RECORD_PACKAGE)
        note_package(&record->package, loaded);
    else if (record->kind == RECORD_LIBRARY)
        copy(loaded->uuid, record->library.uuid);
    else {
        copy(loaded->uuid, record->link.uuid);
        copy(loaded->user, record->link.build_user);
    }
}

static int read_as(enum record_kind named, const char *text, size_t size, struct loaded *loaded)
{
    struct record record;
    struct load_reason reason;
    char *copied = malloc(size + 1);
    if (copied == NULL)
        abort();
    memcpy(copied, text, size);
    copied[size] = '\0';
    set_crc(copied, size);
    if (load_record(copied, size, named, NULL, &record, &reason) != 0) {
        free(copied);
        return 0;
    }
    note(&record, loaded);
    load_record_free(&record);
    return 1;
}

int loaded_read(const char *name, const char *text, size_t size, struct loaded *loaded)
{
    struct loaded other;
    enum record_kind named = place_kind(name);
    int is_read = read_as(named, text, size, loaded);
    if (named == RECORD_KINDS || is_read != read_as(RECORD_KINDS, text, size, &other) ||
        (is_read && memcmp(loaded, &other, sizeof other) != 0))
        abort();
    return is_read;
}
