/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The objects that trampolines are copies of, one for each machine that this program was built for.
 */
#pragma once

#include "contrib/routines/robj/trampoline.h"

/* Opens the one for objects of such a machine. Returns 0, or -ENOENT where there is none.
 * trampoline_close() releases. */
int trampoline_find(const struct object *object, struct trampoline *template);
