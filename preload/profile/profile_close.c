/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/profile_close.h"

#include <dlfcn.h>
#include <stddef.h>

#include "preload/profile/profile_next.h"
#include "preload/profile/profile_object.h"
#include "preload/profile/profile_thread.h"

typedef int close_function(void *handle);

static uint32_t closes; /* atomic */

uint32_t profile_closes(void)
{
    return __atomic_load_n(&closes, __ATOMIC_RELAXED);
}

__attribute__((visibility("default"))) int dlclose(void *handle)
{
    static close_function *next;
    close_function *function = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (function == NULL) {
        function = (close_function *)profile_next_function("dlclose", (uintptr_t)dlclose);
        __atomic_store_n(&next, function, __ATOMIC_RELAXED);
    }
    int result = function == NULL ? -1 : function(handle);
    if (profile_object_forget()) {
        __atomic_fetch_add(&closes, 1, __ATOMIC_RELEASE);
        profile_thread_warn();
    }
    return result;
}
