/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/compiler_names.h"

#include <stddef.h>

#include "preload/memory.h"

bool compiler_names_has(const char *name)
{
    static const char begins[][20] = {
        "__cxa_",         "_Unwind_",          "__gxx_personality_",
        "__tls_get_addr", "__register_atfork", "__gmon_start__",
    };
    for (size_t i = 0; name[0] == '_' && i < sizeof begins / sizeof begins[0]; i++) {
        if (text_after(name, begins[i]) != NULL)
            return true;
    }
    return false;
}
