/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_types.h"

#include <stddef.h>

#include "preload/profile/profile_own.h"

#if TIMED_STUBS > 0

struct timed_types timed_types;

/* MPI's of C: a handle is a word, or an int in the lower half of one. The error is the result, 0
 * where there is none. */
typedef int size_c_function(uintptr_t type, int *bytes);
typedef int envelope_c_function(uintptr_t type, int *integers, int *addresses, int *types,
                                int *combiner);
/* Of Fortran: its integers may have 8 bytes, of which one with 4 has the lower ones. */
typedef void size_fortran_function(const int64_t *type, int64_t *bytes, int64_t *error);
typedef void envelope_fortran_function(const int64_t *type, int64_t *integers, int64_t *addresses,
                                       int64_t *types, int64_t *combiner, int64_t *error);

static int64_t fortran_type(uint64_t key)
{
    return (int32_t)(uint32_t)key;
}

static bool ask_size(uint64_t key, bool is_fortran, int64_t *bytes)
{
    size_c_function *in_c = (size_c_function *)timed_types.size_c;
    size_fortran_function *in_fortran = (size_fortran_function *)timed_types.size_fortran;
    int64_t type = fortran_type(key), error = 1;
    int in_int = -1;
    *bytes = 0;
    if (is_fortran && in_fortran != NULL)
        in_fortran(&type, bytes, &error);
    else if (!is_fortran && in_c != NULL)
        error = in_c(key, &in_int);
    if (!is_fortran)
        *bytes = in_int;
    return error == 0 && *bytes >= 0 && *bytes <= INT32_MAX;
}

/* Types that are made of nothing are named by the standard. */
static bool is_named(uint64_t key, bool is_fortran)
{
    envelope_c_function *in_c = (envelope_c_function *)timed_types.envelope_c;
    envelope_fortran_function *in_fortran =
        (envelope_fortran_function *)timed_types.envelope_fortran;
    int64_t type = fortran_type(key), error = 1, number[4] = {1, 1, 1, 0};
    int part[4] = {1, 1, 1, 0};
    if (is_fortran && in_fortran != NULL)
        in_fortran(&type, &number[0], &number[1], &number[2], &number[3], &error);
    else if (!is_fortran && in_c != NULL)
        error = in_c(key, &part[0], &part[1], &part[2], &part[3]);
    bool is_made = is_fortran ? number[0] != 0 || number[1] != 0 || number[2] != 0
                              : part[0] != 0 || part[1] != 0 || part[2] != 0;
    return error == 0 && !is_made;
}

bool timed_types_ask(struct timed_own *own, uint64_t key, bool is_fortran, uint32_t *bytes)
{
    int64_t size;
    if (!ask_size(key, is_fortran, &size))
        return false;
    *bytes = (uint32_t)size;
    struct timed_type *type = &own->type[timed_types_place(key)];
    if (type->key == key)
        return true;
    bool is_made = !is_named(key, is_fortran);
    if (is_made && type->key != 0 && type->bytes != TIMED_MADE)
        return true;
    type->key = 0;
    profile_order();
    type->bytes = is_made ? TIMED_MADE : *bytes;
    profile_order();
    type->key = key;
    return true;
}

#endif
