/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_frames.h"

#if TIMED_STUBS > 0

#include <stdbool.h>
#include <stddef.h>

#include "preload/loaded.h"
#include "preload/memory.h"
#include "preload/profile/profile_run.h"

uint64_t timed_sites[TIMED_SITES];
struct timed_caller timed_callers[TIMED_STUBS];

/* .eh_frame_hdr, as linkers write it: offsets from its own beginning. */
struct frame_table {
    uint8_t version, frame_encoding, count_encoding, table_encoding;
    int32_t frames;
    uint32_t count;
    struct {
        int32_t code, frame;
    } row[];
};

/* Where a frame ends: so far from what the register has. */
struct frame_rule {
    uint64_t base;
    int64_t offset;
};

enum { RBP = 6, RSP = 7, KEPT = 8 }; /* registers by their numbers in DWARF */

struct frame_program {
    const uint8_t *at, *end;
    uint64_t code_unit, place; /* bytes from the function's beginning */
    int64_t data_unit;
    struct frame_rule rule, kept[KEPT];
    uint32_t kept_count;
};

static uint64_t take_fixed(const uint8_t **at, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, *at, bytes);
    *at += bytes;
    return value;
}

/* LEB128 */
static uint64_t take_number(const uint8_t **at, bool is_signed)
{
    uint64_t value = 0;
    uint32_t bits = 0;
    uint8_t byte = 128;
    for (; (byte & 128u) != 0; bits += 7) {
        byte = *(*at)++;
        value |= bits < 64 ? (uint64_t)(byte & 127u) << bits : 0;
    }
    return is_signed && bits < 64 && (byte & 64u) != 0 ? value | UINT64_MAX << bits : value;
}

static int64_t take_offset(struct frame_program *program, bool is_factored)
{
    int64_t offset = (int64_t)take_number(&program->at, is_factored);
    return is_factored ? offset * program->data_unit : offset;
}

/* Of the instructions that have no operand in their byte. Returns whether it is known. */
static bool step(struct frame_program *program, uint8_t code)
{
    /* how many numbers follow what says nothing of the frame's end; behind some a block does */
    static const uint8_t numbers[] = {[5] = 2, 1,        1, 1, 2,        [16] = 1,
                                      2,       [20] = 2, 2, 1, [46] = 1, 2};
    struct frame_rule *rule = &program->rule;
    if (code >= 2 && code <= 4) /* DW_CFA_advance_loc1, 2, 4 */
        program->place += take_fixed(&program->at, (size_t)1 << (code - 2)) * program->code_unit;
    else if (code == 10 && program->kept_count < KEPT) /* remember_state */
        program->kept[program->kept_count++] = *rule;
    else if (code == 11 && program->kept_count > 0) /* restore_state */
        *rule = program->kept[--program->kept_count];
    else if (code == 12 || code == 13 || code == 18) /* def_cfa, def_cfa_register */
        rule->base = take_number(&program->at, false);
    else if (code != 14 && code != 15 && code != 19 && code != 0 &&
             (code >= sizeof numbers || numbers[code] == 0))
        return false;
    if (code == 12 || code == 14 || code == 18 || code == 19) /* def_cfa_offset */
        rule->offset = take_offset(program, code >= 18);
    for (uint8_t i = 0; code < sizeof numbers && i < numbers[code]; i++)
        take_number(&program->at, false);
    if (code == 15 || code == 16 || code == 22) /* expressions; def_cfa_expression */
        program->at += take_number(&program->at, false);
    if (code == 15)
        rule->base = UINT64_MAX;
    return true;
}

/* Runs the instructions up to those behind `place`. */
static bool run(struct frame_program *program, uint64_t place)
{
    while (program->at < program->end && program->place <= place) {
        uint8_t code = *program->at++;
        if (code >> 6 == 1) /* advance_loc */
            program->place += (code & 63u) * program->code_unit;
        else if (code >> 6 == 2) /* offset */
            take_number(&program->at, false);
        else if (code >> 6 == 0 && !step(program, code))
            return false;
    }
    return true;
}

static const uint8_t *behind_data(const uint8_t *at, bool has_data)
{
    uint64_t bytes = has_data ? take_number(&at, false) : 0;
    return at + bytes;
}

/* The rule at the address, of the entry for a function. */
static bool find_rule(const uint8_t *entry, uintptr_t function, uintptr_t address,
                      struct frame_rule *rule)
{
    const uint8_t *begin = entry + 4, *end = begin + take_fixed(&entry, 4);
    const uint8_t *at = begin - take_fixed(&entry, 4); /* what several functions have in common */
    struct frame_program program = {.end = at + 4};
    program.end += take_fixed(&at, 4);
    at += 4; /* its id */
    uint8_t version = *at++;
    bool has_data = *at == 'z';
    at += text_length((const char *)at) + 1;
    program.code_unit = take_number(&at, false);
    program.data_unit = (int64_t)take_number(&at, true);
    take_number(&at, false); /* the return address: in version 1 a byte, below 128 too */
    program.at = behind_data(at, has_data);
    /* addresses as compilers write them: of 4 bytes, from where they stand */
    uintptr_t place = (uintptr_t)entry;
    if (version > 3 || place + (uintptr_t)(int32_t)take_fixed(&entry, 4) != function ||
        address - function >= take_fixed(&entry, 4) || !run(&program, 0))
        return false;
    program.at = behind_data(entry, has_data);
    program.end = end;
    bool is_known = run(&program, address - function);
    *rule = program.rule;
    return is_known;
}

static const struct frame_table *find_table(const struct timed_caller *caller, uintptr_t address)
{
    const struct image *image = profile_run_image();
    struct loaded object = {.start = caller->start, .end = caller->end, .frames = caller->frames};
    bool is_importer = address - object.start < object.end - object.start;
    if (!is_importer && (image->phdr == NULL || !loaded_find_segments(image, true, &object) ||
                         address - object.start >= object.end - object.start))
        return NULL;
    return (const struct frame_table *)object.frames;
}

/* How many words the caller's frame has from the arguments on; UINT64_MAX: that is not known. */
static uint64_t frame_words(const struct timed_call *call)
{
    enum { FIXED_4 = 0x03, FROM_TABLE_4 = 0x3b }; /* DW_EH_PE */
    uintptr_t address = call->back - 1, stack = (uintptr_t)call->stack;
    const struct frame_table *table = find_table(&timed_callers[call->index], address);
    struct frame_rule rule;
    if (table == NULL || table->count_encoding != FIXED_4 || table->table_encoding != FROM_TABLE_4)
        return UINT64_MAX;
    uint32_t low = 0, high = table->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)table + (uintptr_t)table->row[middle].code <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const uint8_t *own = (const uint8_t *)table;
    if (low == 0 ||
        !find_rule(own + table->row[low - 1].frame, (uintptr_t)(own + table->row[low - 1].code),
                   address, &rule) ||
        (rule.base != RBP && rule.base != RSP))
        return UINT64_MAX;
    uintptr_t end = (rule.base == RSP ? stack : call->rbp) + (uintptr_t)rule.offset;
    return end >= stack ? (end - stack) / sizeof(uint64_t) : UINT64_MAX;
}

/* So many words the caller takes from the stack after the call, by "add $number, %rsp". */
static uint64_t taken_words(const uint8_t *code)
{
    int32_t bytes = 0;
    if (code[0] == 0x48 && code[1] == 0x81 && code[2] == 0xc4)
        memcpy(&bytes, code + 3, sizeof bytes);
    return bytes > 0 ? (uint64_t)bytes / sizeof(uint64_t) : 0;
}

void timed_frames_find(const struct timed_call *call)
{
    uint64_t words = frame_words(call);
    if (words > TIMED_WORDS_MAX)
        words = taken_words((const uint8_t *)call->back) > TIMED_WORDS_MAX ? TIMED_WORDS_PAST
                                                                           : TIMED_WORDS_MAX;
    __atomic_store_n(timed_site(call), timed_site_key(call) | (words + 1) / 2, __ATOMIC_RELAXED);
}

#endif
