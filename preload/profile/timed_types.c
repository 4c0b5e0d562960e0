/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_types.h"

#include <stddef.h>

#include "preload/memory.h"
#include "preload/profile/profile_own.h"

#if TIMED_STUBS > 0

struct timed_types timed_types;

/* MPI's of C: a handle is a word, or an int in the lower half of one. The error is the result, 0
 * where there is none. */
typedef int size_c_function(uintptr_t type, int *bytes);
typedef int envelope_c_function(uintptr_t type, int *integers, int *addresses, int *types,
                                int *combiner);
typedef void size_fortran_function(const int *type, int *bytes, int *error);
typedef void envelope_fortran_function(const int *type, int *integers, int *addresses, int *types,
                                       int *combiner, int *error);

static bool ask_size(uint64_t key, bool is_fortran, int *bytes)
{
    size_c_function *in_c = (size_c_function *)timed_types.size_c;
    size_fortran_function *in_fortran = (size_fortran_function *)timed_types.size_fortran;
    int type = (int)(uint32_t)key, error = 1;
    if (is_fortran && in_fortran != NULL)
        in_fortran(&type, bytes, &error);
    else if (!is_fortran && in_c != NULL)
        error = in_c(key, bytes);
    return error == 0 && *bytes >= 0;
}

/* Types that are made of nothing are named by the standard. */
static bool is_named(uint64_t key, bool is_fortran)
{
    envelope_c_function *in_c = (envelope_c_function *)timed_types.envelope_c;
    envelope_fortran_function *in_fortran =
        (envelope_fortran_function *)timed_types.envelope_fortran;
    int integers = 1, addresses = 1, types = 1, combiner = 0, error = 1;
    int type = (int)(uint32_t)key;
    if (is_fortran && in_fortran != NULL)
        in_fortran(&type, &integers, &addresses, &types, &combiner, &error);
    else if (!is_fortran && in_c != NULL)
        error = in_c(key, &integers, &addresses, &types, &combiner);
    return error == 0 && integers == 0 && addresses == 0 && types == 0;
}

bool timed_types_ask(struct timed_own *own, uint64_t key, bool is_fortran, uint32_t *bytes)
{
    int size = -1;
    if (!ask_size(key, is_fortran, &size))
        return false;
    *bytes = (uint32_t)size;
    if (!is_named(key, is_fortran))
        return true;
    struct timed_type *type = &own->type[timed_types_place(key)];
    type->key = 0;
    profile_order();
    type->bytes = *bytes;
    profile_order();
    type->key = key;
    return true;
}

#endif
