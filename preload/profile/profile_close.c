/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/profile_close.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "preload/image.h"
#include "preload/loaded.h"
#include "preload/proc.h"
#include "preload/profile/profile_object.h"
#include "preload/profile/profile_run.h"
#include "preload/profile/profile_thread.h"
#include "preload/profile/timed_later.h"

typedef int close_function(void *handle);

static uint32_t closes; /* atomic */

uint32_t profile_closes(void)
{
    return __atomic_load_n(&closes, __ATOMIC_RELAXED);
}

/* The next one behind ours. Constructors of other libraries may call before ours has run. */
static close_function *find_next(void)
{
    struct image image = *profile_run_image();
    if (image.phdr_count == 0 && !proc_find_image(-1, NULL, NULL, &image))
        return NULL;
    const struct r_debug *loader = image_loader(&image);
    const struct link_map *entry = loader == NULL ? NULL : loader->r_map;
    for (bool is_behind = false; entry != NULL; entry = entry->l_next) {
        struct loaded object = loaded_read(entry);
        uintptr_t function = loaded_function(&object, "dlclose");
        if (is_behind && function != 0)
            return (close_function *)function;
        is_behind |= function == (uintptr_t)dlclose;
    }
    return NULL;
}

__attribute__((visibility("default"))) int dlclose(void *handle)
{
    static close_function *next;
    close_function *function = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (function == NULL) {
        function = find_next();
        __atomic_store_n(&next, function, __ATOMIC_RELAXED);
    }
    timed_later_close();
    int result = function == NULL ? -1 : function(handle);
    if (profile_object_forget()) {
        __atomic_fetch_add(&closes, 1, __ATOMIC_RELEASE);
        profile_thread_warn();
    }
    return result;
}
