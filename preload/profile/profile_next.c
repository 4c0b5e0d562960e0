/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/profile_next.h"

#include <link.h>
#include <stddef.h>

#include "preload/image.h"
#include "preload/loaded.h"
#include "preload/memory.h"
#include "preload/proc.h"
#include "preload/profile/profile_run.h"

/* The first entry of the link map; NULL: the program is static. */
static const struct link_map *first_entry(void)
{
    struct image image = *profile_run_image();
    if (image.phdr_count == 0 && !proc_find_image(-1, NULL, NULL, &image))
        return NULL;
    const struct r_debug *loader = image_loader(&image);
    return loader == NULL ? NULL : loader->r_map;
}

uintptr_t profile_next_function(const char *name, uintptr_t ours)
{
    const struct link_map *entry = first_entry();
    for (bool is_behind = false; entry != NULL; entry = entry->l_next) {
        struct loaded object = loaded_read(entry);
        uintptr_t function = loaded_function(&object, name);
        if (is_behind && function != 0)
            return function;
        is_behind |= function == ours;
    }
    return 0;
}

void profile_next_hooks(uintptr_t ours, struct profile_hooks *hooks)
{
    const struct link_map *entry = first_entry();
    uintptr_t enter = 0, exit = 0;
    for (; entry != NULL && enter == 0 && exit == 0; entry = entry->l_next) {
        struct loaded object = loaded_read(entry);
        if (object.names == NULL || text_after(object.soname, "libjobtrail") != NULL)
            continue;
        if (text_equal(object.soname, "libc.so.6"))
            break;
        enter = loaded_function(&object, "__cyg_profile_func_enter");
        exit = loaded_function(&object, "__cyg_profile_func_exit");
        if (enter == ours)
            enter = exit = 0;
    }
    __atomic_store_n(&hooks->enter, (profile_hook *)enter, __ATOMIC_RELAXED);
    __atomic_store_n(&hooks->exit, (profile_hook *)exit, __ATOMIC_RELAXED);
    __atomic_store_n(&hooks->state, enter == 0 && exit == 0 ? HOOKS_NONE : HOOKS_THERE,
                     __ATOMIC_RELEASE);
}
