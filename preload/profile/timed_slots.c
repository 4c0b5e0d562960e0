/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_slots.h"

#include <stdbool.h>
#include <stddef.h>

#include "preload/designation.h"
#include "preload/loaded.h"
#include "preload/memory.h"
#include "preload/profile/profile_grow.h"
#include "preload/profile/timed_names.h"
#include "preload/profile/timed_own.h"
#include "preload/profile/timed_run.h"
#include "preload/profile/timed_types.h"
#include "preload/profile/timed_versions.h"
#include "preload/system.h"

enum { OBJECTS_MAX = 1024 };

struct object {
    struct loaded loaded;
    bool is_mpi; /* it is a part of MPI */
    bool is_designated;
    bool is_left;   /* its own calls are not looked at */
    bool is_silent; /* it cannot be asked what it defines */
    uint32_t after; /* of designation_after() */
};

struct slots {
    const struct image *image;
    struct designation rules;
    bool has_rules;
    uint32_t found; /* objects of MPI, and designated ones */
    uint32_t count;
    struct object object[OBJECTS_MAX];
};

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

static void find_objects(struct slots *slots)
{
    const struct r_debug *loader = image_loader(slots->image);
    const struct link_map *entry = loader == NULL ? NULL : loader->r_map;
    for (; entry != NULL && slots->count < OBJECTS_MAX; entry = entry->l_next) {
        struct object *object = &slots->object[slots->count++];
        object->loaded = loaded_read(entry);
        bool is_program = entry == loader->r_map;
        if (!is_program && !loaded_is_file(entry)) {
            object->loaded.hash = NULL; /* nothing is bound to the vDSO */
            object->is_left = true;
            continue;
        }
        object->is_silent = object->loaded.hash == NULL && object->loaded.symbols != NULL;
        object->is_mpi = is_part_of_mpi(&object->loaded);
        object->is_designated = !is_program && slots->has_rules &&
                                designation_has_library(&slots->rules, &object->loaded);
        if (object->is_designated)
            object->after = designation_after(&slots->rules, object->loaded.soname);
        object->is_left = object->is_mpi || is_ours(&object->loaded) ||
                          entry->l_addr == slots->image->loader_base;
        slots->found += object->is_mpi || object->is_designated;
        /* linked into the program, or into a library of the application's */
        timed_routines.missed += object->is_mpi && is_program;
    }
}

#if TIMED_STUBS > 0

/* What an object imports. */
struct routine {
    const char *name;
    uint32_t flags;
    struct object *library;
    const ElfW(Sym) * symbol; /* of the library; NULL: which one is not known */
    bool is_unknown;          /* it need not be what its name says */
};

/* The first object that defines it, as the loader finds it. */
static void find_definer(struct slots *slots, const char *version, struct routine *routine)
{
    uint32_t length, hash = loaded_hash(routine->name, &length);
    bool is_known = version == NULL || *version != '\0';
    for (uint32_t i = 0; i < slots->count && routine->library == NULL; i++) {
        struct object *object = &slots->object[i];
        const ElfW(Sym) *symbol =
            timed_versions_find(&object->loaded, routine->name, hash, version);
        is_known &= !object->is_silent;
        if (symbol == NULL)
            continue;
        routine->library = object;
        routine->symbol = is_known ? symbol : NULL;
    }
}

/* Whether one of the designated libraries that the object uses defines it. */
static bool is_designated(const struct slots *slots, const struct object *object, const char *name)
{
    for (uint32_t i = 0; i < slots->count; i++) {
        const struct object *library = &slots->object[i];
        if (library->is_designated && has_function(&library->loaded, name) &&
            loaded_needs(&object->loaded, library->loaded.soname))
            return true;
    }
    return false;
}

/* A part of MPI defines it, or a tool that stands before one. */
static bool is_of_mpi(const struct slots *slots, const struct routine *routine)
{
    for (const struct object *object = routine->library; object < slots->object + slots->count;
         object++) {
        if (object->is_mpi && has_function(&object->loaded, routine->name))
            return true;
    }
    return false;
}

/* Whether it is to be counted. In Fortran users have routines of their own whose names are as those
 * of MPI: before MPI's one of the same name stands a tool, or such a one. */
static bool find_library(struct slots *slots, const struct object *object,
                         const ElfW(Rela) * import, struct routine *routine)
{
    uint32_t number = (uint32_t)ELF64_R_SYM(import->r_info);
    const ElfW(Sym) *symbol = &object->loaded.symbols[number];
    const char *name = object->loaded.names + symbol->st_name;
    *routine = (struct routine){.name = name};
    if (symbol->st_shndx != SHN_UNDEF)
        return false;
    bool is_mpi = timed_name_is_mpi(name);
    bool is_named =
        slots->has_rules && timed_name_is_plain(name) && is_designated(slots, object, name);
    if (is_mpi || is_named)
        find_definer(slots, timed_versions_wanted(&object->loaded, number), routine);
    const struct object *library = routine->library;
    if (library == NULL || library == object)
        return false;
    if (is_mpi && is_of_mpi(slots, routine)) {
        routine->flags = PROFILE_ROUTINE_MPI;
        routine->is_unknown = !library->is_mpi && name[0] == 'm';
        return true;
    }
    return is_named && library->is_designated &&
           !designation_skip(&slots->rules, library->after, name);
}

/* Where the call goes. 0: that is not known. A slot that the loader has not bound leads into its
 * own object; it would be written to at the first call, so what it will be is found here. */
static uintptr_t find_target(const struct loaded *importer, const struct routine *routine,
                             uintptr_t bound)
{
    const struct loaded *library = &routine->library->loaded;
    const ElfW(Sym) *symbol = routine->symbol;
    if (routine->is_unknown)
        return 0;
    if (bound < importer->start || bound >= importer->end)
        return bound >= library->start && bound < library->end ? bound : 0;
    return symbol == NULL || symbol->st_shndx == SHN_ABS || (symbol->st_info & 15u) == STT_GNU_IFUNC
               ? 0
               : library->entry->l_addr + symbol->st_value;
}

static uint32_t find_routine(const char *name, uint32_t flags)
{
    uint32_t i = 0;
    while (i < timed_routines.count && (timed_routines.routine[i].flags != flags ||
                                        !text_equal(timed_routines.routine[i].name, name)))
        i++;
    if (i == timed_routines.count && i < PROFILE_ROUTINES_MAX) {
        timed_routines.routine[i].name = name;
        timed_routines.routine[i].flags = flags;
        timed_routines.count++;
    }
    return i;
}

static uint8_t find_words(uint32_t flags, int arguments)
{
    if (flags == 0)
        return TIMED_WORDS;
    return arguments >= 0 && arguments <= 6 ? 0 : TIMED_WORDS_MPI;
}

static void add_entry(const char *name, uint32_t flags, uintptr_t target, uintptr_t *slot)
{
    int arguments;
    uint32_t index = timed_routines.entries;
    uint32_t routine =
        target == 0 || index == TIMED_STUBS ? PROFILE_ROUTINES_MAX : find_routine(name, flags);
    if (routine == PROFILE_ROUTINES_MAX) {
        timed_routines.missed++;
        return;
    }
    struct timed_entry *entry = &timed_entries[index];
    entry->size = timed_size_of(flags == 0 ? "" : name, &arguments);
    entry->target = target;
    entry->routine = (uint16_t)routine;
    entry->words = find_words(flags, arguments);
    *slot = timed_stub(index);
    timed_routines.entries = index + 1;
}

static bool know_segments(const struct slots *slots, struct object *object)
{
    return object->loaded.end != 0 ||
           loaded_find_segments(slots->image, object == slots->object, &object->loaded);
}

static bool make_writable(const struct loaded *loaded, int protection)
{
    size_t bytes = loaded->fixed_end - loaded->fixed_start;
    return system_call6(SYS_mprotect, (long)loaded->fixed_start, (long)bytes, protection, 0, 0,
                        0) == 0;
}

/* `*is_open`: what is read-only after relocation can be written to now. */
static void look_at_import(struct slots *slots, struct object *object, const ElfW(Rela) * import,
                           bool *is_open)
{
    struct loaded *loaded = &object->loaded;
    struct routine routine;
    if (!find_library(slots, object, import, &routine))
        return;
    uintptr_t *slot = (uintptr_t *)(loaded->entry->l_addr + import->r_offset);
    bool is_known = know_segments(slots, object) && know_segments(slots, routine.library);
    bool is_fixed =
        is_known && (uintptr_t)slot >= loaded->fixed_start && (uintptr_t)slot < loaded->fixed_end;
    if (is_fixed && !*is_open)
        *is_open = make_writable(loaded, PROT_READ | PROT_WRITE);
    uintptr_t target = !is_known || is_fixed > *is_open ? 0 : find_target(loaded, &routine, *slot);
    add_entry(routine.name, routine.flags, target, slot);
}

/* A slot of an address that is taken: where the object calls the routine as well, the linker makes
 * one slot of both, and calls are not seen. */
static void miss_import(struct slots *slots, const struct object *object, const ElfW(Rela) * import)
{
    struct routine routine;
    timed_routines.missed += find_library(slots, object, import, &routine);
}

/* Slots of calls alone, but where the object has none of these, as with -fno-plt. */
static void look_at_object(struct slots *slots, struct object *object)
{
    const struct loaded *loaded = &object->loaded;
    bool is_open = false;
    size_t calls = 0;
    for (size_t i = 0; i < loaded->call_count; i++) {
        if (ELF64_R_TYPE(loaded->calls[i].r_info) != R_X86_64_JUMP_SLOT)
            continue;
        calls++;
        look_at_import(slots, object, &loaded->calls[i], &is_open);
    }
    for (size_t i = 0; i < loaded->other_count; i++) {
        if (ELF64_R_TYPE(loaded->others[i].r_info) != R_X86_64_GLOB_DAT)
            continue;
        if (calls == 0)
            look_at_import(slots, object, &loaded->others[i], &is_open);
        else
            miss_import(slots, object, &loaded->others[i]);
    }
    if (is_open)
        make_writable(loaded, PROT_READ);
}

/* The functions of MPI that tell the size of a datatype. */
static void find_types(const struct slots *slots)
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
        for (uint32_t i = 0; i < slots->count && *functions[j].at == 0; i++)
            *functions[j].at = loaded_function(&slots->object[i].loaded, functions[j].name);
    }
}

static void point_all(struct slots *slots)
{
    find_types(slots);
    for (uint32_t i = 0; i < slots->count; i++) {
        if (!slots->object[i].is_left)
            look_at_object(slots, &slots->object[i]);
    }
}

#else

/* There are no stubs on this machine: each library is a miss. */
static void point_all(struct slots *slots)
{
    timed_routines.missed = slots->found;
}

#endif

void timed_slots_point(const struct image *image, const void *policy)
{
    struct slots *slots = profile_memory(sizeof *slots, false);
    if (slots == NULL)
        return;
    slots->image = image;
    slots->has_rules = policy != NULL && designation_find(&slots->rules, policy) &&
                       designation_has_loaded(&slots->rules);
    find_objects(slots);
    if (slots->found > 0)
        point_all(slots);
    system_unmap(slots, sizeof *slots);
}
