/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_search.h"

#include <stddef.h>

#include "preload/memory.h"
#include "preload/profile/profile_file.h"
#include "preload/profile/timed_names.h"

static bool has_function(const struct loaded *object, const char *name)
{
    uint32_t length, hash = loaded_hash(name, &length);
    return loaded_has_function(object, name, hash);
}

/* Tools that stand before MPI define MPI_Init() too, and not these. */
static bool is_part_of_mpi(const struct loaded *object)
{
    static const char *const names[] = {"PMPI_Init", "pmpi_init_", "pmpi_init_f08_"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (has_function(object, names[i]))
            return true;
    }
    return false;
}

static bool is_ours(const struct loaded *object)
{
    return text_after(object->soname, "libjobtrail") != NULL;
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

static void add_object(struct timed_search *search, const struct link_map *entry, bool is_program)
{
    struct timed_object *object = &search->object[search->count++];
    *object = (struct timed_object){.loaded = loaded_read(entry)};
    if (!is_program && !loaded_is_file(entry)) {
        object->loaded.hash = NULL; /* nothing is bound to the vDSO */
        object->is_left = true;
        return;
    }
    object->is_silent = object->loaded.hash == NULL && object->loaded.symbols != NULL;
    object->is_mpi = is_part_of_mpi(&object->loaded);
    object->is_designated = !is_program && search->has_rules &&
                            designation_has_library(&search->rules, &object->loaded);
    if (object->is_designated)
        object->after = designation_after(&search->rules, object->loaded.soname);
    object->is_runtime = is_runtime(&object->loaded);
    object->is_left = object->is_mpi || object->is_runtime || is_ours(&object->loaded) ||
                      entry->l_addr == search->image->loader_base;
    search->found += object->is_mpi || object->is_designated;
    search->parts += object->is_mpi || object->is_runtime;
}

void timed_search_begin(struct timed_search *search, const struct image *image, const void *policy)
{
    const struct r_debug *loader = image_loader(image);
    const struct link_map *entry = loader == NULL ? NULL : loader->r_map;
    search->image = image;
    search->has_rules = policy != NULL && designation_find(&search->rules, policy) &&
                        designation_has_loaded(&search->rules);
    search->is_later = search->is_late = search->is_again = false;
    search->found = search->parts = search->start = search->count = 0;
    for (; entry != NULL && search->count < TIMED_OBJECTS_MAX; entry = entry->l_next)
        add_object(search, entry, entry == loader->r_map);
}

uint32_t timed_start_count(struct timed_search *search)
{
    const struct loaded_map map = {&search->object[0].loaded, sizeof search->object[0],
                                   search->count};
    if (search->start == 0)
        search->start = loaded_start_count(&map, "libjobtrail-profile.so");
    return search->start;
}

#ifdef __LP64__

/* The first object that defines it, as the loader finds it. */
static void find_definer(struct timed_search *search, const char *version,
                         struct timed_import *import)
{
    uint32_t length, hash = loaded_hash(import->name, &length);
    bool is_known = version == NULL || *version != '\0';
    for (uint32_t i = 0; i < search->count && import->library == NULL; i++) {
        struct timed_object *object = &search->object[i];
        const ElfW(Sym) *symbol = loaded_version_find(&object->loaded, import->name, hash, version);
        is_known &= !object->is_silent;
        if (symbol == NULL)
            continue;
        import->library = object;
        import->symbol = is_known ? symbol : NULL;
    }
}

/* Whether one of the designated libraries that the object uses defines it. */
static bool is_designated(const struct timed_search *search, const struct timed_object *object,
                          const char *name)
{
    for (uint32_t i = 0; i < search->count; i++) {
        const struct timed_object *library = &search->object[i];
        if (library->is_designated && has_function(&library->loaded, name) &&
            loaded_needs(&object->loaded, library->loaded.soname))
            return true;
    }
    return false;
}

/* A part of MPI defines it, or a tool that stands before one. */
static bool is_of_mpi(const struct timed_search *search, const struct timed_import *import)
{
    for (const struct timed_object *object = import->library;
         object < search->object + search->count; object++) {
        if (object->is_mpi && has_function(&object->loaded, import->name))
            return true;
    }
    return false;
}

bool timed_search_is_alone(const struct timed_search *search, const struct timed_import *import)
{
    uint32_t length, hash = loaded_hash(import->name, &length), found = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct timed_object *object = &search->object[i];
        found += object->is_silent ||
                 loaded_next_symbol(&object->loaded, import->name, hash, NULL) != NULL;
    }
    return found == 1;
}

/* In Fortran users have routines of their own whose names are as those of MPI: before MPI's one of
 * the same name stands a tool, or such a one. */
bool timed_search_import(struct timed_search *search, const struct timed_object *object,
                         const ElfW(Rela) * relocation, struct timed_import *import)
{
    uint32_t number = (uint32_t)ELF64_R_SYM(relocation->r_info);
    const char *name = loaded_name(&object->loaded, relocation);
    *import = (struct timed_import){.name = name};
    if (object->loaded.symbols[number].st_shndx != SHN_UNDEF)
        return false;
    bool is_mpi = timed_name_is_mpi(name);
    enum timed_name kind = search->has_rules ? timed_name_kind(name) : TIMED_NAME_NEVER;
    bool is_named = kind != TIMED_NAME_NEVER && is_designated(search, object, name);
    if (is_mpi || is_named)
        find_definer(search, loaded_version_wanted(&object->loaded, number), import);
    const struct timed_object *library = import->library;
    if (library == NULL || library == object)
        return false;
    if (is_mpi && is_of_mpi(search, import)) {
        import->flags = PROFILE_ROUTINE_MPI;
        import->is_unknown = !library->is_mpi && timed_name_is_fortran(name);
        return true;
    }
    import->is_unknown = kind == TIMED_NAME_MISSED;
    return is_named && library->is_designated &&
           !designation_skip(&search->rules, library->after, name);
}

void timed_search_slots(struct timed_search *search, struct timed_object *object,
                        timed_slot_function *each)
{
    const struct loaded *loaded = &object->loaded;
    size_t calls = 0;
    for (size_t i = 0; i < loaded->call_count; i++) {
        if (ELF64_R_TYPE(loaded->calls[i].r_info) != R_X86_64_JUMP_SLOT)
            continue;
        calls += !compiler_names_has(loaded_name(loaded, &loaded->calls[i]));
        each(search, object, &loaded->calls[i], true);
    }
    for (size_t i = 0; i < loaded->other_count; i++) {
        if (ELF64_R_TYPE(loaded->others[i].r_info) == R_X86_64_GLOB_DAT)
            each(search, object, &loaded->others[i], calls == 0);
    }
}

#endif
