/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_later.h"

#include <dlfcn.h>
#include <stddef.h>

#include "preload/loaded.h"
#include "preload/memory.h"
#include "preload/profile/profile_grow.h"
#include "preload/profile/profile_hold.h"
#include "preload/profile/profile_run.h"
#include "preload/profile/timed_confine.h"
#include "preload/profile/timed_loads.h"
#include "preload/profile/timed_names.h"
#include "preload/profile/timed_run.h"
#include "preload/profile/timed_slots.h"
#include "preload/system.h"

#if TIMED_LOADS > 0

enum loading { LOADING_OPEN, LOADING_LOOK_UP, LOADING_CLOSE, LOADING_END };

/* So many routines of what is loaded later have their counts where the process has begun before. */
enum { MORE_ROUTINES = 64 };

typedef int each_object(struct dl_phdr_info *info, size_t size, void *data);

/* What has been looked at. */
struct seen_object {
    const struct link_map *entry;
    const ElfW(Dyn) * dynamic;
};

struct later {
    struct timed_search search;
    uint64_t adds, subs; /* objects that had been loaded; 0: some were left; and unloaded */
    uint32_t seen_count;
    struct seen_object seen[TIMED_OBJECTS_MAX];
};

static struct {
    const void *policy; /* NULL: there are no rules */
    int (*iterate)(each_object *each, void *data);
    const char *is_single;        /* __libc_single_threaded; NULL: nobody knows */
    const struct link_map *start; /* the last object of the start */
    int32_t pid;
    uint32_t count; /* of slots */
    struct {
        uintptr_t target;
        enum loading loading;
    } slot[TIMED_LOADS];
    struct later *memory; /* NULL: nothing was looked at */
    uint32_t has_loaded;  /* atomic; there may be something new */
    uint32_t is_looking;  /* atomic */
    uint32_t is_late;     /* atomic; something may have been called that was not looked at */
    bool is_blind;        /* some slot could not be pointed: each call asks */
} known;

/* A walk of dl_iterate_phdr(3), which holds the loader's lock of the link map: nothing is unloaded
 * meanwhile. */
struct timed_walk {
    struct timed_search *search;
    bool is_end, is_late;
    bool is_left;   /* something is to be looked at once more */
    bool is_reload; /* something was unloaded */
    uint32_t at;
};

static bool is_import_of_mpi(const struct loaded *loaded, const ElfW(Rela) * relocation)
{
    return ELF64_R_SYM(relocation->r_info) != 0 &&
           timed_name_is_mpi(loaded_name(loaded, relocation));
}

static bool may_import(const struct timed_search *search, const struct loaded *loaded)
{
    bool is_found = search->has_rules;
    for (size_t i = 0; i < loaded->call_count && !is_found; i++)
        is_found = is_import_of_mpi(loaded, &loaded->calls[i]);
    for (size_t i = 0; i < loaded->other_count && !is_found; i++)
        is_found = is_import_of_mpi(loaded, &loaded->others[i]);
    return is_found;
}

/* One that was unloaded may have left its place to another one, which then has other slots: they
 * are looked at again, but what is missed is so once. */
static bool is_seen(const struct later *later, const struct link_map *entry)
{
    for (uint32_t i = 0; i < later->seen_count; i++) {
        if (later->seen[i].entry == entry && later->seen[i].dynamic == entry->l_ld)
            return true;
    }
    return false;
}

static void point_loads(struct timed_search *search, struct timed_object *object);

static void miss_import(struct timed_search *search, struct timed_object *object,
                        const ElfW(Rela) * relocation, bool is_seen)
{
    struct timed_import import;
    (void)is_seen;
    if (timed_search_import(search, object, relocation, &import))
        timed_run_miss(import.name, import.flags);
}

static void look_at_object(struct timed_walk *walk, struct timed_object *object)
{
    struct timed_search *search = walk->search;
    struct later *later = known.memory;
    if (!loaded_find_segments(search->image, false, &object->loaded) ||
        !loaded_is_relocated(&object->loaded) || later->seen_count == TIMED_OBJECTS_MAX) {
        walk->is_left = true;
        return;
    }
    search->is_again = is_seen(later, object->loaded.entry);
    if (search->is_again && !walk->is_reload)
        return;
    if (!search->is_again)
        later->seen[later->seen_count++] =
            (struct seen_object){object->loaded.entry, object->loaded.entry->l_ld};
    if (walk->is_end && !search->is_again && may_import(search, &object->loaded))
        timed_search_slots(search, object, miss_import);
    else if (!walk->is_end && may_import(search, &object->loaded))
        timed_slots_look(search, object);
    if (!walk->is_end)
        point_loads(search, object);
}

/* All objects are known: those behind the start's are looked at. */
static void look_at_all(struct timed_walk *walk)
{
    struct timed_search *search = walk->search;
    bool is_behind = false;
    search->is_later = true;
    search->is_late = walk->is_late;
    timed_slots_types(search);
    for (uint32_t i = 0; i < search->count; i++) {
        struct timed_object *object = &search->object[i];
        if (is_behind && !object->is_left)
            look_at_object(walk, object);
        is_behind |= object->loaded.entry == known.start;
    }
}

/* Whether nothing was loaded or unloaded since all was looked at. */
static bool is_same(const struct later *later, const struct dl_phdr_info *info)
{
    return later->adds == info->dlpi_adds && later->subs == info->dlpi_subs;
}

/* The first call begins, and the last one, which has the headers of all objects, looks. */
static int walk_on(struct dl_phdr_info *info, size_t size, void *data)
{
    struct timed_walk *walk = data;
    struct timed_search *search = walk->search;
    const struct image *image = profile_run_image();
    if (size >= sizeof *info && walk->at == 0 && is_same(known.memory, info))
        return 1;
    if (size < sizeof *info || (walk->at == 0 && !image_is_consistent(image_loader(image)))) {
        walk->is_left = true;
        return 1;
    }
    if (walk->at == 0)
        timed_search_begin(search, image, known.policy);
    struct loaded *loaded = &search->object[walk->at].loaded;
    if (walk->at == search->count || loaded->entry->l_addr != info->dlpi_addr ||
        loaded->entry->l_name != info->dlpi_name) {
        walk->is_left = true;
        return 1;
    }
    loaded->phdr = info->dlpi_phdr;
    loaded->phdr_count = info->dlpi_phnum;
    if (++walk->at < search->count)
        return 0;
    walk->is_reload = known.memory->subs != info->dlpi_subs;
    known.memory->subs = info->dlpi_subs;
    look_at_all(walk);
    known.memory->adds = walk->is_left ? 0 : info->dlpi_adds;
    return 1;
}

static bool has_memory(void)
{
    if (known.memory == NULL)
        known.memory = profile_memory(sizeof *known.memory, false);
    return known.memory != NULL;
}

static void look(enum loading loading)
{
    if (!has_memory())
        return;
    uint32_t before = timed_routines.missed_mpi + timed_routines.missed + timed_routines.entries;
    struct timed_walk walk = {
        .search = &known.memory->search,
        .is_end = loading == LOADING_END,
        .is_late = __atomic_exchange_n(&known.is_late, 0, __ATOMIC_RELAXED) != 0,
    };
    timed_routines.is_later = true;
    known.iterate(walk_on, &walk);
    bool has_found =
        timed_routines.missed_mpi + timed_routines.missed + timed_routines.entries != before;
    if (has_found)
        timed_run_tell();
    if (walk.is_left)
        __atomic_store_n(&known.has_loaded, 1, __ATOMIC_RELAXED);
}

static void look_held(enum loading loading)
{
    if (__atomic_exchange_n(&known.is_looking, 1, __ATOMIC_ACQUIRE))
        return;
    /* of what a slot has loaded that is not ours, nobody knows how long it has been there */
    if (!__atomic_exchange_n(&known.has_loaded, 0, __ATOMIC_RELAXED))
        __atomic_store_n(&known.is_late, 1, __ATOMIC_RELAXED);
    look(loading);
    __atomic_store_n(&known.is_looking, 0, __ATOMIC_RELEASE);
}

static bool is_alone(void)
{
    return known.is_single != NULL && __atomic_load_n(known.is_single, __ATOMIC_RELAXED) != 0;
}

static bool is_forked(void)
{
    return known.pid != (int32_t)system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* dl_iterate_phdr(3) waits for a lock that neither dlsym(3) nor exit(3) takes: where another thread
 * may hold it, or had it when this process was forked, only dlopen(3) looks. */
static void look_if_loaded(enum loading loading)
{
    if ((!__atomic_load_n(&known.has_loaded, __ATOMIC_RELAXED) && !known.is_blind) ||
        !profile_is_on || known.start == NULL || known.start->l_next == NULL)
        return;
    if (is_forked() || (!is_alone() && loading != LOADING_OPEN)) {
        if (loading == LOADING_LOOK_UP) /* dlclose(3) is MPI's as well, and calls nothing */
            __atomic_store_n(&known.is_late, 1, __ATOMIC_RELAXED);
        return;
    }
    uint64_t held = profile_hold(); /* a handler that left would keep the loader's lock, too */
    look_held(loading);
    profile_hold_end(held);
}

/* Arguments of dlopen(3), of which some ask for what is there. */
static bool may_load(const char *path, int flags)
{
    return path != NULL && *path != '\0' && (flags & RTLD_NOLOAD) == 0;
}

uintptr_t timed_loads(uint32_t index, const uint64_t *argument)
{
    enum loading loading = known.slot[index].loading;
    const char *path = (const char *)(uintptr_t)argument[0];
    int flags = (int)argument[1];
    look_if_loaded(loading);
    if (loading == LOADING_OPEN && may_load(path, flags))
        __atomic_store_n(&known.has_loaded, 1, __ATOMIC_RELAXED);
    return known.slot[index].target;
}

void timed_later_close(void)
{
    look_if_loaded(LOADING_CLOSE);
}

/* Whether the process may call any routine of MPI, or of designated libraries, as far as seen. */
static bool has_routines(bool is_mpi)
{
    uint32_t found = is_mpi ? timed_routines.missed_mpi : timed_routines.missed;
    uint32_t count = __atomic_load_n(&timed_routines.count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count && found == 0; i++)
        found += (timed_routines.routine[i].flags == PROFILE_ROUTINE_MPI) == is_mpi;
    return found > 0;
}

/* What was loaded since the last look may be anything: one object, of what the process uses
 * elsewhere: tools with threads and plugins, as srun(1), are no programs of MPI. A name is of one
 * kind alone. */
static void miss_unseen(void)
{
    bool is_unseen = __atomic_load_n(&known.has_loaded, __ATOMIC_RELAXED) != 0 ||
                     __atomic_load_n(&known.is_late, __ATOMIC_RELAXED) != 0;
    if (!is_unseen || !profile_is_on || is_forked() || known.start->l_next == NULL)
        return;
    bool is_mpi = has_routines(true), is_designated = known.policy != NULL && has_routines(false);
    if (is_mpi)
        timed_run_miss("(loaded later)", PROFILE_ROUTINE_MPI);
    if (is_designated)
        timed_run_miss(is_mpi ? "" : "(loaded later)", 0);
}

void timed_later_end(void)
{
    if (known.iterate == NULL)
        return;
    look_if_loaded(LOADING_END);
    miss_unseen();
    if (timed_routines.missed + timed_routines.missed_mpi > 0 && profile_is_on && !is_forked() &&
        profile_run_begin()) /* what is missed is to be known of a program without calls too */
        timed_run_tell();
}

static bool mpi_needs(const struct timed_search *search, const struct timed_object *object)
{
    for (uint32_t i = 0; i < search->count; i++) {
        if ((search->object[i].is_mpi || search->object[i].is_runtime) &&
            loaded_needs(&search->object[i].loaded, object->loaded.soname))
            return true;
    }
    return false;
}

/* MPI's own libraries load parts of MPI, in threads too. */
static bool is_below_mpi(const struct timed_search *search, const struct timed_object *object)
{
    if (search->parts == 0 || mpi_needs(search, object))
        return search->parts > 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct timed_object *other = &search->object[i];
        if (!other->is_left && loaded_needs(&other->loaded, object->loaded.soname) &&
            mpi_needs(search, other))
            return true;
    }
    return false;
}

static bool find_loading(const char *name, enum loading *loading)
{
    if (name[0] != 'd' || name[1] != 'l')
        return false;
    *loading = text_equal(name, "dlopen") ? LOADING_OPEN : LOADING_LOOK_UP;
    return *loading == LOADING_OPEN || text_equal(name, "dlsym") || text_equal(name, "dlvsym");
}

/* The function that the slot is to lead to. A stub of another one's in it is left alone. 0: it is
 * not known. */
static uintptr_t find_function(struct timed_search *search, struct timed_object *object,
                               const ElfW(Rela) * relocation, uintptr_t bound)
{
    uint32_t length, number = (uint32_t)ELF64_R_SYM(relocation->r_info);
    const char *name = loaded_name(&object->loaded, relocation);
    uint32_t hash = loaded_hash(name, &length);
    const char *version = loaded_version_wanted(&object->loaded, number);
    for (uint32_t i = 0; i < search->count; i++) {
        const struct loaded *library = &search->object[i].loaded;
        const ElfW(Sym) *symbol = loaded_version_find(library, name, hash, version);
        if (symbol == NULL)
            continue;
        uintptr_t function = library->entry->l_addr + symbol->st_value;
        bool is_unbound = bound >= object->loaded.start && bound < object->loaded.end;
        return (symbol->st_info & 15u) == STT_FUNC && (is_unbound || bound == function) ? function
                                                                                        : 0;
    }
    return 0;
}

/* glibc's, which no other library's stands before here. Others hold no lock when they call back. */
static bool can_iterate(const struct timed_search *search)
{
    for (uint32_t i = 0; i < search->count && known.iterate == NULL; i++) {
        const struct loaded *loaded = &search->object[i].loaded;
        if (loaded->names == NULL || !text_equal(loaded->soname, "libc.so.6"))
            continue;
        uintptr_t function = loaded_function(loaded, "dl_iterate_phdr");
        memcpy(&known.iterate, &function, sizeof function);
        known.is_single = loaded_data(loaded, "__libc_single_threaded");
    }
    return known.iterate != NULL;
}

static void point_load(struct timed_search *search, struct timed_object *object,
                       const ElfW(Rela) * relocation, bool is_seen)
{
    enum loading loading;
    struct loaded *loaded = &object->loaded;
    if (object->is_below || !find_loading(loaded_name(loaded, relocation), &loading) ||
        !can_iterate(search))
        return;
    object->is_below = is_below_mpi(search, object);
    if (object->is_below)
        return;
    uintptr_t *slot = (uintptr_t *)(loaded->entry->l_addr + relocation->r_offset);
    if (timed_loads_is_stub(*slot))
        return;
    bool is_known =
        is_seen && known.count < TIMED_LOADS &&
        (loaded->end != 0 || loaded_find_segments(search->image, object == search->object, loaded));
    uintptr_t function = is_known ? find_function(search, object, relocation, *slot) : 0;
    if (function == 0 || !timed_slots_open(search, loaded, (uintptr_t)slot)) {
        known.is_blind = true;
        return;
    }
    known.slot[known.count].target = function;
    known.slot[known.count].loading = loading;
    __atomic_store_n(slot, timed_loads_stub(known.count), __ATOMIC_RELEASE);
    known.count++;
}

static void point_loads(struct timed_search *search, struct timed_object *object)
{
    timed_search_slots(search, object, point_load);
    timed_confine_point(search, object);
    timed_slots_close();
}

/* The last object of the start, which is never unloaded. Those behind it have been looked at. */
static const struct link_map *find_start(struct timed_search *search)
{
    uint32_t start = timed_start_count(search);
    if (start == search->count || !has_memory())
        return search->object[search->count - 1].loaded.entry;
    for (uint32_t i = start; i < search->count; i++) {
        const struct link_map *entry = search->object[i].loaded.entry;
        known.memory->seen[known.memory->seen_count++] = (struct seen_object){entry, entry->l_ld};
    }
    return search->object[start - 1].loaded.entry;
}

bool timed_later_begin(struct timed_search *search, const void *policy)
{
    for (uint32_t i = 0; i < search->count; i++) {
        if (!search->object[i].is_left)
            point_loads(search, &search->object[i]);
    }
    if (known.count == 0 && !known.is_blind)
        return false;
    known.start = find_start(search);
    known.pid = (int32_t)system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0);
    timed_routines.more = MORE_ROUTINES;
    known.policy = search->has_rules ? policy : NULL;
    return known.policy != NULL;
}

#else

bool timed_later_begin(struct timed_search *search, const void *policy)
{
    (void)search;
    (void)policy;
    return false;
}

void timed_later_close(void)
{
}

void timed_later_end(void)
{
}

#endif
