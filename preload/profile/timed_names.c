/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_names.h"

#include <stddef.h>

#include "preload/memory.h"

bool timed_name_is_mpi(const char *name)
{
    const char *in_c = text_after(name, "MPI_"), *in_fortran = text_after(name, "mpi_");
    if (in_c != NULL)
        return in_c[0] >= 'A' && in_c[0] <= 'Z' && in_c[1] >= 'a' && in_c[1] <= 'z';
    size_t length = in_fortran == NULL ? 0 : text_length(in_fortran);
    return length > 4 && in_fortran[length - 1] == '_' &&
           !text_equal(in_fortran + length - 4, "_fn_");
}

bool timed_name_is_plain(const char *name)
{
    static const char *const never[] = {
        "backtrace",   "clone",        "dladdr",  "dlclose",    "dlinfo",     "dlmopen",
        "dlopen",      "dlsym",        "dlvsym",  "fork",       "getcontext", "longjmp",
        "makecontext", "mcount", "pthread_exit", "savectx", "setcontext", "setjmp",     "siglongjmp",
        "sigsetjmp",   "swapcontext",  "vfork",
    };
    if (name[0] == '_' && (name[1] != 'Z' || text_after(name, "_ZGV") != NULL))
        return false;
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        if (text_equal(name, never[i]))
            return false;
    }
    return true;
}
