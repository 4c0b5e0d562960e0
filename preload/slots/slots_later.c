/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects that are loaded while the program runs. Stubs before dlopen(3) and its kin look at what
 * was loaded before, and jump on: these functions find out who calls them. They look under the
 * loader's lock, as other threads may unload libraries. See decision 101.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>

#include "preload/memory.h"
#include "preload/slots/signal_hold.h"
#include "preload/slots/slots.h"
#include "preload/slots/slots_user.h"
#include "preload/system.h"

#if SLOTS_LOADS > 0

/* Of the process; NULL: none lead to stubs. In .data, as private.c says. */
static struct slots *known __attribute__((section(".data")));

/* ---- One look -------------------------------------------------------------------------------- */

/* Whether the loader has finished the object. Until then it writes to what is read-only afterwards,
 * and to make that read-only now would end the process. futex(2) adds 0 to the first word there, or
 * says that it cannot be written to. An object without such a part has no mark. */
static bool is_finished(const struct loaded *object)
{
    if (object->fixed_end <= object->fixed_start)
        return true;
    return system_call6(SYS_futex, (long)object->fixed_start, FUTEX_WAKE_OP_PRIVATE, 0, 0,
                        (long)object->fixed_start,
                        FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) == -EFAULT;
}

static bool can_look(const struct slots *slots, struct slots_object *object)
{
    return slots_know(slots, object) && loaded_is_relocated(slots->image, &object->loaded) &&
           (__atomic_load_n(&slots->is_confined, __ATOMIC_RELAXED) || is_finished(&object->loaded));
}

/* One that was unloaded may have left its place to another one, which then has other slots: they
 * are looked at again, but what is missed is so once. The loader adds objects at the end: what is
 * before as many as were added is the one that was looked at. */
static bool is_seen(const struct slots *slots, const struct slots_object *object)
{
    for (uint32_t i = 0; i < slots->seen_count; i++) {
        if (slots->seen[i].entry == object->loaded.entry &&
            slots->seen[i].dynamic == object->dynamic)
            return true;
    }
    return false;
}

static void remember(struct slots *slots, const struct slots_object *object)
{
    if (slots->seen_count < SLOTS_OBJECTS_MAX && !is_seen(slots, object))
        slots->seen[slots->seen_count++] =
            (struct slots_seen){object->loaded.entry, object->dynamic};
}

/* Leaves the objects of the start, once it is known. */
static void forget(struct slots *slots)
{
    for (uint32_t i = slots->start; i < slots->count; i++) {
        if (!slots->object[i].is_new)
            remember(slots, &slots->object[i]);
    }
    slots_forget(slots, slots->start);
}

/* A walk of the link map by dl_iterate_phdr(3). The loader holds its lock until that returns. */
struct slots_walk {
    struct slots *slots;
    const struct link_map *entry; /* the next one */
    uint32_t at;
    uint64_t added; /* objects at the end that may be new, though others were there */
    bool is_left;   /* something is to be looked at once more */
};

static void look_at(struct slots_walk *walk, struct slots_object *object)
{
    struct slots *slots = walk->slots;
    uint64_t to_end = (uint64_t)(slots->object + slots->count - object);
    bool may_be_new = slots->is_reload && to_end <= walk->added;
    slots->is_again = is_seen(slots, object);
    if (slots->is_again && !may_be_new) {
        object->is_new = false;
        return;
    }
    if (!can_look(slots, object)) {
        walk->is_left = true;
        return;
    }
    slots_look(slots, object);
}

/* Objects in other name spaces than the program's, which the loader tells of since glibc 2.35. */
static void miss_spaces(struct slots *slots)
{
    struct space {
        struct r_debug base;
        const struct space *next;
    };
    const struct space *space = (const void *)image_loader(slots->image);
    while (space->base.r_version > 1 && (space = space->next) != NULL) {
        for (const struct link_map *entry = space->base.r_map; entry != NULL;
             entry = entry->l_next) {
            struct slots_object object = {.loaded = loaded_read(entry), .dynamic = entry->l_ld};
            if (!loaded_is_file(entry) || is_seen(slots, &object))
                continue;
            remember(slots, &object);
            if (slots->has_rules && designation_has_library(&slots->rules, &object.loaded))
                slots_user_miss(slots, NULL);
        }
    }
}

/* All objects are known: those behind the start's are looked at. */
static void look_at_all(struct slots_walk *walk)
{
    struct slots *slots = walk->slots;
    uint32_t start = slots_start(slots);
    for (uint32_t i = start; i < slots->count; i++) {
        struct slots_object *object = &slots->object[i];
        if (object->is_new && !object->is_left)
            look_at(walk, object);
    }
    if (slots->has_spaces)
        miss_spaces(slots);
    slots_point_loads(slots);
    slots_user_looked(slots);
    slots_close(slots);
}

/* Whether there is something new to look at. Objects are added with the loader's state set before,
 * which may have been set before the lock was taken. Of those that there were when this library
 * started, some may be gone: all are read again. */
static bool begins(struct slots_walk *walk, const struct dl_phdr_info *info)
{
    struct slots *slots = walk->slots;
    if (!image_is_consistent(image_loader(slots->image))) {
        walk->is_left = true;
        return false;
    }
    bool is_unloaded = slots->subs != info->dlpi_subs;
    if (!slots->is_left && !is_unloaded && slots->adds == info->dlpi_adds)
        return false;
    slots->is_reload |= is_unloaded;
    walk->added = info->dlpi_adds - slots->adds;
    if (is_unloaded || slots->start == 0)
        forget(slots);
    slots->is_later = true;
    slots->subs = info->dlpi_subs;
    return true;
}

/* All that is read of objects, and written to them, is so within the last call. */
static int walk_on(struct dl_phdr_info *info, size_t size, void *data)
{
    struct slots_walk *walk = data;
    struct slots *slots = walk->slots;
    const struct link_map *entry = walk->entry;
    if (size < sizeof *info || entry == NULL || entry->l_addr != info->dlpi_addr ||
        entry->l_name != info->dlpi_name || walk->at == SLOTS_OBJECTS_MAX) {
        walk->is_left = true;
        return 1;
    }
    if (walk->at == 0 && !begins(walk, info))
        return 1;
    if (walk->at < slots->count && slots->object[walk->at].loaded.entry != entry)
        slots_forget(slots, walk->at);
    if (walk->at == slots->count)
        slots_add(slots, entry, info);
    walk->at++;
    walk->entry = entry->l_next;
    if (walk->entry == NULL) {
        slots_forget(slots, walk->at);
        look_at_all(walk);
        if (!walk->is_left)
            slots->adds = info->dlpi_adds;
    }
    return 0;
}

/* Of what a slot has loaded that is not ours, nobody knows how long it has been there. */
static void look(struct slots *slots)
{
    const struct r_debug *loader = image_loader(slots->image);
    struct slots_walk walk = {.slots = slots, .entry = loader == NULL ? NULL : loader->r_map};
    bool was_late = __atomic_exchange_n(&slots->was_late, 0, __ATOMIC_RELAXED) != 0;
    bool has_loaded = __atomic_exchange_n(&slots->has_loaded, 0, __ATOMIC_RELAXED) != 0;
    slots->is_late = was_late || !has_loaded;
    slots->iterate(walk_on, &walk);
    slots->is_left = walk.is_left;
    if (!walk.is_left) {
        slots->is_reload = false;
        slots_user_late(slots, false);
        return;
    }
    __atomic_store_n(&slots->has_loaded, 1, __ATOMIC_RELAXED);
    if (was_late)
        __atomic_store_n(&slots->was_late, 1, __ATOMIC_RELAXED);
}

/* ---- When to look ---------------------------------------------------------------------------- */

/* Whether the process has one thread, and is no forked child of one with several. Before glibc 2.32
 * nobody knows. */
static bool is_alone(struct slots *slots)
{
    bool is_single =
        slots->is_single != NULL && __atomic_load_n(slots->is_single, __ATOMIC_RELAXED) != 0;
    if (!is_single)
        __atomic_store_n(&slots->had_threads, 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&slots->had_threads, __ATOMIC_RELAXED) == 0;
}

static void be_late(struct slots *slots)
{
    __atomic_store_n(&slots->was_late, 1, __ATOMIC_RELAXED);
    slots_user_late(slots, true);
}

/* A handler that left by siglongjmp(3) would keep the loader's lock, too. */
static void look_held(struct slots *slots)
{
    bool is_confined = __atomic_load_n(&slots->is_confined, __ATOMIC_RELAXED);
    uint64_t held = is_confined ? 0 : signals_hold();
    if (!__atomic_exchange_n(&slots->is_looking, 1, __ATOMIC_ACQUIRE)) {
        look(slots);
        __atomic_store_n(&slots->is_looking, 0, __ATOMIC_RELEASE);
    }
    if (!is_confined)
        signals_release(held);
}

/* dl_iterate_phdr(3) waits for a lock of the loader's that neither dlsym(3) nor exit(3) takes:
 * another thread may hold it and wait for this one, or may have held it when this process was
 * forked. dlopen(3) takes it where it loads something. */
static void look_if_loaded(struct slots *slots, enum slots_function function)
{
    bool is_alone_now = is_alone(slots);
    bool is_opening = function == SLOTS_FUNCTION_OPEN || function == SLOTS_FUNCTION_OPEN_SPACE;
    if ((!__atomic_load_n(&slots->has_loaded, __ATOMIC_RELAXED) && !slots->is_blind) ||
        !slots_user_may_look())
        return;
    if (slots->iterate != NULL && (is_alone_now || is_opening))
        look_held(slots);
    else if (function == SLOTS_FUNCTION_LOOK_UP || slots->iterate == NULL)
        be_late(slots);
}

/* Whether all that was looked at is still loaded. A call of dlclose(3) by its address, or within
 * libc, has no slot, and of a sandbox nobody may know: the link map is read, which no other thread
 * changes. */
static bool is_whole(struct slots *slots)
{
    uint32_t i = slots->start;
    if (!is_alone(slots))
        return false;
    const struct link_map *entry =
        i == 0 ? image_loader(slots->image)->r_map : slots->object[i - 1].loaded.entry->l_next;
    while (i < slots->count && entry == slots->object[i].loaded.entry &&
           entry->l_ld == slots->object[i].dynamic) {
        entry = entry->l_next;
        i++;
    }
    return i == slots->count;
}

/* Objects that may have been unloaded are not read. */
static void look_up(struct slots *slots, const uint64_t *argument)
{
    const char *name = (const char *)(uintptr_t)argument[1];
    if (slots->library_count == 0 || name == NULL || !slots_user_may_look() ||
        __atomic_exchange_n(&slots->is_looking, 1, __ATOMIC_ACQUIRE))
        return;
    slots_look_up(slots, is_whole(slots) ? slots->count : slots->start,
                  (const void *)(uintptr_t)argument[0], name);
    __atomic_store_n(&slots->is_looking, 0, __ATOMIC_RELEASE);
}

/* Of dlopen(3); some ask for what is there. */
static void will_load(struct slots *slots, const char *path, int flags)
{
    if (path != NULL && *path != '\0' && (flags & RTLD_NOLOAD) == 0)
        __atomic_store_n(&slots->has_loaded, 1, __ATOMIC_RELAXED);
}

uintptr_t slots_loads(uint32_t index, const uint64_t *argument)
{
    struct slots *slots = known;
    enum slots_function function = slots->load[index].function;
    bool is_space = function == SLOTS_FUNCTION_OPEN_SPACE;
    if (function == SLOTS_FUNCTION_PRCTL || function == SLOTS_FUNCTION_SYSCALL) {
        if (slots_is_confining(function, argument))
            slots_confine(slots);
        return slots->load[index].target;
    }
    look_if_loaded(slots, function);
    if (function == SLOTS_FUNCTION_LOOK_UP)
        look_up(slots, argument);
    else if (function == SLOTS_FUNCTION_CLOSE)
        __atomic_fetch_add(&slots->closes, 1, __ATOMIC_SEQ_CST);
    else
        will_load(slots, (const char *)(uintptr_t)argument[is_space], (int)argument[1 + is_space]);
    slots->has_spaces |= is_space && argument[0] != LM_ID_BASE;
    return slots->load[index].target;
}

void slots_keep(struct slots *slots)
{
    known = slots;
}

bool slots_may_load(const struct slots *slots)
{
    bool may_load = slots->is_blind;
    for (uint32_t i = 0; i < slots->load_count; i++)
        may_load |= slots->load[i].function == SLOTS_FUNCTION_OPEN ||
                    slots->load[i].function == SLOTS_FUNCTION_OPEN_SPACE;
    return may_load;
}

bool slots_end(struct slots *slots)
{
    if (slots->object[slots->start - 1].loaded.entry->l_next == NULL)
        return false;
    slots->is_end = true;
    look_if_loaded(slots, SLOTS_FUNCTION_END);
    return __atomic_load_n(&slots->has_loaded, __ATOMIC_RELAXED) != 0 ||
           __atomic_load_n(&slots->was_late, __ATOMIC_RELAXED) != 0;
}

#endif
