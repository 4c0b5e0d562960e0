/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * load_record(): the loader reads what nodes, and XALT, have sent. What it reads from the text as
 * it stands has to be what the parser makes of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/parse/load_reason.h"
#include "submit/load/parse/load_record.h"
#include "test/fuzz/fuzz.h"

/* A member that is not plain, so that all of the record goes through the parser. */
static const char not_plain[] = "{\"parsed\":{},";

static const char crc[] = "{\"crc\":\"0x0000\",";

/* Returns whether there is a record. `first` stands for the first `skipped` bytes. */
static bool load(const char *first, const unsigned char *data, size_t size, size_t skipped,
                 struct record *record)
{
    struct load_reason reason;
    size_t before = strlen(first), after = size - skipped;
    char *text = malloc(before + after + 1);
    require(text != NULL);
    memcpy(text, first, before);
    memcpy(text + before, data + skipped, after);
    text[before + after] = '\0';
    if (load_record(text, before + after, RECORD_KINDS, NULL, record, &reason) == 0)
        return true; /* the text is the record's */
    free(text);
    return false;
}

static bool same_text(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static bool same_field(const struct record_field *field, const void *one, const void *other)
{
    const struct record_int *whole = one, *other_whole = other;
    const struct record_real *real = one, *other_real = other;
    switch (field->kind) {
    case FIELD_TEXT:
        return same_text(*(const char *const *)one, *(const char *const *)other);
    case FIELD_INT:
        return whole->known == other_whole->known && whole->value == other_whole->value;
    default:
        return real->known == other_real->known && real->value == other_real->value;
    }
}

static void compare_fields(const struct record_fields *fields, const void *one, const void *other)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct record_field *field = &fields->field[i];
        require(same_field(field, (const char *)one + field->offset,
                           (const char *)other + field->offset));
    }
}

static void compare(const struct run_record *one, const struct run_record *other)
{
    compare_fields(&all_run_fields, one, other);
    require(one->is_start_only == other->is_start_only && strcmp(one->date, other->date) == 0);
    require(same_text(one->cmdline, other->cmdline));
    require(same_text(one->ancestor_pids, other->ancestor_pids));
}

/* Without its crc, which would not be that of the text with one more member. */
static void compare_readings(const unsigned char *data, size_t size)
{
    struct record plain, other;
    bool has_crc = size >= sizeof crc && memcmp(data, crc, 8) == 0;
    size_t skipped = has_crc ? sizeof crc - 1 : 1;
    if (size == 0 || data[0] != '{')
        return;
    bool is_plain = load("{", data, size, skipped, &plain);
    bool is_other = load(not_plain, data, size, skipped, &other);
    require(is_plain == is_other && (!is_plain || plain.kind == other.kind));
    if (is_plain && plain.kind == RECORD_RUN)
        compare(&plain.run, &other.run);
    if (is_plain && plain.kind == RECORD_LIBRARY)
        compare_fields(&library_fields, &plain.library, &other.library);
    if (is_plain && plain.kind == RECORD_RANKS)
        compare_fields(&ranks_fields, &plain.ranks, &other.ranks);
    if (is_plain && plain.kind == RECORD_PROFILE)
        compare_fields(&profile_fields, &plain.profile, &other.profile);
    if (is_plain)
        load_record_free(&plain);
    if (is_other)
        load_record_free(&other);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct record record;
    if (load("", data, size, 0, &record)) {
        if (record.kind == RECORD_RUN)
            require(record.run.uuid != NULL && strlen(record.run.uuid) == 36);
        load_record_free(&record); /* the text, too */
    }
    compare_readings(data, size);
    return 0;
}
