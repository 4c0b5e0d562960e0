/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/routines.h"

#include "conf/policy/policy_read.h"

#include "preload/memory.h"
#include "preload/routine_later.h"
#include "preload/routine_memory.h"
#include "preload/routine_search.h"
#include "preload/system.h"

/* In .data, as private.c says. */
struct routine_memory *routine_known __attribute__((section(".data")));

/* What libraries that are loaded later may add to the field, bytes. */
enum { LATER_ROUTINES = 16 << 10 };

enum { MEMORY_BYTES = (sizeof(struct routine_memory) + LEDGER_PAGE - 1) & ~(LEDGER_PAGE - 1) };

static struct routine_memory *map_memory(void)
{
    long result = system_call6(SYSTEM_MAP, 0, MEMORY_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return system_failed(result) ? NULL : (struct routine_memory *)result;
}

/* `found` libraries are designated. Where there are no stubs, each of them is a miss. */
static void search_all(struct routine_search *search, uint32_t found)
{
    struct routine_memory *memory = search->memory;
    memory->library_count = found < ROUTINE_LIBRARIES_MAX ? found : ROUTINE_LIBRARIES_MAX;
#if ROUTINE_STUBS > 0
    search->missed = found - memory->library_count;
    routine_search_imports(search);
    routine_search_archives(search);
#else
    search->missed = found;
#endif
    memory->start_entries = memory->entry_count;
    memory->start_libraries = memory->library_count;
    memory->start_objects = memory->object_count;
}

/* How much the field may grow: not at all where nothing calls dlopen(3). */
static size_t room_to_grow(const struct routine_search *search)
{
    size_t left = search->fields.room - search->fields.used;
    for (uint32_t i = 0; i < search->memory->entry_count; i++) {
        if ((uintptr_t)search->memory->entry[i].cell == ROUTINE_LOADING_OPEN)
            return left < LATER_ROUTINES ? left : LATER_ROUTINES;
    }
    return 0;
}

/* Adds the field to those of the capture, or nothing where nothing is to be watched. */
static void put_all(struct routine_search *search, uint32_t found, size_t later,
                    struct fields *fields)
{
    struct routine_memory *memory = search->memory;
    struct ledger_routines head = {.flags = memory->is_counted ? LEDGER_ROUTINES_COUNTED : 0};
    if (fields->room - fields->used < later + sizeof(struct ledger_field) + sizeof head ||
        !fields_begin(fields, LEDGER_ROUTINES))
        return;
    memory->field_at = fields->used;
    search->base = fields->used + sizeof head;
    search->fields = (struct fields){
        .start = fields->start + search->base,
        .room = (fields->room - search->base - later) & ~(size_t)7,
    };
    search_all(search, found);
    if (memory->entry_count == 0 && memory->library_count == 0 && search->missed == 0) {
        fields_cancel(fields);
        system_unmap(memory, MEMORY_BYTES);
        return;
    }
    head.bytes = (uint32_t)search->fields.used;
    head.missed = search->missed;
    memory->field_used = search->fields.used;
    memory->field_room = search->fields.used + room_to_grow(search);
    fields_add(fields, &head, sizeof head, fields->room);
    fields_wrote(fields, memory->field_room);
    fields_end(fields);
    routine_known = memory;
}

void routines_choose(const struct image *image, const void *policy, size_t later,
                     struct fields *fields)
{
    const struct policy_header *header = policy;
    struct routine_library library[ROUTINE_LIBRARIES_MAX];
    struct routine_search search = {.image = image};
    if (!policy_find(policy, POLICY_ROUTINE, &search.table) ||
        (search.memory = map_memory()) == NULL)
        return;
    uint32_t found = routine_search_libraries(&search, library);
    search.memory->is_counted = (header->switches & POLICY_COUNTS) != 0;
    search.memory->image = *image;
    search.memory->policy = policy;
    memcpy(search.memory->library, library, sizeof library);
    put_all(&search, found, later, fields);
}

#if ROUTINE_STUBS > 0

/* Stores the addresses of the stubs. A slot that is read-only after relocation is written to once,
 * as the loader does it, and not again. Returns how many could not be written to. */
static uint32_t point_slots(const struct routine_object *object, struct routine_memory *memory)
{
    const struct loaded *loaded = &object->loaded;
    size_t fixed = loaded->fixed_end - loaded->fixed_start;
    long page = (long)loaded->fixed_start;
    uint32_t missed = 0;
    int can_write = -1; /* not tried */
    for (uint32_t i = object->first; i < object->first + object->count; i++) {
        struct routine_entry *entry = &memory->entry[i];
        uintptr_t *slot = entry->slot;
        bool is_fixed =
            (uintptr_t)slot >= loaded->fixed_start && (uintptr_t)slot < loaded->fixed_end;
        if (is_fixed && can_write < 0)
            can_write =
                system_call6(SYS_mprotect, page, (long)fixed, PROT_READ | PROT_WRITE, 0, 0, 0) == 0;
        entry->slot = is_fixed ? NULL : slot;
        if (is_fixed && !can_write)
            missed++;
        else
            __atomic_store_n(slot, routine_stub(i), __ATOMIC_RELEASE);
    }
    if (can_write > 0)
        system_call6(SYS_mprotect, page, (long)fixed, PROT_READ, 0, 0, 0);
    return missed;
}

void routines_point_new(struct routine_memory *memory, uint32_t missed)
{
    char *fields = (char *)memory->shared - memory->field_at;
    for (uint32_t i = 0; i < memory->object_count; i++) {
        struct routine_object *object = &memory->object[i];
        if (!object->is_new)
            continue;
        object->is_new = false;
        for (uint32_t k = object->first; k < object->first + object->count; k++) {
            struct routine_entry *entry = &memory->entry[k];
            if (entry->target == (uintptr_t)routine_first)
                entry->cell = (void *)(fields + (size_t)entry->cell);
        }
        missed += point_slots(object, memory);
    }
    if (missed != 0)
        __atomic_fetch_add(&memory->shared->missed, missed, __ATOMIC_RELAXED);
}

bool routines_are_noted(const struct routine_memory *memory)
{
    return memory->slot != NULL &&
           __atomic_load_n(&memory->slot->state, __ATOMIC_RELAXED) == LEDGER_OPEN &&
           memory->slot->random == memory->random;
}

static void note_call(const struct routine_memory *memory, struct ledger_routine *cell)
{
    uint64_t none = 0;
    if (memory->is_counted)
        __atomic_fetch_add(&cell->calls, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&cell->first_ns, __ATOMIC_RELAXED) != 0)
        return;
    uint64_t now_ns = memory->now == NULL ? LEDGER_TIME_UNKNOWN : clock_now_coarse(memory->now);
    __atomic_compare_exchange_n(&cell->first_ns, &none, now_ns, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    __atomic_store_n(&memory->shared->called, 1, __ATOMIC_RELAXED);
}

uintptr_t routine_called(struct routine_entry *entry)
{
    const struct routine_memory *memory = routine_known;
    uintptr_t original = entry->original, target = original;
    if (routines_are_noted(memory)) {
        note_call(memory, entry->cell);
        if (memory->is_counted)
            target = (uintptr_t)routine_counted;
    }
    __atomic_store_n(&entry->target, target, __ATOMIC_RELAXED);
    unsigned index = (unsigned)(entry - memory->entry);
    if (target == original && entry->slot != NULL &&
        (index < memory->start_entries || !__atomic_load_n(&memory->may_close, __ATOMIC_RELAXED)) &&
        __atomic_load_n(entry->slot, __ATOMIC_RELAXED) == routine_stub(index))
        __atomic_store_n(entry->slot, original, __ATOMIC_RELAXED);
    return original;
}

#endif

void routines_point(struct ledger_slot *slot, clock_function *now)
{
    struct routine_memory *memory = routine_known;
    if (memory == NULL)
        return;
    char *fields = (char *)(slot + 1);
    memory->shared = (struct ledger_routines *)(void *)(fields + memory->field_at);
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
    return routine_known != NULL && routine_known->shared != NULL &&
           __atomic_load_n(&routine_known->shared->called, __ATOMIC_RELAXED) != 0;
}
