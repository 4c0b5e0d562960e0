/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/routines/routine_later.h"

#include <errno.h>
#include <linux/futex.h>

#include "preload/memory.h"
#include "preload/routines/routine_search.h"
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

/* The last object of the start. None is unloaded but what a constructor had loaded before. */
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
    struct designated_library *library = &memory->library[memory->library_count++];
    *library = (struct designated_library){
        .entry = loaded->entry, .name = loaded->soname, .object = object};
    routine_search_put_library(search, library);
}

/* Another thread is loading: the next look sees what this one does not. */
static void wait_for_next(struct routine_memory *memory)
{
    memory->adds = 0;
    __atomic_store_n(&memory->has_loaded, 1, __ATOMIC_RELAXED);
}

static void add_object(struct routine_search *search, const struct link_map *entry,
                       const struct dl_phdr_info *info)
{
    struct routine_memory *memory = search->memory;
    struct loaded loaded = loaded_read(entry);
    loaded.phdr = info->dlpi_phdr;
    loaded.phdr_count = info->dlpi_phnum;
    if (!loaded_find_segments(&memory->image, false, &loaded))
        return;
    bool is_confined = __atomic_load_n(&memory->is_confined, __ATOMIC_RELAXED);
    if (is_confined ? !loaded_is_relocated(&loaded) : !is_finished(&loaded)) {
        wait_for_next(memory);
        return;
    }
    if (memory->object_count == ROUTINE_OBJECTS_MAX) {
        search->missed++;
        return;
    }
    struct routine_object *object = &memory->object[memory->object_count++];
    *object = (struct routine_object){.loaded = loaded, .is_new = true};
    add_library(search, (uint32_t)(object - memory->object));
}

/* Nearly always they are in the order of the link map. */
static bool is_known(const struct routine_memory *memory, uint32_t likely,
                     const struct link_map *entry)
{
    if (likely < memory->object_count && memory->object[likely].loaded.entry == entry)
        return true;
    for (uint32_t i = memory->start_objects; i < memory->object_count; i++) {
        if (memory->object[i].loaded.entry == entry)
            return true;
    }
    return false;
}

/* One that was unloaded may have left its address, and its place in the link map, to another one.
 * So all are looked at anew. Their entries stay: a program may have kept the address of a stub. */
static void forget_objects(struct routine_memory *memory)
{
    memory->object_count = memory->start_objects;
    memory->library_count = memory->start_libraries;
}

/* The libraries among the new objects have to be known before any import is looked at. */
static void look_at_objects(struct routine_search *search)
{
    struct routine_memory *memory = search->memory;
    for (uint32_t i = memory->start_objects; i < memory->object_count; i++) {
        if (memory->object[i].is_new)
            routine_search_object(search, &memory->object[i]);
    }
    __atomic_fetch_add(&memory->list.head->watched, search->watched, __ATOMIC_RELAXED);
    routines_point_new(memory, search->missed);
}

/* A walk of the link map by dl_iterate_phdr(3). */
struct routine_walk {
    struct routine_search *search;
    const struct link_map *entry; /* the next one */
    const struct link_map *start; /* the last one of the start; NULL: the walk is behind it */
    uint32_t likely;              /* the number that the next one behind it has, if any */
};

/* Whether there is something new to look at. Objects are added with the loader's state set before,
 * which may have been set before the lock was taken. */
static bool begins(struct routine_memory *memory, const struct dl_phdr_info *info)
{
    if (!image_is_consistent(image_loader(&memory->image))) {
        wait_for_next(memory);
        return false;
    }
    if (memory->adds == info->dlpi_adds && memory->subs == info->dlpi_subs)
        return false;
    if (memory->subs != info->dlpi_subs)
        forget_objects(memory);
    memory->adds = info->dlpi_adds;
    memory->subs = info->dlpi_subs;
    return true;
}

/* The loader holds its lock of the link map until dl_iterate_phdr(3) returns: nothing is unloaded
 * meanwhile. All that is read of objects, and written to them, is so within the last call. */
static int walk_on(struct dl_phdr_info *info, size_t size, void *data)
{
    struct routine_walk *walk = data;
    const struct link_map *entry = walk->entry;
    struct routine_memory *memory = walk->search->memory;
    if (size < sizeof *info || entry == NULL || entry->l_addr != info->dlpi_addr ||
        entry->l_name != info->dlpi_name)
        return 1;
    if (entry->l_prev == NULL && !begins(memory, info))
        return 1;
    walk->entry = entry->l_next;
    if (walk->start == entry)
        walk->start = NULL;
    else if (walk->start == NULL && loaded_is_file(entry) &&
             !is_known(memory, walk->likely++, entry))
        add_object(walk->search, entry, info);
    if (walk->entry == NULL) {
        walk->search->missed +=
            walk->start != NULL; /* it is gone: what is behind it is not known */
        look_at_objects(walk->search);
    }
    return 0;
}

/* Where there was a designated routine in what has been loaded, calls may have been missed. */
static void settle_late(const struct routine_search *search)
{
    struct routine_memory *memory = search->memory;
    struct ledger_routines *head = memory->list.head;
    bool has_found = search->watched > 0 || search->missed > 0;
    if (!has_found && __atomic_load_n(&memory->has_loaded, __ATOMIC_RELAXED))
        return;
    uint32_t flags = __atomic_fetch_and(&head->flags, ~LEDGER_ROUTINES_LATE, __ATOMIC_RELAXED);
    if ((flags & LEDGER_ROUTINES_LATE) != 0 && has_found)
        __atomic_fetch_add(&head->missed, 1, __ATOMIC_RELAXED);
}

static void look(struct routine_memory *memory)
{
    struct routine_search search;
    const struct r_debug *loader = image_loader(&memory->image);
    if (loader == NULL || !routine_search_begin(&search, &memory->image, memory->policy))
        return;
    search.memory = memory;
    struct routine_walk walk = {&search, loader->r_map, last_of_start(memory),
                                memory->start_objects};
    memory->iterate(walk_on, &walk);
    settle_late(&search);
}

/* glibc's dl_iterate_phdr(3), which no other library's stands before here. Others hold no lock
 * while they call back. */
static bool can_iterate(struct routine_memory *memory)
{
    for (uint32_t i = 0; memory->iterate == NULL && i < memory->start_objects; i++) {
        const struct loaded *loaded = &memory->object[i].loaded;
        if (loaded->names == NULL || !text_equal(loaded->soname, "libc.so.6"))
            continue;
        uintptr_t function = loaded_function(loaded, "dl_iterate_phdr");
        memcpy(&memory->iterate, &function, sizeof function);
    }
    return memory->iterate != NULL;
}

/* What was loaded cannot be looked at: one miss for all of it. */
static void count_unseen(struct routine_memory *memory)
{
    if (memory->adds == 0)
        __atomic_fetch_add(&memory->list.head->missed, 1, __ATOMIC_RELAXED);
    memory->adds = 1;
}

/* Whether the process has one thread, and is no forked child of one with several. Before glibc 2.32
 * nobody knows. */
static bool is_alone(struct routine_memory *memory)
{
    if (__atomic_load_n(&memory->had_threads, __ATOMIC_RELAXED))
        return false;
    for (uint32_t i = 0; memory->is_single == NULL && i < memory->start_objects; i++)
        memory->is_single = loaded_data(&memory->object[i].loaded, "__libc_single_threaded");
    bool is_single =
        memory->is_single != NULL && __atomic_load_n(memory->is_single, __ATOMIC_RELAXED) != 0;
    if (!is_single)
        __atomic_store_n(&memory->had_threads, 1, __ATOMIC_RELAXED);
    return is_single;
}

/* dl_iterate_phdr(3) waits for a lock of the loader's that dlsym(3) does not take: another thread
 * may hold it and wait for this one, or may have held it when this process was forked. dlopen(3)
 * takes it where it loads something. */
static bool may_wait(struct routine_memory *memory, enum routine_loading loading)
{
    return is_alone(memory) || loading == ROUTINE_LOADING_OPEN;
}

static void look_if_loaded(struct routine_memory *memory, enum routine_loading loading)
{
    if (!__atomic_load_n(&memory->has_loaded, __ATOMIC_RELAXED) || !routines_are_noted(memory))
        return;
    bool can_look = can_iterate(memory);
    if (can_look && !may_wait(memory, loading)) {
        __atomic_fetch_or(&memory->list.head->flags, LEDGER_ROUTINES_LATE, __ATOMIC_RELAXED);
        return;
    }
    if (__atomic_exchange_n(&memory->is_looking, 1, __ATOMIC_ACQUIRE))
        return;
    __atomic_store_n(&memory->has_loaded, 0, __ATOMIC_RELAXED);
    if (can_look)
        look(memory);
    else
        count_unseen(memory);
    __atomic_store_n(&memory->is_looking, 0, __ATOMIC_RELEASE);
}

/* The loader has put the function's address over the stub at the first call, where it binds lazily.
 * Any later call of the others puts the stub there again. What anybody else has put there stays. */
static void point_again(struct routine_memory *memory)
{
    for (uint32_t i = 0; i < memory->pointer_count; i++) {
        uint32_t index = memory->pointer[i].entry;
        struct routine_entry *entry = &memory->entry[index];
        uintptr_t *slot = __atomic_load_n(&entry->slot, __ATOMIC_RELAXED);
        if (slot == NULL)
            continue;
        uintptr_t bound = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (bound == routine_stub(index))
            continue;
        if (bound != routine_search_function(memory, memory->pointer[i].name)) {
            if (__atomic_exchange_n(&entry->slot, NULL, __ATOMIC_RELAXED) != NULL)
                __atomic_fetch_add(&memory->list.head->missed, 1, __ATOMIC_RELAXED);
            continue;
        }
        __atomic_store_n(&entry->original, bound, __ATOMIC_RELAXED);
        __atomic_store_n(slot, routine_stub(index), __ATOMIC_RELAXED);
    }
}

uintptr_t routine_loads(struct routine_entry *entry, uintptr_t argument)
{
    struct routine_memory *memory = routine_known;
    enum routine_loading loading = (enum routine_loading)(uintptr_t)entry->cell;
    if (loading == ROUTINE_LOADING_CONFINE || loading == ROUTINE_LOADING_SYSCALL) {
        if (loading == ROUTINE_LOADING_CONFINE || argument == SYS_seccomp || argument == SYS_prctl)
            __atomic_store_n(&memory->is_confined, 1, __ATOMIC_RELAXED);
        return __atomic_load_n(&entry->original, __ATOMIC_RELAXED);
    }
    point_again(memory);
    look_if_loaded(memory, loading);
    if (loading == ROUTINE_LOADING_CLOSE)
        __atomic_fetch_add(&memory->closes, 1, __ATOMIC_SEQ_CST);
    if (loading != ROUTINE_LOADING_LOOK_UP)
        __atomic_store_n(&memory->has_loaded, 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&entry->original, __ATOMIC_RELAXED);
}

#endif
