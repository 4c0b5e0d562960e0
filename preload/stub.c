/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs that use a slot one after the other often have the same parent, and a loop runs the same few
 * programs. So what a stub says of both is looked for in the stubs before it, and not repeated.
 * Others may change these at any time: what is read of them is copied and checked, and decides
 * about no more than what this stub refers to.
 */
#include "preload/stub.h"

#include <stdbool.h>

#include "conf/policy/policy_read.h"
#include "preload/fields.h"
#include "preload/memory.h"

/* ---- Sampling -------------------------------------------------------------------------------- */

/* "SECONDS" or "SECONDS.FRACTION" in nanoseconds. */
static uint64_t parse_seconds(const char *text)
{
    uint64_t ns = (uint64_t)text_number(text) * 1000000000u;
    while (*text >= '0' && *text <= '9')
        text++;
    if (*text++ != '.')
        return ns;
    for (uint64_t digit = 100000000; *text >= '0' && *text <= '9'; digit /= 10)
        ns += (uint64_t)(*text++ - '0') * digit;
    return ns;
}

static bool is_enabled(const struct policy_header *header, const struct switches *switches)
{
    if (switches->sampling == SWITCH_UNSET)
        return (header->switches & POLICY_SAMPLE) != 0;
    return switches->sampling == SWITCH_YES;
}

int sampling_is_always_kept(const void *policy, const struct switches *switches)
{
    const struct policy_header *header = policy;
    uint32_t always =
        switches->always_ranks != NULL ? text_number(switches->always_ranks) : header->always_ranks;
    return switches->size > 1 && switches->size >= always;
}

void sampling_choose(const void *policy, const struct switches *switches, struct sampling *sampling)
{
    const struct policy_header *header = policy;
    enum policy_section table = switches->size > 1 ? POLICY_MPI : POLICY_SCALAR;
    sampling->count = 0;
    sampling->table = 0;
    if (!is_enabled(header, switches) || sampling_is_always_kept(policy, switches))
        return;
    struct policy_span span = header->section[table];
    size_t count = span.size / sizeof(struct policy_interval);
    if (count > SAMPLING_INTERVALS_MAX)
        return;
    memcpy(sampling->interval, (const char *)policy + span.offset,
           count * sizeof(struct policy_interval));
    sampling->count = (uint32_t)count;
    sampling->table = switches->size > 1 ? header->mpi_table : header->scalar_table;
    sampling->testing = switches->testing_runtime != NULL;
    if (sampling->testing)
        sampling->testing_ns = parse_seconds(switches->testing_runtime);
}

const struct policy_interval *sampling_find(const struct sampling *sampling, uint64_t run_ns)
{
    const struct policy_interval *found = NULL;
    if (sampling->testing)
        run_ns = sampling->testing_ns;
    for (uint32_t i = 0; i < sampling->count && sampling->interval[i].from_ns <= run_ns; i++)
        found = &sampling->interval[i];
    return found;
}

enum {
    OLDER_MAX = 8,       /* stubs that are looked at */
    REST_UNITS_MAX = 255 /* ledger_stub.rest_units */
};

/* The fields of the new stub, in private memory. */
struct content {
    const unsigned char *exec, *rest;
    uint32_t exec_bytes, rest_bytes;
    uint32_t exec_at, rest_at; /* places of the same in an older stub; 0: there is none */
};

/* The next field of the capture at `*at`, `*left` bytes; NULL: there is none. */
static const unsigned char *next_field(const unsigned char **at, size_t *left,
                                       struct ledger_field *field)
{
    const unsigned char *start = *at;
    if (*left < sizeof *field)
        return NULL;
    memcpy(field, start, sizeof *field);
    size_t size = sizeof *field + ((field->length + (size_t)7) & ~(size_t)7);
    if (size > *left)
        size = *left;
    *at += size;
    *left -= size;
    return start + sizeof *field;
}

/* Puts the fields of the stub together after those of the capture, whose objects come last. Returns
 * whether there is room. */
static bool make_content(const struct stub_source *source, struct content *content)
{
    enum { PARENTS_MAX = 16 };
    int32_t parents[PARENTS_MAX];
    size_t count = 0, left = source->captured_bytes;
    size_t begin = (source->captured_bytes + 7) & ~(size_t)7;
    const unsigned char *at = source->captured, *text;
    struct ledger_field field = {.kind = 0};
    struct fields made = {.start = source->captured + begin, .room = source->room - begin};
    text = next_field(&at, &left, &field);
    if (text == NULL || field.kind != LEDGER_EXEC || field.length == 0)
        return false;
    fields_put(&made, LEDGER_EXEC, text, field.length);
    *content = (struct content){.exec = made.start, .exec_bytes = (uint32_t)made.used};
    while ((text = next_field(&at, &left, &field)) != NULL && field.kind != LEDGER_OBJECT) {
        if (field.kind == LEDGER_TASK || field.kind == LEDGER_NAMESPACE)
            fields_put(&made, (enum ledger_field_kind)field.kind, text, field.length);
        else if (field.kind == LEDGER_ANCESTOR && field.length >= sizeof *parents &&
                 count < PARENTS_MAX)
            memcpy(&parents[count++], text, sizeof *parents);
    }
    fields_put(&made, LEDGER_PARENTS, parents, count * sizeof *parents);
    content->rest = content->exec + content->exec_bytes;
    content->rest_bytes = (uint32_t)made.used - content->exec_bytes;
    return made.slot_flags == 0 && (made.field.flags & LEDGER_FIELD_CUT) == 0 &&
           content->rest_bytes <= REST_UNITS_MAX * LEDGER_STUB_UNIT &&
           content->exec_bytes <= UINT16_MAX;
}

/* Whether the `size` bytes at `place` of the slot, counted in units from its end, are these. */
static bool is_same(const struct slot_claim *claim, uint32_t place, const unsigned char *bytes,
                    uint32_t size)
{
    uint32_t from_end = place * LEDGER_STUB_UNIT;
    const unsigned char *end = (const unsigned char *)claim->slot + claim->size;
    return from_end <= claim->stub_bytes && size <= from_end &&
           memcmp(end - from_end, bytes, size) == 0;
}

static void find_same(const struct slot_claim *claim, struct content *content)
{
    uint32_t left = claim->stub_bytes;
    const unsigned char *end = (const unsigned char *)claim->slot + claim->size;
    struct ledger_stub older;
    for (int i = 0; i < OLDER_MAX && left >= sizeof older; i++) {
        memcpy(&older, end - left, sizeof older);
        uint32_t size = (uint32_t)sizeof older + older.field_units * LEDGER_STUB_UNIT;
        if (content->exec_at == 0 &&
            is_same(claim, older.exec_at, content->exec, content->exec_bytes))
            content->exec_at = older.exec_at;
        if (content->rest_at == 0 && older.rest_units == content->rest_bytes / LEDGER_STUB_UNIT &&
            is_same(claim, older.rest_at, content->rest, content->rest_bytes))
            content->rest_at = older.rest_at;
        left = size <= left ? left - size : 0;
    }
}

uint32_t stub_write(const struct slot_claim *claim, const struct stub_source *source)
{
    struct content content;
    struct ledger_stub stub = source->head;
    if (!make_content(source, &content))
        return 0;
    find_same(claim, &content);
    uint32_t exec_bytes = content.exec_at == 0 ? content.exec_bytes : 0;
    uint32_t rest_bytes = content.rest_at == 0 ? content.rest_bytes : 0;
    uint32_t size = (uint32_t)sizeof stub + exec_bytes + rest_bytes;
    size_t taken = sizeof(struct ledger_slot) + source->captured_bytes + claim->stub_bytes;
    if (taken > claim->size || size > claim->size - taken || !slot_may_have_stubs(claim))
        return 0;
    uint32_t stubs = claim->stub_bytes + size;
    unsigned char *at = (unsigned char *)claim->slot + claim->size - stubs;
    stub.field_units = (uint16_t)((exec_bytes + rest_bytes) / LEDGER_STUB_UNIT);
    stub.rest_units = (uint8_t)(content.rest_bytes / LEDGER_STUB_UNIT);
    stub.exec_at = (uint16_t)(content.exec_at != 0 ? content.exec_at
                                                   : (stubs - sizeof stub) / LEDGER_STUB_UNIT);
    stub.rest_at =
        (uint16_t)(content.rest_at != 0 ? content.rest_at
                                        : (stubs - sizeof stub - exec_bytes) / LEDGER_STUB_UNIT);
    memcpy(at, &stub, sizeof stub);
    memcpy(at + sizeof stub, content.exec, exec_bytes);
    memcpy(at + sizeof stub + exec_bytes, content.rest, rest_bytes);
    return stubs;
}
