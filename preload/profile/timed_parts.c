/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_parts.h"

#include <stddef.h>

#include "preload/memory.h"

/* Tools that stand before MPI define MPI_Init() too, and not these. */
static bool is_part_of_mpi(const struct loaded *object)
{
    static const char *const names[] = {"PMPI_Init", "pmpi_init_", "pmpi_init_f08_"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint32_t length, hash = loaded_hash(names[i], &length);
        if (loaded_has_function(object, names[i], hash))
            return true;
    }
    return false;
}

/* A component of Open MPI, which its libraries load, or what these and its daemons have below. */
static bool is_runtime(const struct loaded *object)
{
    static const char *const names[] = {"mca_", "libopen-pal.so", "libopen-rte.so", "libpmix.so",
                                        "libprrte.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (text_after(object->soname, names[i]) != NULL)
            return true;
    }
    return false;
}

void timed_parts_mark(const struct slots *slots, struct slots_object *object)
{
    const struct loaded *loaded = &object->loaded;
    object->is_part = is_part_of_mpi(loaded);
    object->is_wanted |= object->is_part;
    object->is_runtime = is_runtime(loaded);
    object->is_left = object->is_part || object->is_runtime ||
                      text_after(loaded->soname, "libjobtrail") != NULL ||
                      loaded->entry->l_addr == slots->image->loader_base;
}

#if SLOTS_LOADS > 0

bool timed_parts_has(const struct slots *slots, const struct slots_import *import)
{
    for (const struct slots_object *object = import->library; object < slots->object + slots->count;
         object++) {
        if (object->is_part && loaded_has_function(&object->loaded, import->name, import->hash))
            return true;
    }
    return false;
}

static bool mpi_needs(const struct slots *slots, const struct slots_object *object)
{
    for (uint32_t i = 0; i < slots->count; i++) {
        const struct slots_object *other = &slots->object[i];
        if ((other->is_part || other->is_runtime) &&
            loaded_needs(&other->loaded, object->loaded.soname))
            return true;
    }
    return false;
}

bool timed_parts_is_above(const struct slots *slots, const struct slots_object *object)
{
    bool has_parts = false;
    for (uint32_t i = 0; i < slots->count && !has_parts; i++)
        has_parts = slots->object[i].is_part || slots->object[i].is_runtime;
    if (!has_parts || mpi_needs(slots, object))
        return has_parts;
    for (uint32_t i = 0; i < slots->count; i++) {
        const struct slots_object *other = &slots->object[i];
        if (!other->is_left && loaded_needs(&other->loaded, object->loaded.soname) &&
            mpi_needs(slots, other))
            return true;
    }
    return false;
}

#endif
