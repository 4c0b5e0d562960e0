/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/routines.h"

#include "conf/policy/policy_read.h"

#include "preload/fixed_page.h"
#include "preload/routines/routine_bind.h"
#include "preload/routines/routine_later.h"
#include "preload/routines/routine_memory.h"
#include "preload/routines/routine_search.h"
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

/* `found` libraries are designated. Where no stubs can be, each is a miss, and each archive. */
static void search_all(struct routine_search *search, uint32_t found)
{
    struct routine_memory *memory = search->memory;
    bool can_watch = ROUTINE_STUBS > 0 && !search->is_forbidden;
    search->missed = can_watch ? 0 : found + routine_search_count_archives(search);
#if ROUTINE_STUBS > 0
    if (can_watch) {
        memory->library_count = found < ROUTINE_LIBRARIES_MAX ? found : ROUTINE_LIBRARIES_MAX;
        search->missed = found - memory->library_count;
        routine_search_imports(search);
        if (memory->is_counted)
            routine_bind_prepare(memory);
        routine_search_archives(search);
    }
#endif
    memory->start_entries = memory->entry_count;
    memory->start_libraries = memory->library_count;
    memory->start_objects = memory->object_count;
}

/* The most that the list has of the ledger beside the libraries, bytes: some hundred routines. The
 * least, where libraries may be loaded later: some twenty. */
enum { LIST_BYTES = 16 << 10, LIST_BYTES_LEAST = 1 << 10 };

static bool may_load(const struct routine_memory *memory)
{
    for (uint32_t i = 0; i < memory->entry_count; i++) {
        if ((uintptr_t)memory->entry[i].cell == ROUTINE_LOADING_OPEN)
            return true;
    }
    return false;
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

/* `used`: bytes of the slot without calls. What may be called after dlopen(3) is not known yet.
 * Where calls are counted, several threads that call a routine first may each list it. */
static uint32_t room_of_calls(const struct routine_search *search, size_t used)
{
    if (may_load(search->memory))
        return search->memory->library_count > 0 ? LIST_BYTES : rest_of_slot(used);
    uint32_t need = search->memory->is_counted ? 2 * search->need : search->need;
    return need < LIST_BYTES ? need : LIST_BYTES;
}

/* Adds the field of `room` bytes at the most to those of the capture, to which `later` bytes come
 * afterwards. Returns whether there is something to watch, or missed. */
static bool put_list(struct routine_search *search, uint32_t found, size_t room, size_t later,
                     struct fields *fields)
{
    struct routine_memory *memory = search->memory;
    struct ledger_routines *head = (struct ledger_routines *)(void *)(fields->start + fields->used);
    *head = (struct ledger_routines){.flags = memory->is_counted ? LEDGER_ROUTINES_COUNTED : 0};
    memory->list_at = fields->used;
    memory->list = (struct routine_list){head, (uint32_t)(room - sizeof *head)};
    search_all(search, found);
    size_t used = sizeof(struct ledger_slot) + fields->used + sizeof *head + head->bytes + later;
    uint32_t wanted = head->bytes + room_of_calls(search, used);
    if (wanted < memory->list.room)
        memory->list.room = wanted;
    head->watched = search->watched;
    head->missed = search->missed;
    fields_wrote(fields, sizeof *head + memory->list.room);
    fields->blank = memory->list.room - head->bytes;
    return memory->library_count > 0 || search->missed > 0 || may_load(memory);
}

static void put_all(struct routine_search *search, uint32_t found, size_t later,
                    struct fields *fields)
{
    size_t left = fields->room - fields->used;
    if (left < later + sizeof(struct ledger_field) + sizeof(struct ledger_routines) ||
        !fields_begin(fields, LEDGER_ROUTINES)) {
        fields->slot_flags |= LEDGER_SLOT_CUT;
        system_unmap(search->memory, MEMORY_BYTES);
        return;
    }
    left = (left - sizeof(struct ledger_field) - later) & ~(size_t)7;
    if (put_list(search, found, left, later, fields)) {
        fields_end(fields);
        routine_known = search->memory;
        return;
    }
    fields_cancel(fields);
    system_unmap(search->memory, MEMORY_BYTES);
}

/* Without memory nothing can be watched: each designated library is a miss, and each archive. */
static void put_misses(const struct routine_search *search, struct fields *fields)
{
    const struct ledger_routines head = {.missed = routine_search_count(search) +
                                                   routine_search_count_archives(search)};
    if (head.missed > 0)
        fields_put(fields, LEDGER_ROUTINES, &head, sizeof head);
}

void routines_choose(const struct image *image, const void *policy, size_t later,
                     struct fields *fields)
{
    const struct policy_header *header = policy;
    struct routine_search search;
    if (!routine_search_begin(&search, image, policy))
        return;
    search.memory = map_memory();
    if (search.memory == NULL) {
        put_misses(&search, fields);
        return;
    }
    uint32_t found = routine_search_libraries(&search);
    search.memory->is_counted = (header->switches & POLICY_COUNTS) != 0;
    search.memory->image = *image;
    search.memory->policy = policy;
    put_all(&search, found, later, fields);
}

#if ROUTINE_STUBS > 0

/* Whether the stub stays in a slot that can be written to. Only what the loader has still to write
 * to will be writable for sure; so are the words of archives. */
static bool stays(const struct loaded *loaded, const struct routine_entry *entry)
{
    return loaded->entry != NULL && entry->name != NULL && !entry->is_lazy;
}

/* Stores the addresses of the stubs. A slot that is read-only after relocation is written to once,
 * as the loader does it, and not again. Returns how many could not be: they are not watched. */
static uint32_t point_slots(const struct routine_object *object, struct routine_memory *memory)
{
    const struct loaded *loaded = &object->loaded;
    uintptr_t opened = 0;
    uint32_t missed = 0;
    for (uint32_t i = object->first; i < object->first + object->count; i++) {
        struct routine_entry *entry = &memory->entry[i];
        uintptr_t *slot = entry->slot;
        bool is_fixed =
            (uintptr_t)slot >= loaded->fixed_start && (uintptr_t)slot < loaded->fixed_end;
        bool can_write = !is_fixed || (!__atomic_load_n(&memory->is_confined, __ATOMIC_RELAXED) &&
                                       fixed_page_open(&opened, loaded, (uintptr_t)slot));
        entry->slot = is_fixed || stays(loaded, entry) ? NULL : slot;
        if (can_write) {
            __atomic_store_n(slot, routine_stub(i), __ATOMIC_RELEASE);
            continue;
        }
        missed++;
        if (entry->name != NULL) /* none of dlopen(3) and its kin */
            __atomic_fetch_sub(&memory->list.head->watched, 1, __ATOMIC_RELAXED);
    }
    fixed_page_close(&opened);
    return missed;
}

void routines_point_new(struct routine_memory *memory, uint32_t missed)
{
    for (uint32_t i = 0; i < memory->object_count; i++) {
        struct routine_object *object = &memory->object[i];
        if (object->is_new)
            missed += point_slots(object, memory);
        object->is_new = false;
    }
    if (missed != 0)
        __atomic_fetch_add(&memory->list.head->missed, missed, __ATOMIC_RELAXED);
}

bool routines_are_noted(const struct routine_memory *memory)
{
    return memory->slot != NULL &&
           __atomic_load_n(&memory->slot->state, __ATOMIC_RELAXED) == LEDGER_OPEN &&
           memory->slot->random == memory->random;
}

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
    bool is_mapped =
        index < memory->start_entries || __atomic_load_n(&memory->closes, __ATOMIC_RELAXED) == 0;
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
    bool is_counted = routines_are_noted(memory) && note_call(memory, entry);
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
    routines_point_new(memory, 0);
#endif
}

bool routines_were_called(void)
{
    return routine_known != NULL && routine_known->slot != NULL &&
           __atomic_load_n(&routine_known->list.head->called, __ATOMIC_RELAXED) != 0;
}
