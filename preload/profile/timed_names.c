/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_names.h"

#include <stddef.h>

#include "preload/memory.h"
#include "preload/slots/designation.h"

static bool is_capital(char letter)
{
    return letter >= 'A' && letter <= 'Z';
}

static bool is_lower(char letter)
{
    return letter >= 'a' && letter <= 'z';
}

/* The name behind MPI's prefix in Fortran; NULL: it is none in Fortran. */
static const char *in_fortran(const char *name)
{
    const char *lower = text_after(name, "mpi_"), *upper = text_after(name, "MPI_");
    return lower != NULL                                                   ? lower
           : upper != NULL && is_capital(upper[0]) && is_capital(upper[1]) ? upper
                                                                           : NULL;
}

/* Constants of MPI that are functions, as MPI_NULL_COPY_FN. */
static bool is_constant(const char *name)
{
    static const char *const ends[] = {"_fn", "_FN", "_fn_null", "_FN_NULL"};
    size_t length = text_length(name);
    while (length > 0 && name[length - 1] == '_')
        length--;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t end = text_length(ends[i]);
        if (length >= end && memcmp(name + length - end, ends[i], end) == 0)
            return true;
    }
    return false;
}

bool timed_name_is_fortran(const char *name)
{
    return in_fortran(name) != NULL;
}

bool timed_name_is_mpi(const char *name)
{
    if (name[0] != 'M' && name[0] != 'm')
        return false;
    const char *in_c = text_after(name, "MPI_"), *other = in_fortran(name);
    if (other != NULL)
        return is_lower(other[0]) | is_capital(other[0]) && !is_constant(other);
    return in_c != NULL && is_capital(in_c[0]) && is_lower(in_c[1]);
}

static bool begins_with(const char *name, const char *const *begins, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text_after(name, begins[i]) != NULL)
            return true;
    }
    return false;
}

/* They return twice, look at who calls them, or keep registers that others change. */
static bool is_of_control(const char *name)
{
    static const char *const never[] = {
        "_Fork",          "__clone",     "__fork",        "__libc_start_main",
        "__libc_longjmp", "__longjmp",   "__longjmp_chk", "__sigsetjmp",
        "__vfork",        "_longjmp",    "_setjmp",       "backtrace",
        "clone",          "clone3",      "dladdr",        "dladdr1",
        "dlclose",        "dlinfo",      "dlmopen",       "dlopen",
        "dlsym",          "dlvsym",      "fork",          "getcontext",
        "longjmp",        "makecontext", "pthread_exit",  "savectx",
        "setcontext",     "setjmp",      "siglongjmp",    "sigsetjmp",
        "swapcontext",    "vfork",
    };
    static const char *const begins[] = {
        "_dl_",      "__asan_",           "__cyg_profile_", "__fentry__",
        "__hwasan_", "__libc_siglongjmp", "__lsan_",        "__morestack",
        "__msan_",   "__sanitizer_",      "__stack_chk_",   "__tsan_",
        "__ubsan_",  "_mcount",           "mcount",
    };
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        if (text_equal(name, never[i]))
            return true;
    }
    return compiler_names_has(name) || begins_with(name, begins, sizeof begins / sizeof begins[0]);
}

enum timed_name timed_name_kind(const char *name)
{
    static const char *const begins[] = {"_ZGV", "__kmpc_fork_", "__regcall", "__svml_"};
    if (is_of_control(name))
        return TIMED_NAME_NEVER;
    return begins_with(name, begins, sizeof begins / sizeof begins[0]) ? TIMED_NAME_MISSED
                                                                       : TIMED_NAME_PLAIN;
}
