/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_slots.h"

#include <stddef.h>

#include "preload/profile/profile_grow.h"
#include "preload/profile/profile_run.h"
#include "preload/profile/timed_frames.h"
#include "preload/profile/timed_names.h"
#include "preload/profile/timed_own.h"
#include "preload/profile/timed_parts.h"
#include "preload/profile/timed_run.h"
#include "preload/profile/timed_types.h"
#include "preload/slots/slots_user.h"
#include "preload/system.h"

const char slots_user_name[] = "libjobtrail-profile.so";

void slots_user_object(struct slots *slots, struct slots_object *object)
{
    timed_parts_mark(slots, object);
}

#if TIMED_STUBS > 0

/* So many routines of what is loaded later have their counts where the process has begun before: of
 * MPI alone, and where libraries are designated (scipy has 1500). */
enum { MORE_OF_MPI = 64, MORE_ROUTINES = 2048 };

static struct slots *known; /* NULL: there is nothing to look at later */
static int32_t own_pid;     /* of the process that looked at the start */
static uint32_t told;       /* what timed_run_tell() knew */

/* How a stub reaches the routine. */
struct stub_way {
    uintptr_t target;     /* 0: by what the slot leads to now */
    uint32_t relocation;  /* the number of the slot's, if so */
    uintptr_t start, end; /* and where it has to lead to after the first call */
};

/* Of a slot that the loader has not bound: it would be written to at the first call. What it will
 * be is found here where importer and library are of the start. Else the loader is to find it then,
 * and to know that the one needs the other; and so where a library chooses a routine when it is
 * first called, which may be the vDSO's. The other library's stub stays in between. */
static bool find_way(struct slots *slots, const struct slots_import *import, struct stub_way *way)
{
    const struct loaded *library = &import->library->loaded;
    const struct slots_object *start = slots->object + slots_start(slots);
    bool is_start = import->importer < start && import->library < start;
    *way = (struct stub_way){.target = *import->slot};
    if (!import->is_lazy && !import->is_others)
        return true;
    *way = (struct stub_way){
        .relocation = import->is_others ? TIMED_OTHERS : import->relocation,
        .start = is_start ? 0 : library->start,
        .end = is_start ? UINTPTR_MAX : library->end,
    };
    if (!is_start || import->is_others)
        return slots_know(slots, import->library);
    if (import->symbol->st_shndx == SHN_ABS)
        return false;
    if ((import->symbol->st_info & 15u) != STT_GNU_IFUNC)
        way->target = library->entry->l_addr + import->symbol->st_value;
    return true;
}

static uint8_t find_words(uint32_t flags, int arguments)
{
    if (flags == 0)
        return TIMED_WORDS_BY_SITE;
    return arguments >= 0 && arguments <= 6 ? 0 : TIMED_WORDS_MPI;
}

/* Whether there was room. */
static bool add_entry(const struct slots_import *import, const struct stub_way *way)
{
    int arguments;
    const struct loaded *importer = &import->importer->loaded;
    uint32_t index = timed_routines.entries, routine = 0;
    if (index == TIMED_STUBS || !timed_run_routine(import->name, import->flags, &routine))
        return false;
    struct timed_entry *entry = &timed_entries[index];
    entry->size = timed_size_of(import->flags == 0 ? "" : import->name, &arguments);
    entry->is_lazy = import->is_lazy || import->was_lazy;
    entry->target = way->target;
    entry->routine = (uint16_t)routine;
    entry->words = find_words(import->flags, arguments);
    timed_callers[index] = (struct timed_caller){importer->start, importer->end, importer->frames};
    if (way->target == 0)
        timed_unbound[index] = (struct timed_unbound){.slot = import->slot,
                                                      .original = *import->slot,
                                                      .relocation = way->relocation,
                                                      .start = way->start,
                                                      .end = way->end};
    timed_routines.entries = index + 1;
    __atomic_store_n(import->slot, timed_stub(index), __ATOMIC_RELEASE);
    return true;
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

/* ---- What the room of slots asks for --------------------------------------------------------- */

bool slots_user_is_stub(uintptr_t address)
{
    return timed_is_stub(address);
}

/* In Fortran users have routines of their own whose names are as those of MPI: before MPI's one of
 * the same name stands a tool, or such a one. A tool that is part of the program is called by no
 * slot. */
enum slots_want slots_user_wants(struct slots *slots, struct slots_import *import)
{
    const struct slots_object *library = import->library;
    if (timed_name_is_mpi(import->name) && timed_parts_has(slots, import)) {
        import->flags = PROFILE_ROUTINE_MPI;
        return library->is_part || !timed_name_is_fortran(import->name) ||
                       timed_parts_wraps(library, import->name)
                   ? SLOTS_WANTED
                   : SLOTS_MISSED;
    }
    if (library->is_part && import->importer == slots->object &&
        timed_name_is_mpi(import->name + 1) && timed_parts_hides(import->importer, import->name)) {
        import->flags = PROFILE_ROUTINE_MPI;
        return SLOTS_MISSED;
    }
    enum timed_name kind =
        library->is_designated ? timed_name_kind(import->name) : TIMED_NAME_NEVER;
    if (kind == TIMED_NAME_NEVER || designation_skip(&slots->rules, library->after, import->name))
        return SLOTS_NOT;
    return kind == TIMED_NAME_MISSED ? SLOTS_MISSED : SLOTS_WANTED;
}

bool slots_user_found(struct slots *slots, const struct slots_import *import)
{
    struct stub_way way;
    timed_routines.is_later = slots->is_later;
    return find_way(slots, import, &way) &&
           slots_open(slots, &import->importer->loaded, (uintptr_t)import->slot) &&
           add_entry(import, &way);
}

void slots_user_miss(struct slots *slots, const struct slots_import *import)
{
    timed_routines.is_later = slots->is_later || import == NULL || import->slot == NULL;
    if (import == NULL)
        timed_run_miss("(other name space)", 0);
    else if ((import->slot != NULL && !slots->is_again) ||
             !timed_run_is_missed(import->name, import->flags))
        timed_run_miss(import->name, import->flags);
}

bool slots_user_is_below(struct slots *slots, struct slots_object *object)
{
    object->is_below = object->is_below || timed_parts_is_above(slots, object);
    return object->is_below;
}

bool slots_user_may_look(void)
{
    return known != NULL && profile_is_on;
}

void slots_user_late(struct slots *slots, bool is_late)
{
    (void)slots, (void)is_late;
}

void slots_user_looked(struct slots *slots)
{
    uint32_t found = timed_routines.missed_mpi + timed_routines.missed + timed_routines.entries;
    find_types(slots);
    if (found != told)
        timed_run_tell();
    told = found;
}

void slots_user_confine(const struct slots *slots)
{
    profile_run_confine(slots->is_instrumented || timed_routines.entries > 0);
}

/* ---- Start and end --------------------------------------------------------------------------- */

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
static void miss_unseen(const struct slots *slots)
{
    bool is_mpi = has_routines(true), is_designated = slots->has_rules && has_routines(false);
    if (is_mpi)
        timed_run_miss("(loaded later)", PROFILE_ROUTINE_MPI);
    if (is_designated)
        timed_run_miss(is_mpi ? "" : "(loaded later)", 0);
}

static int32_t find_pid(void)
{
    return (int32_t)system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static bool point_all(struct slots *slots, bool is_timing)
{
    if (!is_timing)
        slots->library_count = 0;
    find_types(slots);
    if (is_timing && slots->object[0].is_part) /* it is linked in */
        timed_run_miss("", PROFILE_ROUTINE_MPI);
    slots_look_at_all(slots);
    slots_point_loads(slots);
    if (slots->load_count == 0 && !slots->is_blind)
        return false;
    slots_start(slots);
    slots_keep(slots);
    own_pid = find_pid();
    timed_routines.more = !slots_may_load(slots) ? 0
                          : slots->has_rules     ? MORE_ROUTINES
                                                 : MORE_OF_MPI;
    if (is_timing)
        known = slots;
    return true;
}

void timed_slots_end(void)
{
    if (known == NULL || !profile_is_on || find_pid() != own_pid)
        return;
    if (slots_end(known))
        miss_unseen(known);
    if (timed_routines.missed + timed_routines.missed_mpi > 0 &&
        profile_run_begin()) /* what is missed is to be known of a program without calls too */
        timed_run_tell();
}

#else

void timed_slots_end(void)
{
}

#endif

/* Where there are no stubs each library is a miss. */
static void miss_all(const struct slots *slots)
{
    for (uint32_t i = 0; i < slots->count; i++) {
        if (slots->object[i].is_part)
            timed_run_miss("", PROFILE_ROUTINE_MPI);
        if (slots->object[i].is_designated)
            timed_run_miss("", 0);
    }
}

bool timed_slots_point(const void *policy, bool is_timing)
{
    struct slots *slots = profile_memory(sizeof *slots, false);
    if (slots == NULL)
        return false;
    slots_begin(slots, profile_run_image(), policy);
    bool can_point = TIMED_STUBS > 0 && !slots->is_forbidden;
#if TIMED_STUBS > 0
    if (can_point && point_all(slots, is_timing))
        return slots->has_rules;
#endif
    if (!can_point && is_timing)
        miss_all(slots);
    system_unmap(slots, sizeof *slots);
    return false;
}
