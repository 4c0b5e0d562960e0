/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/routines.h"

#include "conf/policy/policy_read.h"

#include "preload/memory.h"
#include "preload/routine_memory.h"
#include "preload/routine_note.h"
#include "preload/routine_search.h"
#include "preload/system.h"

/* In .data, as private.c says. NULL: no routine is watched. */
static struct routine_memory *known __attribute__((section(".data")));

static struct routine_memory *map_memory(void)
{
    const size_t size = (sizeof(struct routine_memory) + LEDGER_PAGE - 1) & ~(LEDGER_PAGE - 1);
    long result = system_call6(SYSTEM_MAP, 0, (long)size, PROT_READ | PROT_WRITE,
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
}

static void put_all(struct routine_search *search, uint32_t found, size_t later,
                    struct fields *fields)
{
    struct ledger_routines head = {.flags = 0};
    if (search->memory->is_counted)
        head.flags = LEDGER_ROUTINES_COUNTED;
    if (fields->room - fields->used < later + sizeof(struct ledger_field) + sizeof head ||
        !fields_begin(fields, LEDGER_ROUTINES))
        return;
    search->memory->field_at = fields->used;
    search->base = fields->used + sizeof head;
    search->fields = (struct fields){
        .start = fields->start + search->base,
        .room = fields->room - search->base - later,
    };
    search_all(search, found);
    if (search->memory->library_count == 0 && search->missed == 0) {
        fields_cancel(fields);
        return;
    }
    head.bytes = (uint32_t)search->fields.used;
    head.missed = search->missed;
    fields_add(fields, &head, sizeof head, fields->room);
    fields_wrote(fields, search->fields.used);
    fields_end(fields);
    known = search->memory;
}

void routines_choose(const struct image *image, const void *policy, size_t later,
                     struct fields *fields)
{
    const struct policy_header *header = policy;
    struct routine_library library[ROUTINE_LIBRARIES_MAX];
    struct routine_search search = {.image = image};
    if (!policy_find(policy, POLICY_ROUTINE, &search.table))
        return;
    uint32_t found = routine_search_libraries(&search, library);
    bool has_notes = image_exec_note(image, ROUTINE_NOTE_OWNER, ROUTINE_NOTE_TYPE).at != NULL;
    if ((found == 0 && !has_notes) || (search.memory = map_memory()) == NULL)
        return;
    search.memory->is_counted = (header->switches & POLICY_COUNTS) != 0;
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

static void point_all(struct routine_memory *memory, char *fields)
{
    uint32_t missed = 0;
    routine_entries = memory->entry;
    for (uint32_t i = 0; i < memory->entry_count; i++)
        memory->entry[i].cell = (void *)(fields + (size_t)memory->entry[i].cell);
    for (uint32_t i = 0; i < memory->object_count; i++)
        missed += point_slots(&memory->object[i], memory);
    if (missed != 0)
        __atomic_fetch_add(&memory->shared->missed, missed, __ATOMIC_RELAXED);
}

/* Whether the slot of the ledger is still that of the run. After a run that was sampled out it is
 * another one's. */
static bool is_running(const struct routine_memory *memory)
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
    const struct routine_memory *memory = known;
    uintptr_t original = entry->original, target = original;
    if (is_running(memory)) {
        note_call(memory, entry->cell);
        if (memory->is_counted)
            target = (uintptr_t)routine_counted;
    }
    __atomic_store_n(&entry->target, target, __ATOMIC_RELAXED);
    uintptr_t stub = routine_stub((unsigned)(entry - memory->entry));
    if (target == original && entry->slot != NULL &&
        __atomic_load_n(entry->slot, __ATOMIC_RELAXED) == stub)
        __atomic_store_n(entry->slot, original, __ATOMIC_RELAXED);
    return original;
}

#endif

void routines_point(struct ledger_slot *slot, clock_function *now)
{
    struct routine_memory *memory = known;
    if (memory == NULL)
        return;
    char *fields = (char *)(slot + 1);
    memory->shared = (struct ledger_routines *)(void *)(fields + memory->field_at);
    memory->random = slot->random;
    memory->now = now;
    memory->slot = slot;
#if ROUTINE_STUBS > 0
    point_all(memory, fields);
#endif
}

bool routines_were_called(void)
{
    return known != NULL && known->shared != NULL &&
           __atomic_load_n(&known->shared->called, __ATOMIC_RELAXED) != 0;
}
