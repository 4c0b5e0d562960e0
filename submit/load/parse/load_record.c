/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/load_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/base/json_end.h"
#include "conf/base/text.h"
#include "conf/base/uuid7.h"
#include "submit/load/parse/json_parse.h"
#include "submit/load/parse/load_part.h"
#include "submit/load/parse/record_crc.h"
#include "submit/load/parse/record_plain.h"
#include "submit/load/parse/record_reader.h"
#include "submit/load/parse/record_values.h"

/* ---- Kinds of records ----------------------------------------------------------------------- */

static int read_link(struct record_reader *reader)
{
    struct link_record *link = &reader->record->link;
    struct json_object *root = reader->record->root;
    int error = record_read_values(root, &link_fields, link, reader->reason);
    if (error == 0 && !uuid_is_text(link->uuid))
        error = load_refuse(reader->reason, "resultT.uuid is not a uuid");
    if (error == 0)
        error = record_read_array(reader, RECORD_TOP_link_line, &link->link_line);
    if (error == 0)
        error =
            record_read_part(reader, &link->libs, PART_LIBS, RECORD_TOP_linkA, link->build_syshost);
    if (error == 0)
        error =
            record_read_part(reader, &link->functions, PART_FUNCTIONS, RECORD_TOP_function, NULL);
    return error;
}

static int read_package(struct record_reader *reader)
{
    struct package_record *package = &reader->record->package;
    int error = record_read_values(reader->record->root, &package_fields, package, reader->reason);
    if (error == 0)
        error = record_check_uuid((char *)(uintptr_t)package->run_uuid, "xalt_run_uuid",
                                  reader->reason);
    return error;
}

/* No reader, whichever keys he looks for first, takes it for another kind or finds other values. */
static int check_kind(const struct record_reader *reader, enum record_kind kind)
{
    if ((reader->keys.kinds & (reader->keys.kinds - 1)) != 0)
        return load_refuse(reader->reason, "has keys of records of several kinds");
    if (reader->keys.twice)
        return load_refuse(reader->reason, "has a key twice");
    if (reader->named != RECORD_KINDS && reader->named != kind)
        return load_refuse(reader->reason, "is named %s and is %s", record_kind_name(reader->named),
                           record_kind_name(kind));
    return 0;
}

static int read_as(struct record_reader *reader, enum record_kind kind,
                   int (*take)(struct record_reader *reader), const char *lacking)
{
    int error = check_kind(reader, kind);
    if (error == 0 && take == NULL)
        error = load_refuse(reader->reason, "is a %s record: this jobtrail is built without %s",
                            record_kind_name(kind), lacking);
    if (error != 0)
        return error;
    reader->record->kind = kind;
    return take(reader);
}

/* The kinds of the core, with the key that no other kind has; behind them those of extensions. */
static int read_kind(struct record_reader *reader)
{
    static const struct {
        enum record_top key;
        int (*read)(struct record_reader *reader);
    } kinds[] = {
        [RECORD_RUN] = {RECORD_TOP_userT, load_run},
        [RECORD_LINK] = {RECORD_TOP_resultT, read_link},
        [RECORD_PACKAGE] = {RECORD_TOP_xalt_run_uuid, read_package},
        [RECORD_COVERAGE] = {RECORD_TOP_coverageT, load_coverage},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (reader->top[kinds[i].key].size > 0)
            return read_as(reader, (enum record_kind)i, kinds[i].read, NULL);
    for (size_t i = 0; i < LOAD_EXTENSIONS; i++) {
        const struct load_extension *of = &load_extensions[i];
        if (of->kind != RECORD_RUN && reader->top[of->key].size > 0)
            return read_as(reader, of->kind, of->part == NULL ? NULL : of->part->read, of->words);
    }
    return load_refuse(reader->reason,
                       "is no run, link, package, coverage, library, ranks or profile record");
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

static int read_text(const char *text, size_t size, struct record_reader *reader)
{
    int error = record_read_members(text, size, reader);
    /* a run with nothing but plain values, which are read then */
    if (error == 0 && reader->is_plain && reader->top[RECORD_TOP_userT].size > 0 &&
        check_kind(reader, RECORD_RUN) == 0 &&
        record_plain_read(reader->top, &reader->record->run)) {
        reader->record->kind = RECORD_RUN;
        return load_run_rest(reader);
    }
    if (error == 0)
        error = record_parse_values(reader);
    if (error == -EBADMSG) { /* why is it no JSON object? */
        struct json_object *parsed = NULL;
        size_t bytes = 0;
        error = json_parse(text, size, &parsed, &bytes, reader->reason);
        json_object_put(parsed);
        return error != 0 ? error : load_refuse(reader->reason, "is not one JSON object");
    }
    return error == 0 ? read_kind(reader) : error;
}

/* Bytes that are not UTF-8, which other writers may leave in, are mapped as in our own records.
 * What the parser would not read is put so that it does. No path or argument holds a NUL, and no C
 * string could: U+FFFD stands for it. */
static char *mapped(const char *bytes, size_t *size)
{
    char *text = text_from_bytes(bytes, *size, size);
    if (text == NULL)
        return NULL;
    for (char *at = strchr(text, '\\'); at != NULL; at = strchr(at, '\\')) {
        if (strncmp(at, "\\u0000", 6) == 0)
            memcpy(at, "\\ufffd", 6);
        at += at[1] == '\0' ? 1 : 2; /* the second of two backslashes starts no escape */
    }
    *size = json_pairs_join(text, *size);
    return text;
}

static bool is_plain(const char *text, size_t size)
{
    return text_is_ascii(text, size) && strstr(text, "\\u0000") == NULL &&
           !json_pairs_are_misread(text, size);
}

int load_record(char *text, size_t size, enum record_kind named, struct id_cache *seen,
                struct record *out, struct load_reason *reason)
{
    struct record record = {0};
    struct record_reader reader = {
        .record = &record, .named = named, .seen = seen, .is_plain = true, .reason = reason};
    int error = record_crc_check(text, size, reason);
    if (error == 0 && memchr(text, '\0', size) != NULL)
        error = load_refuse(reason, "holds a NUL byte");
    if (error == 0) {
        record.text = is_plain(text, size) ? text : mapped(text, &size);
        record.size = size;
        error = record.text == NULL ? -ENOMEM : read_text(record.text, size, &reader);
    }
    if (error == 0) {
        if (record.text != text)
            free(text);
        *out = record;
        return 0;
    }
    load_record_text(&record);
    if (record.text == text)
        record.text = NULL;
    load_record_free(&record);
    return error;
}

void record_date(struct record_real when, char *date)
{
    time_t seconds = (time_t)when.value;
    struct tm local;
    date[0] = '\0';
    if (when.known && localtime_r(&seconds, &local) != NULL && local.tm_year >= 1000 - 1900 &&
        local.tm_year <= 9999 - 1900)
        strftime(date, RECORD_DATE_SIZE, "%Y-%m-%d %H:%M:%S", &local);
}

static size_t run_bytes(const struct run_record *run)
{
    size_t bytes =
        run->libs.bytes + run->environment.bytes + run->ancestors.bytes + run->build.bytes;
    if (run->days.list != NULL)
        bytes += run->days.count * sizeof *run->days.list;
    for (size_t i = 0; i < LOAD_EXTENSIONS; i++) {
        const struct load_part *part = load_extensions[i].part;
        bytes += part == NULL || part->run_bytes == NULL ? 0 : part->run_bytes(run);
    }
    return bytes;
}

size_t load_record_bytes(const struct record *record)
{
    size_t bytes = record->size + record->root_bytes;
    if (record->kind == RECORD_RUN)
        bytes += run_bytes(&record->run);
    else if (record->kind == RECORD_LINK)
        bytes += record->link.libs.bytes + record->link.functions.bytes;
    return bytes;
}

const char *load_record_text(struct record *record)
{
    for (size_t i = 0; record->text != NULL && i < record->size; i++)
        if (record->text[i] == '\0')
            record->text[i] = '"';
    return record->text;
}

static void free_run(struct run_record *run)
{
    json_object_put(run->libs.value);
    json_object_put(run->environment.value);
    json_object_put(run->ancestors.value);
    json_object_put(run->build.value);
    run_days_free(&run->days);
    for (size_t i = 0; i < LOAD_EXTENSIONS; i++) {
        const struct load_part *part = load_extensions[i].part;
        if (part != NULL && part->free_run != NULL)
            part->free_run(run);
    }
}

void load_record_free(struct record *record)
{
    if (record->kind == RECORD_RUN) {
        free_run(&record->run);
    } else if (record->kind == RECORD_LINK) {
        json_object_put(record->link.libs.value);
        json_object_put(record->link.functions.value);
    }
    json_object_put(record->root);
    free(record->libs_text);
    free(record->ancestors_text);
    free(record->pids_text);
    free(record->list_text);
    free(record->text);
}

void load_build(const struct record_part *part, struct build_record *build)
{
    struct load_reason ignored;
    *build = (struct build_record){0};
    for (size_t i = 0; i < build_fields.count; i++)
        record_read_value(part->value, &build_fields.field[i], build, &ignored);
}
