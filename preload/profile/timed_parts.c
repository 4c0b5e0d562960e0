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

static char lower(char letter)
{
    return (char)(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
}

/* Whether "PMPI_Send", or "pmpi_send_", is what stands behind "mpi_send_", or "mpi_send_f08_". */
static bool is_behind(const char *import, const char *name)
{
    if (lower(*import++) != 'p')
        return false;
    while (*import != '\0' && lower(*import) == lower(*name)) {
        import++;
        name++;
    }
    while (*import == '_')
        import++;
    while (*name == '_')
        name++;
    return *import == '\0' && (*name == '\0' || text_after(name, "f08") != NULL);
}

bool timed_parts_wraps(const struct slots_object *object, const char *name)
{
    const struct loaded *loaded = &object->loaded;
    uint32_t imports = loaded->hash == NULL ? 0 : loaded->hash[1]; /* they come first */
    for (uint32_t i = 1; i < imports; i++) {
        if (loaded->symbols[i].st_shndx == SHN_UNDEF &&
            is_behind(loaded->names + loaded->symbols[i].st_name, name))
            return true;
    }
    return false;
}

bool timed_parts_hides(const struct slots_object *object, const char *name)
{
    uint32_t length, hash = loaded_hash(name + 1, &length);
    return lower(name[0]) == 'p' && loaded_has_function(&object->loaded, name + 1, hash);
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
