/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/routine_later.h"

#include <errno.h>
#include <linux/futex.h>

#include "preload/memory.h"
#include "preload/routine_search.h"
#include "preload/system.h"

#if ROUTINE_STUBS > 0

/* Whether the loader has finished the object. Until then it writes to what is read-only afterwards,
 * and to make that read-only now would end the process. futex(2) adds 0 to the first word there, or
 * says that it cannot be written to. An object without such a part has no mark; of its slots those
 * that were relocated are known by where they lead. */
static bool is_finished(const struct loaded *object)
{
    if (object->fixed_end <= object->fixed_start)
        return true;
    return system_call6(SYS_futex, (long)object->fixed_start, FUTEX_WAKE_OP_PRIVATE, 0, 0,
                        (long)object->fixed_start,
                        FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) == -EFAULT;
}

/* Where the number of the object with this entry of the link map is, or where it would be. */
static uint16_t *place_of(struct routine_memory *memory, const struct link_map *entry)
{
    const uint32_t places = sizeof memory->place / sizeof memory->place[0];
    uint32_t at = (uint32_t)((uintptr_t)entry >> 4) * 2654435761u % places;
    while (memory->place[at] != 0 && memory->object[memory->place[at] - 1].loaded.entry != entry)
        at = (at + 1) % places;
    return &memory->place[at];
}

static void find_places(struct routine_memory *memory)
{
    memset(memory->place, 0, sizeof memory->place);
    for (uint32_t i = memory->start_objects; i < memory->object_count; i++) {
        struct routine_object *object = &memory->object[i];
        object->is_seen = false;
        if (object->loaded.entry != NULL)
            *place_of(memory, object->loaded.entry) = (uint16_t)(i + 1);
    }
}

/* The last object of the start; they are never unloaded. */
static const struct link_map *last_of_start(const struct routine_memory *memory)
{
    const struct link_map *last = NULL;
    for (uint32_t i = 0; i < memory->start_objects; i++) {
        if (memory->object[i].loaded.entry != NULL)
            last = memory->object[i].loaded.entry;
    }
    return last;
}

static void add_library(struct routine_search *search, uint32_t object)
{
    struct routine_memory *memory = search->memory;
    const struct loaded *loaded = &memory->object[object].loaded;
    if (!routine_search_is_library(search, loaded))
        return;
    if (memory->library_count == ROUTINE_LIBRARIES_MAX) {
        search->missed++;
        return;
    }
    struct routine_library *library = &memory->library[memory->library_count++];
    *library =
        (struct routine_library){.entry = loaded->entry, .name = loaded->soname, .object = object};
    routine_search_put_library(search, library);
}

/* The place of an object that has gone, or one more; NULL: there is no room. */
static struct routine_object *free_object(struct routine_memory *memory)
{
    for (uint32_t i = memory->start_objects; i < memory->object_count; i++) {
        if (memory->object[i].loaded.entry == NULL)
            return &memory->object[i];
    }
    return memory->object_count == ROUTINE_OBJECTS_MAX ? NULL
                                                       : &memory->object[memory->object_count++];
}

static void add_object(struct routine_search *search, const struct link_map *entry)
{
    struct routine_memory *memory = search->memory;
    struct loaded loaded = loaded_read(entry);
    if (!loaded_find_segments(&memory->image, false, &loaded))
        return;
    if (!is_finished(&loaded)) {
        __atomic_store_n(&memory->has_loaded, 1, __ATOMIC_RELAXED);
        return;
    }
    struct routine_object *object = free_object(memory);
    if (object == NULL) {
        search->missed++;
        return;
    }
    *object = (struct routine_object){.loaded = loaded, .is_new = true, .is_seen = true};
    add_library(search, (uint32_t)(object - memory->object));
}

/* Walks the part of the link map that is new since the start. Returns whether it could be walked to
 * its end: each step is gone only where no thread can have unloaded anything since the walk began.
 */
static bool see_objects(struct routine_search *search)
{
    struct routine_memory *memory = search->memory;
    const struct r_debug *loader = image_loader(&memory->image);
    const struct link_map *entry = last_of_start(memory);
    uint32_t closes = __atomic_load_n(&memory->closes, __ATOMIC_SEQ_CST);
    entry = entry == NULL ? NULL : entry->l_next;
    for (; entry != NULL; entry = entry->l_next) {
        if (!image_is_consistent(loader) ||
            __atomic_load_n(&memory->closes, __ATOMIC_SEQ_CST) != closes)
            return false;
        uint16_t place = *place_of(memory, entry);
        if (place != 0)
            memory->object[place - 1].is_seen = true;
        else if (loaded_is_file(entry))
            add_object(search, entry);
    }
    return true;
}

static void forget_libraries_of(struct routine_memory *memory, uint32_t object)
{
    uint32_t kept = memory->start_libraries;
    for (uint32_t i = kept; i < memory->library_count; i++) {
        if (memory->library[i].object != object)
            memory->library[kept++] = memory->library[i];
    }
    memory->library_count = kept;
}

/* The link map has changed meanwhile: the new ones are for the next look. */
static void forget_new(struct routine_memory *memory)
{
    for (uint32_t i = memory->start_objects; i < memory->object_count; i++) {
        if (!memory->object[i].is_new)
            continue;
        memory->object[i] = (struct routine_object){.count = 0};
        forget_libraries_of(memory, i);
    }
}

/* Their entries stay: a program may have kept the address of a stub. */
static void forget_what_is_gone(struct routine_memory *memory)
{
    for (uint32_t i = memory->start_objects; i < memory->object_count; i++) {
        struct routine_object *object = &memory->object[i];
        if (object->loaded.entry == NULL || object->is_seen)
            continue;
        *object = (struct routine_object){.count = 0};
        forget_libraries_of(memory, i);
    }
}

/* What has gone is forgotten before any name of it is read. The libraries among the new objects
 * have to be known before any import is looked at. */
static void look_at_objects(struct routine_search *search)
{
    struct routine_memory *memory = search->memory;
    find_places(memory);
    if (!see_objects(search)) {
        __atomic_store_n(&memory->has_loaded, 1, __ATOMIC_RELAXED);
        forget_new(memory);
        return;
    }
    forget_what_is_gone(memory);
    for (uint32_t i = memory->start_objects; i < memory->object_count; i++) {
        if (memory->object[i].is_new)
            routine_search_object(search, &memory->object[i]);
    }
}

static void look(struct routine_memory *memory)
{
    struct routine_search search;
    if (!routine_search_begin(&search, &memory->image, memory->policy))
        return;
    search.memory = memory;
    look_at_objects(&search);
    __atomic_fetch_add(&memory->list.head->watched, search.watched, __ATOMIC_RELAXED);
    routines_point_new(memory, search.missed);
}

static void look_if_loaded(struct routine_memory *memory)
{
    if (!__atomic_load_n(&memory->has_loaded, __ATOMIC_RELAXED) || !routines_are_noted(memory) ||
        __atomic_exchange_n(&memory->is_looking, 1, __ATOMIC_ACQUIRE))
        return;
    __atomic_store_n(&memory->has_loaded, 0, __ATOMIC_RELAXED);
    look(memory);
    __atomic_store_n(&memory->is_looking, 0, __ATOMIC_RELEASE);
}

/* The loader has put the function's address over the stub at the first call, where it binds lazily.
 * Any later call of the others puts the stub there again. */
static void point_again(struct routine_memory *memory)
{
    for (uint32_t i = 0; i < memory->loading_count; i++) {
        uint32_t index = memory->loading_entry[i];
        struct routine_entry *entry = &memory->entry[index];
        if (entry->slot == NULL)
            continue;
        uintptr_t bound = __atomic_load_n(entry->slot, __ATOMIC_RELAXED);
        if (bound == routine_stub(index))
            continue;
        __atomic_store_n(&entry->original, bound, __ATOMIC_RELAXED);
        __atomic_store_n(entry->slot, routine_stub(index), __ATOMIC_RELAXED);
    }
}

uintptr_t routine_loads(struct routine_entry *entry)
{
    struct routine_memory *memory = routine_known;
    enum routine_loading loading = (enum routine_loading)(uintptr_t)entry->cell;
    point_again(memory);
    look_if_loaded(memory);
    if (loading == ROUTINE_LOADING_CLOSE)
        __atomic_fetch_add(&memory->closes, 1, __ATOMIC_SEQ_CST);
    if (loading != ROUTINE_LOADING_LOOK_UP)
        __atomic_store_n(&memory->has_loaded, 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&entry->original, __ATOMIC_RELAXED);
}

#endif
