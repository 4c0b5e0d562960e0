/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_slots.h"

#include <stddef.h>

#include "preload/fixed_page.h"
#include "preload/loaded.h"
#include "preload/profile/profile_grow.h"
#include "preload/profile/timed_confine.h"
#include "preload/profile/timed_later.h"
#include "preload/profile/timed_own.h"
#include "preload/profile/timed_run.h"
#include "preload/profile/timed_types.h"
#include "preload/system.h"

#if TIMED_STUBS > 0

/* Of fixed_page_open(). */
static uintptr_t opened;

/* How a stub reaches the routine. */
struct stub_way {
    uintptr_t target;     /* 0: by what the slot leads to now */
    uint32_t relocation;  /* the number of the slot's, if so */
    uintptr_t start, end; /* and where it has to lead to after the first call */
};

static bool is_of_start(struct timed_search *search, const struct timed_object *object)
{
    return !search->is_later && object - search->object < (ptrdiff_t)timed_start_count(search);
}

/* Of a slot that the loader has not bound: it would be written to at the first call. What it will
 * be is found here where importer and library are of the start. Else the loader is to find it then,
 * and to know that the one needs the other; and so where a library chooses a routine when it is
 * first called, which may be the vDSO's. */
static bool find_unbound(struct timed_search *search, const struct timed_object *object,
                         const struct timed_import *import, const ElfW(Rela) * relocation,
                         struct stub_way *way)
{
    const struct loaded *library = &import->library->loaded;
    const ElfW(Sym) *symbol = import->symbol;
    bool is_start = is_of_start(search, object) && is_of_start(search, import->library);
    *way = (struct stub_way){
        .relocation = (uint32_t)(relocation - object->loaded.calls),
        .start = is_start ? 0 : library->start,
        .end = is_start ? UINTPTR_MAX : library->end,
    };
    if (!is_start)
        return timed_search_is_alone(search, import);
    if (symbol == NULL || symbol->st_shndx == SHN_ABS)
        return false;
    if ((symbol->st_info & 15u) != STT_GNU_IFUNC)
        way->target = library->entry->l_addr + symbol->st_value;
    return true;
}

/* Returns whether there is a way. A slot that is not bound leads into its own object. */
static bool find_way(struct timed_search *search, const struct timed_object *object,
                     const struct timed_import *import, const ElfW(Rela) * relocation,
                     uintptr_t bound, struct stub_way *way)
{
    const struct loaded *importer = &object->loaded, *library = &import->library->loaded;
    *way = (struct stub_way){.target = bound};
    if (import->is_unknown || (search->is_later && !timed_search_is_alone(search, import)))
        return false;
    if (bound >= importer->start && bound < importer->end)
        return find_unbound(search, object, import, relocation, way);
    return bound >= library->start && bound < library->end;
}

static uint8_t find_words(uint32_t flags, int arguments)
{
    if (flags == 0)
        return TIMED_WORDS_BY_SITE;
    return arguments >= 0 && arguments <= 6 ? 0 : TIMED_WORDS_MPI;
}

/* Whether there was room. */
static bool add_entry(const struct timed_import *import, const struct stub_way *way,
                      uintptr_t *slot)
{
    int arguments;
    uint32_t index = timed_routines.entries, routine = 0;
    if (index == TIMED_STUBS || !timed_run_routine(import->name, import->flags, &routine))
        return false;
    struct timed_entry *entry = &timed_entries[index];
    entry->size = timed_size_of(import->flags == 0 ? "" : import->name, &arguments);
    entry->target = way->target;
    entry->routine = (uint16_t)routine;
    entry->words = find_words(import->flags, arguments);
    if (way->target == 0)
        timed_unbound[index] = (struct timed_unbound){.slot = slot,
                                                      .original = *slot,
                                                      .relocation = way->relocation,
                                                      .start = way->start,
                                                      .end = way->end};
    timed_routines.entries = index + 1;
    __atomic_store_n(slot, timed_stub(index), __ATOMIC_RELEASE);
    return true;
}

bool timed_slots_know(const struct timed_search *search, struct timed_object *object)
{
    return object->loaded.end != 0 ||
           loaded_find_segments(search->image, object == search->object, &object->loaded);
}

bool timed_slots_open(const struct timed_search *search, const struct loaded *loaded,
                      uintptr_t slot)
{
    bool is_fixed = slot >= loaded->fixed_start && slot < loaded->fixed_end;
    return !is_fixed || (!search->is_later && fixed_page_open(&opened, loaded, slot));
}

static void look_at_slot(struct timed_search *search, struct timed_object *object,
                         const ElfW(Rela) * relocation, bool is_seen)
{
    struct loaded *loaded = &object->loaded;
    struct timed_import import;
    struct stub_way way;
    if (!timed_search_import(search, object, relocation, &import))
        return;
    uintptr_t *slot = (uintptr_t *)(loaded->entry->l_addr + relocation->r_offset);
    if (timed_is_stub(*slot))
        return;
    bool is_pointed =
        is_seen && timed_slots_know(search, object) && timed_slots_know(search, import.library) &&
        find_way(search, object, &import, relocation, *slot, &way) &&
        timed_slots_open(search, loaded, (uintptr_t)slot) && add_entry(&import, &way, slot);
    if ((!is_pointed || search->is_late) && !search->is_again)
        timed_run_miss(import.name, import.flags);
}

void timed_slots_close(void)
{
    fixed_page_close(&opened);
}

void timed_slots_look(struct timed_search *search, struct timed_object *object)
{
    timed_search_slots(search, object, look_at_slot);
}

static void look_at_object(struct timed_search *search, struct timed_object *object)
{
    timed_slots_look(search, object);
    timed_slots_close();
}

/* The functions of MPI that tell the size of a datatype. */
void timed_slots_types(const struct timed_search *search)
{
    const struct {
        uintptr_t *at;
        const char *name;
    } functions[] = {
        {&timed_types.size_c, "PMPI_Type_size"},
        {&timed_types.envelope_c, "PMPI_Type_get_envelope"},
        {&timed_types.size_fortran, "pmpi_type_size_"},
        {&timed_types.envelope_fortran, "pmpi_type_get_envelope_"},
    };
    for (size_t j = 0; j < sizeof functions / sizeof functions[0]; j++) {
        for (uint32_t i = 0; i < search->count && *functions[j].at == 0; i++)
            *functions[j].at = loaded_function(&search->object[i].loaded, functions[j].name);
    }
}

static void point_all(struct timed_search *search)
{
    timed_slots_types(search);
    if (search->object[0].is_mpi) /* it is linked in */
        timed_run_miss("", PROFILE_ROUTINE_MPI);
    for (uint32_t i = 0; i < search->count; i++) {
        if (!search->object[i].is_left)
            look_at_object(search, &search->object[i]);
    }
}

#else

/* There are no stubs on this machine: each library is a miss. */
static void point_all(struct timed_search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        if (search->object[i].is_mpi)
            timed_run_miss("", PROFILE_ROUTINE_MPI);
        if (search->object[i].is_designated)
            timed_run_miss("", 0);
    }
}

#endif

void timed_slots_confine(const struct image *image)
{
#if TIMED_STUBS > 0
    struct timed_search *search = profile_memory(sizeof *search, false);
    if (search == NULL)
        return;
    timed_search_begin(search, image, NULL);
    for (uint32_t i = 0; i < search->count; i++) {
        if (!search->object[i].is_left)
            timed_confine_point(search, &search->object[i]);
        timed_slots_close();
    }
    system_unmap(search, sizeof *search);
#else
    (void)image;
#endif
}

bool timed_slots_point(const struct image *image, const void *policy)
{
    struct timed_search *search = profile_memory(sizeof *search, false);
    if (search == NULL)
        return false;
    timed_search_begin(search, image, policy);
    if (search->found > 0)
        point_all(search);
    bool is_kept = timed_later_begin(search, policy);
    system_unmap(search, sizeof *search);
    return is_kept;
}
