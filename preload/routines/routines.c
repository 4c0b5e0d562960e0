/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/routines.h"

#include "conf/policy/policy_read.h"

#include "preload/routines/routine_bind.h"
#include "preload/routines/routine_memory.h"
#include "preload/system.h"

/* In .data, as private.c says. */
struct routine_memory *routine_known __attribute__((section(".data")));

enum { MEMORY_BYTES = (sizeof(struct routine_memory) + LEDGER_PAGE - 1) & ~(LEDGER_PAGE - 1) };

static struct routine_memory *map_memory(void)
{
    long result = system_call6(SYSTEM_MAP, 0, MEMORY_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return system_failed(result) ? NULL : (struct routine_memory *)result;
}

/* Where no stubs can be, each library is a miss, and each archive. */
static void search_all(struct routine_memory *memory)
{
    struct slots *slots = &memory->slots;
#if ROUTINE_STUBS > 0
    if (!slots->is_forbidden) {
        routine_put_libraries(memory);
        if (slots->has_rules)
            slots_look_at_all(slots);
        if (memory->is_counted)
            routine_bind_prepare(memory);
        routine_archives_find(memory);
        memory->start_entries = memory->entry_count;
        return;
    }
#endif
    routine_miss(memory, slots->library_count + slots->left_out +
                             routine_archives_count(&memory->image, &slots->rules));
    slots->library_count = 0;
}

/* The most that the list has of the ledger beside the libraries, bytes: some hundred routines. The
 * least, where libraries may be loaded later: some twenty. */
enum { LIST_BYTES = 16 << 10, LIST_BYTES_LEAST = 1 << 10 };

static bool may_load(const struct routine_memory *memory)
{
#if ROUTINE_STUBS > 0
    return slots_may_load(&memory->slots);
#else
    (void)memory;
    return false;
#endif
}

/* What is left of the smallest slot that has room for the least: `used` bytes of it are in use. A
 * quarter of a slot may be for stubs of sampling. Most programs that import dlopen(3), as shells
 * do, never load a designated library. */
static uint32_t rest_of_slot(size_t used)
{
    size_t slot = LEDGER_PAGE;
    while (slot < LEDGER_SLOT_MAX && slot - slot / 4 < used + LIST_BYTES_LEAST)
        slot *= 2;
    size_t rest = slot - slot / 4 > used ? slot - slot / 4 - used : 0;
    return rest < LIST_BYTES ? (uint32_t)rest & ~UINT32_C(7) : LIST_BYTES;
}

static bool has_libraries(const struct routine_memory *memory)
{
    return memory->slots.library_count > 0 || memory->archive_count > 0;
}

/* `used`: bytes of the slot without calls. What may be called after dlopen(3) is not known yet.
 * Where calls are counted, several threads that call a routine first may each list it. */
static uint32_t room_of_calls(const struct routine_memory *memory, size_t used)
{
    if (may_load(memory))
        return has_libraries(memory) ? LIST_BYTES : rest_of_slot(used);
    uint32_t need = memory->is_counted ? 2 * memory->need : memory->need;
    return need < LIST_BYTES ? need : LIST_BYTES;
}

/* Adds the field of `room` bytes at the most to those of the capture, to which `later` bytes come
 * afterwards. Returns whether there is something to watch, or missed. */
static bool put_list(struct routine_memory *memory, size_t room, size_t later,
                     struct fields *fields)
{
    struct ledger_routines *head = (struct ledger_routines *)(void *)(fields->start + fields->used);
    *head = (struct ledger_routines){.flags = memory->is_counted ? LEDGER_ROUTINES_COUNTED : 0};
    memory->list_at = fields->used;
    memory->list = (struct routine_list){head, (uint32_t)(room - sizeof *head)};
    search_all(memory);
    size_t used = sizeof(struct ledger_slot) + fields->used + sizeof *head + head->bytes + later;
    uint32_t wanted = head->bytes + room_of_calls(memory, used);
    if (wanted < memory->list.room)
        memory->list.room = wanted;
    fields_wrote(fields, sizeof *head + memory->list.room);
    fields->blank = memory->list.room - head->bytes;
    return has_libraries(memory) || head->missed > 0 || may_load(memory);
}

static void put_all(struct routine_memory *memory, size_t later, struct fields *fields)
{
    size_t left = fields->room - fields->used;
    if (left < later + sizeof(struct ledger_field) + sizeof(struct ledger_routines) ||
        !fields_begin(fields, LEDGER_ROUTINES)) {
        fields->slot_flags |= LEDGER_SLOT_CUT;
        system_unmap(memory, MEMORY_BYTES);
        return;
    }
    left = (left - sizeof(struct ledger_field) - later) & ~(size_t)7;
    if (put_list(memory, left, later, fields)) {
        fields_end(fields);
        routine_known = memory;
        return;
    }
    fields_cancel(fields);
    system_unmap(memory, MEMORY_BYTES);
}

/* How many designated libraries are loaded. */
static uint32_t count_libraries(const struct image *image, const struct designation *rules)
{
    const struct r_debug *loader = image_loader(image);
    const struct link_map *entry = loader == NULL ? NULL : loader->r_map;
    uint32_t found = 0;
    for (uint32_t at = 0; entry != NULL && at < SLOTS_OBJECTS_MAX; entry = entry->l_next, at++) {
        const struct loaded object = loaded_read(entry);
        found += loaded_is_file(entry) && designation_has_library(rules, &object);
    }
    return found;
}

/* Without memory nothing can be watched: each designated library is a miss, and each archive. */
static void put_misses(const struct image *image, const struct designation *rules,
                       struct fields *fields)
{
    const struct ledger_routines head = {.missed = count_libraries(image, rules) +
                                                   routine_archives_count(image, rules)};
    if (head.missed > 0)
        fields_put(fields, LEDGER_ROUTINES, &head, sizeof head);
}

void routines_choose(const struct image *image, const void *policy, size_t later,
                     struct fields *fields)
{
    const struct policy_header *header = policy;
    struct designation rules;
    if (!designation_find(&rules, policy))
        return;
    struct routine_memory *memory = map_memory();
    if (memory == NULL) {
        put_misses(image, &rules, fields);
        return;
    }
    memory->is_counted = (header->switches & POLICY_COUNTS) != 0;
    memory->image = *image;
    slots_begin(&memory->slots, &memory->image, policy);
    put_all(memory, later, fields);
}

#if ROUTINE_STUBS > 0

/* Whether each call is to be counted in the entry's cell from now on. One thread alone notes the
 * first call, so that it is in the list once. To count them, each thread needs the cell. */
static bool note_call(struct routine_memory *memory, struct routine_entry *entry)
{
    const struct routine_call call = {entry->name, entry->length, entry->library, entry->flags};
    if (__atomic_exchange_n(&entry->is_noted, 1, __ATOMIC_RELAXED) && !memory->is_counted)
        return false;
    uint64_t now_ns = memory->now == NULL ? LEDGER_TIME_UNKNOWN : clock_now_coarse(memory->now);
    struct ledger_routine *cell = routine_list_call(&memory->list, &call, now_ns);
    if (cell == NULL)
        return false;
    __atomic_store_n(&memory->list.head->called, 1, __ATOMIC_RELAXED);
    if (!memory->is_counted)
        return false;
    __atomic_fetch_add(&cell->calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_or(&cell->flags, call.flags, __ATOMIC_RELAXED); /* others may have begun it */
    __atomic_store_n(&entry->cell, cell, __ATOMIC_RELEASE);
    return true;
}

/* Gives the slot its value back, unless it is in memory that may have been unmapped, or somebody
 * else has written to it. */
static void restore_slot(const struct routine_memory *memory, struct routine_entry *entry,
                         uint32_t index)
{
    bool is_mapped = index < memory->start_entries ||
                     __atomic_load_n(&memory->slots.closes, __ATOMIC_RELAXED) == 0;
    if (entry->slot != NULL && is_mapped &&
        __atomic_load_n(entry->slot, __ATOMIC_RELAXED) == routine_stub(index))
        __atomic_store_n(entry->slot, entry->original, __ATOMIC_RELAXED);
}

/* A slot that is not bound is bound by the loader at the call: a stub that other threads are in by
 * then leads here again, as what it leads to takes more than an address. */
uintptr_t routine_called(struct routine_entry *entry)
{
    struct routine_memory *memory = routine_known;
    uint32_t index = (uint32_t)(entry - memory->entry);
    bool is_counted = routine_is_noted(memory) && note_call(memory, entry);
    if (!entry->is_lazy)
        __atomic_store_n(&entry->target, is_counted ? (uintptr_t)routine_counted : entry->original,
                         __ATOMIC_RELEASE);
    if (!is_counted)
        restore_slot(memory, entry, index);
    return entry->original;
}

/* Several threads may be here at once, and find the same. */
uintptr_t routine_binds(struct routine_entry *entry)
{
    uintptr_t function = routine_bind_find(routine_known, entry);
    uintptr_t unbound = (uintptr_t)routine_unbound;
    if (function != 0) {
        __atomic_store_n(&entry->original, function, __ATOMIC_RELAXED);
        __atomic_store_n(&entry->flags, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&entry->is_lazy, false, __ATOMIC_RELAXED);
    }
    __atomic_compare_exchange_n(&entry->target, &unbound, (uintptr_t)routine_first, false,
                                __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    return routine_called(entry);
}

#endif

void routines_point(struct ledger_slot *slot, clock_function *now)
{
    struct routine_memory *memory = routine_known;
    if (memory == NULL)
        return;
    memory->list.head = (struct ledger_routines *)(void *)((char *)(slot + 1) + memory->list_at);
    memory->random = slot->random;
    memory->now = now;
    memory->slot = slot;
#if ROUTINE_STUBS > 0
    routine_entries = memory->entry;
    routine_point_new(memory);
    slots_point_loads(&memory->slots);
    if (memory->slots.library_count > 0 && memory->slots.load_count > 0)
        slots_start(&memory->slots);
    slots_keep(&memory->slots);
#endif
}

bool routines_were_called(void)
{
    return routine_known != NULL && routine_known->slot != NULL &&
           __atomic_load_n(&routine_known->list.head->called, __ATOMIC_RELAXED) != 0;
}
