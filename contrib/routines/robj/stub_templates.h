/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The objects that stubs are copies of, one for each machine that this program was built for.
 */
#pragma once

#include "contrib/routines/robj/stub_object.h"

/* Opens the one for objects of such a machine. Returns 0, or -ENOENT where there is none.
 * stub_template_close() releases. */
int stub_template_find(const struct object *object, struct stub_template *stub);
