/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/evidence/ledger_fields.h"

#include <stdbool.h>
#include <string.h>

#include "preload/ledger.h"

/* A build-id, after its length, and a path. */
static bool add_library(struct capture *capture, uint32_t number, const char *at, size_t size)
{
    size_t id_size = size == 0 ? 0 : (unsigned char)at[0];
    if (size < 1 + id_size || capture->routine_library_count == CAPTURE_ROUTINE_LIBRARIES_MAX)
        return false;
    capture->routine_libraries[capture->routine_library_count++] = (struct capture_library){
        .number = number,
        .build_id = {.at = id_size == 0 ? NULL : at + 1, .size = id_size},
        .path = {.at = at + 1 + id_size, .size = size - 1 - id_size},
    };
    return true;
}

/* The place of the library of that number among those that were read. */
static bool find_library(const struct capture *capture, uint32_t number, uint32_t *library)
{
    for (uint32_t i = 0; i < capture->routine_library_count; i++) {
        if (capture->routine_libraries[i].number == number) {
            *library = i;
            return true;
        }
    }
    return false;
}

static bool add_routine(struct capture *capture, const char *at, size_t size)
{
    struct ledger_routine routine;
    uint32_t library;
    if (size <= sizeof routine || size - sizeof routine > CAPTURE_ROUTINE_NAME_MAX ||
        capture->routine_count == CAPTURE_ROUTINES_MAX)
        return false;
    memcpy(&routine, at, sizeof routine);
    if (!find_library(capture, routine.library, &library))
        return false;
    capture->routines[capture->routine_count++] = (struct capture_routine){
        .library = library,
        .first_ns = routine.first_ns == LEDGER_TIME_UNKNOWN ? 0 : routine.first_ns,
        .calls = routine.calls,
        .is_at_least = (routine.flags & LEDGER_ROUTINE_AT_LEAST) != 0,
        .is_missed = (routine.flags & LEDGER_ROUTINE_MISSED) != 0,
        .name = {.at = at + sizeof routine, .size = size - sizeof routine},
    };
    capture->keep |= (routine.flags & LEDGER_ROUTINE_MISSED) == 0;
    return true;
}

static bool add_one(struct capture *capture, const struct ledger_field *field, uint32_t number,
                    const char *at)
{
    if (field->kind == LEDGER_NOTHING)
        return true;
    if (field->kind == LEDGER_LIBRARY)
        return add_library(capture, number, at, field->length);
    return field->kind == LEDGER_ROUTINE && add_routine(capture, at, field->length);
}

/* A run that has called a routine is not sampled out: the process keeps it, and so what was killed
 * is kept too. */
void ledger_routines(struct capture *capture, const char *at, size_t size)
{
    struct ledger_routines head;
    struct ledger_field field;
    uint64_t invalid = 0;
    if (size < sizeof head || capture->is_stub || capture->has_routines)
        return;
    memcpy(&head, at, sizeof head);
    const char *start = at + sizeof head;
    size = head.bytes < size - sizeof head ? head.bytes : size - sizeof head;
    for (size_t place = 0; size - place >= sizeof field;) {
        memcpy(&field, start + place, sizeof field);
        size_t content = place + sizeof field;
        size_t step = (field.length + (size_t)7) & ~(size_t)7;
        if (step > size - content) {
            invalid++;
            break;
        }
        invalid += !add_one(capture, &field, (uint32_t)place, start + content);
        place = content + step;
    }
    capture->has_routines = 1;
    capture->routines_counted = (head.flags & LEDGER_ROUTINES_COUNTED) != 0;
    capture->routines_watched = head.watched;
    capture->routines_missed =
        head.missed + invalid + ((head.flags & LEDGER_ROUTINES_LATE) != 0 ? 1 : 0);
}
