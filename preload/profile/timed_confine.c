/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_confine.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "preload/memory.h"
#include "preload/profile/profile_run.h"
#include "preload/profile/timed_loads.h"
#include "preload/profile/timed_run.h"
#include "preload/profile/timed_slots.h"
#include "preload/system.h"

#if TIMED_LOADS > 0

static struct {
    bool is_instrumented; /* some object calls the hooks */
    uint32_t count;
    struct {
        uintptr_t target;
        bool is_syscall;
    } slot[TIMED_LOADS];
} known;

/* A filter that is NULL is the question whether there are filters. */
static bool is_confining_prctl(const uint64_t *argument)
{
    uint32_t option = (uint32_t)argument[0];
    if (option == PR_SET_TSC)
        return (uint32_t)argument[1] == PR_TSC_SIGSEGV;
    return option == PR_SET_SECCOMP && (argument[1] == SECCOMP_MODE_STRICT || argument[2] != 0);
}

static bool is_confining_syscall(const uint64_t *argument)
{
    uint32_t operation = (uint32_t)argument[1];
    if (argument[0] == SYS_prctl)
        return is_confining_prctl(argument + 1);
    return argument[0] == SYS_seccomp &&
           (operation == SECCOMP_SET_MODE_STRICT ||
            (operation == SECCOMP_SET_MODE_FILTER && argument[3] != 0));
}

uintptr_t timed_confines(uint32_t index, const uint64_t *argument)
{
    if (known.slot[index].is_syscall ? is_confining_syscall(argument)
                                     : is_confining_prctl(argument))
        profile_run_confine(known.is_instrumented || timed_routines.entries > 0);
    return known.slot[index].target;
}

/* A slot that is bound leads to the function, or to a stub of somebody else's before it. 0: nobody
 * has the function. */
static uintptr_t find_target(const struct timed_search *search, const struct loaded *importer,
                             const char *name, uintptr_t bound)
{
    uintptr_t function = 0;
    if (bound < importer->start || bound >= importer->end)
        return bound;
    for (uint32_t i = 0; i < search->count && function == 0; i++)
        function = loaded_function(&search->object[i].loaded, name);
    return function;
}

static void look_at_slot(struct timed_search *search, struct timed_object *object,
                         const ElfW(Rela) * relocation, bool is_seen)
{
    struct loaded *loaded = &object->loaded;
    const char *name = loaded_name(loaded, relocation);
    known.is_instrumented |= text_equal(name, "__cyg_profile_func_enter");
    bool is_syscall = text_equal(name, "syscall");
    uintptr_t *slot = (uintptr_t *)(loaded->entry->l_addr + relocation->r_offset);
    if (!is_seen || (!is_syscall && !text_equal(name, "prctl")) || timed_confine_is_stub(*slot) ||
        known.count == TIMED_LOADS || !timed_slots_know(search, object))
        return;
    uintptr_t target = find_target(search, loaded, name, *slot);
    if (target == 0 || !timed_slots_open(search, loaded, (uintptr_t)slot))
        return;
    known.slot[known.count].target = target;
    known.slot[known.count].is_syscall = is_syscall;
    __atomic_store_n(slot, timed_confine_stub(known.count), __ATOMIC_RELEASE);
    known.count++;
}

void timed_confine_point(struct timed_search *search, struct timed_object *object)
{
    timed_search_slots(search, object, look_at_slot);
}

#endif
