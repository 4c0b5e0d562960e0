/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The prepared archive: stubs, and behind them members with other names. So a linker takes what a
 * stub refers to in the same pass over the archive as without stubs, and members have the same
 * order in the program. Constructors run in it.
 */
#pragma once

#include <stdbool.h>

#include "contrib/routines/robj/entry_check.h"
#include "contrib/routines/robj/stub_object.h"

struct prepare_order {
    struct preparation preparation;
    const struct entries *entries;    /* that entries_check() has found no fault in */
    bool has_members;                 /* or the stubs alone */
    const struct stub_template *stub; /* where there are to be stubs */
    const char *library;              /* what their notes say it is */
};

/* What has been made, for people. */
struct prepared {
    size_t definitions, references, stubs; /* renamed, renamed, written */
    size_t inside;                         /* entries with a stub, to which members refer past it */
    size_t unsatisfied; /* references of members to old names, which nothing in the result has */
};

/* Writes the archive to `fd`, or the object where the input was one and no stubs are made. Returns
 * 0; -EFBIG where it would have 4 GiB or more; -ENOEXEC where a member is damaged; or -errno. */
int prepare_write(const struct prepare_order *order, int fd, struct prepared *prepared);
