/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stddef.h>

#include "preload/memory.h"
#include "preload/routines/routine_memory.h"
#include "preload/slots/slots_user.h"

const char slots_user_name[] = "libjobtrail.so";

void routine_miss(struct routine_memory *memory, uint32_t count)
{
    if (count > 0)
        __atomic_fetch_add(&memory->list.head->missed, count, __ATOMIC_RELAXED);
}

#if ROUTINE_STUBS > 0

static struct routine_memory *memory_of(struct slots *slots)
{
    return (struct routine_memory *)(void *)((char *)slots -
                                             offsetof(struct routine_memory, slots));
}

/* What cannot be watched is missed once, however often it is loaded: then it is behind what the
 * list had before. */
static void put_library(struct routine_memory *memory, struct slots_object *object, bool has_room)
{
    uint32_t before = __atomic_load_n(&memory->list.head->bytes, __ATOMIC_RELAXED);
    object->user =
        routine_list_library(&memory->list, loaded_build_id(memory->slots.image, &object->loaded),
                             object->loaded.entry->l_name);
    bool can_ask = object->loaded.hash != NULL; /* what it exports */
    routine_miss(memory, object->user >= before && !(has_room && can_ask));
}

void routine_put_libraries(struct routine_memory *memory)
{
    struct slots *slots = &memory->slots;
    for (uint32_t i = 0; i < slots->library_count; i++)
        put_library(memory, &slots->object[slots->library[i]], true);
    routine_miss(memory, slots->left_out);
}

void slots_user_object(struct slots *slots, struct slots_object *object)
{
    if (object->is_designated && memory_of(slots)->list.head != NULL)
        put_library(memory_of(slots), object, slots->library_count < SLOTS_LIBRARIES_MAX);
}

/* The name where it stays. Nothing of the start is unloaded. NULL: there is no room. */
static const char *lasting_name(struct routine_memory *memory, const struct routine_watch *watch)
{
    if (!memory->slots.is_later)
        return watch->name;
    if (watch->length > sizeof memory->names - memory->names_used)
        return NULL;
    char *copy = memory->names + memory->names_used;
    memory->names_used += watch->length;
    return memcpy(copy, watch->name, watch->length);
}

/* Whether the routine has been noted, by an object that may have been unloaded: where calls are not
 * counted, no more of it is to be known. */
static bool has_been_noted(const struct routine_memory *memory, const struct routine_watch *watch)
{
    if (memory->slots.subs == 0 || memory->is_counted)
        return false;
    for (uint32_t i = memory->start_entries; i < memory->entry_count; i++) {
        const struct routine_entry *entry = &memory->entry[i];
        if (entry->library == watch->library && entry->length == watch->length &&
            __atomic_load_n(&entry->is_noted, __ATOMIC_RELAXED) &&
            memcmp(entry->name, watch->name, watch->length) == 0)
            return true;
    }
    return false;
}

bool routine_watch(struct routine_memory *memory, const struct routine_watch *watch)
{
    if (has_been_noted(memory, watch))
        return true;
    bool can_watch = memory->entry_count < ROUTINE_STUBS && watch->library != ROUTINE_LIST_FULL &&
                     watch->length <= UINT16_MAX;
    const char *name = can_watch ? lasting_name(memory, watch) : NULL;
    if (name == NULL)
        return false;
    memory->entry[memory->entry_count++] = (struct routine_entry){
        .target = (uintptr_t)routine_first,
        .original = *watch->slot,
        .slot = watch->slot,
        .name = name,
        .relocation = watch->relocation,
        .library = watch->library,
        .length = (uint16_t)watch->length,
        .flags = watch->is_lazy && memory->is_counted ? LEDGER_ROUTINE_AT_LEAST : 0,
        .is_lazy = watch->is_lazy,
    };
    __atomic_fetch_add(&memory->list.head->watched, 1, __ATOMIC_RELAXED);
    memory->need += routine_list_size(watch->length);
    return true;
}

/* ---- Slots ----------------------------------------------------------------------------------- */

static void point_slot(struct routine_memory *memory, const struct loaded *loaded, uint32_t index)
{
    struct routine_entry *entry = &memory->entry[index];
    uintptr_t *slot = entry->slot;
    bool is_fixed = (uintptr_t)slot >= loaded->fixed_start && (uintptr_t)slot < loaded->fixed_end;
    if (is_fixed || !entry->is_lazy)
        entry->slot = NULL;
    if (slots_open(&memory->slots, loaded, (uintptr_t)slot)) {
        __atomic_store_n(slot, routine_stub(index), __ATOMIC_RELEASE);
        return;
    }
    routine_miss(memory, 1);
    __atomic_fetch_sub(&memory->list.head->watched, 1, __ATOMIC_RELAXED);
}

/* A slot that is read-only after relocation is written to once, as the loader does it, and not
 * again: the stub stays. Only what the loader has still to write to will be writable for sure; so
 * are the words of archives. */
void routine_point_new(struct routine_memory *memory)
{
    struct slots *slots = &memory->slots;
    for (uint32_t i = 0; i < slots->count; i++) {
        const struct slots_object *object = &slots->object[i];
        for (uint32_t at = 0; object->first >= memory->pointed && at < object->count; at++)
            point_slot(memory, &object->loaded, object->first + at);
    }
    slots_close(slots);
    for (uint32_t i = memory->pointed; memory->pointed == 0 && i < memory->start_entries; i++) {
        if (i >= memory->archive_entries)
            __atomic_store_n(memory->entry[i].slot, routine_stub(i), __ATOMIC_RELEASE);
    }
    memory->pointed = memory->entry_count;
}

bool routine_is_noted(const struct routine_memory *memory)
{
    return memory->slot != NULL &&
           __atomic_load_n(&memory->slot->state, __ATOMIC_RELAXED) == LEDGER_OPEN &&
           memory->slot->random == memory->random;
}

/* ---- What the room of slots asks for --------------------------------------------------------- */

bool slots_user_is_stub(uintptr_t address)
{
    return routine_is_stub(address);
}

/* A name of Intel's convention, by which r11 has an argument, is left alone: stubs change that. */
enum slots_want slots_user_wants(struct slots *slots, struct slots_import *import)
{
    const struct slots_object *library = import->library;
    if (!library->is_designated || designation_skip(&slots->rules, library->after, import->name))
        return SLOTS_NOT;
    return text_after(import->name, "__regcall") == NULL ? SLOTS_WANTED : SLOTS_MISSED;
}

bool slots_user_found(struct slots *slots, const struct slots_import *import)
{
    struct routine_memory *memory = memory_of(slots);
    const uint32_t before = memory->entry_count;
    const struct routine_watch watch = {
        .name = import->name,
        .length = import->length,
        .library = import->library->user,
        .relocation = import->relocation,
        .slot = import->slot,
        .is_lazy = import->is_lazy,
    };
    bool is_watched = routine_watch(memory, &watch);
    if (import->importer->count == 0)
        import->importer->first = before;
    import->importer->count += memory->entry_count - before;
    return is_watched;
}

/* Names are for who reads them: half of the room stays for calls. Returns whether it has not been
 * there, as far as is known. */
static bool put_missed(struct routine_memory *memory, const struct slots_import *import)
{
    const struct routine_call call = {import->name, import->length, import->library->user,
                                      LEDGER_ROUTINE_MISSED};
    uint32_t *bytes = &memory->list.head->bytes;
    uint32_t before = __atomic_load_n(bytes, __ATOMIC_RELAXED);
    if (memory->missed_names == ROUTINE_MISSED_NAMES || before > memory->list.room / 2 ||
        call.library == ROUTINE_LIST_FULL || call.length > UINT16_MAX)
        return true;
    routine_list_call(&memory->list, &call, LEDGER_TIME_UNKNOWN);
    bool is_new = __atomic_load_n(bytes, __ATOMIC_RELAXED) != before;
    memory->missed_names += is_new;
    return is_new;
}

void slots_user_miss(struct slots *slots, const struct slots_import *import)
{
    struct routine_memory *memory = memory_of(slots);
    bool is_new = import == NULL || put_missed(memory, import);
    routine_miss(memory, is_new || (import->slot != NULL && !slots->is_again));
}

bool slots_user_is_below(struct slots *slots, struct slots_object *object)
{
    (void)slots, (void)object;
    return false;
}

bool slots_user_may_look(void)
{
    return routine_is_noted(routine_known);
}

void slots_user_late(struct slots *slots, bool is_late)
{
    uint32_t *flags = &memory_of(slots)->list.head->flags;
    if (is_late)
        __atomic_fetch_or(flags, LEDGER_ROUTINES_LATE, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(flags, ~LEDGER_ROUTINES_LATE, __ATOMIC_RELAXED);
}

void slots_user_looked(struct slots *slots)
{
    routine_point_new(memory_of(slots));
}

void slots_user_confine(const struct slots *slots)
{
    (void)slots;
}

#else

void slots_user_object(struct slots *slots, struct slots_object *object)
{
    (void)slots, (void)object;
}

#endif
