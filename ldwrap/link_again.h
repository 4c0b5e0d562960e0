/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The second link of a program, with copies of designated archives that have stubs.
 */
#ifndef JOBTRAIL_LDWRAP_LINK_AGAIN_H
#define JOBTRAIL_LDWRAP_LINK_AGAIN_H

#include <stdbool.h>

#include "ldwrap/link_attempt.h"

/* Links again if that is to be done, after a link that has succeeded. If the second one fails, or
 * reads other files, the first is repeated. Returns whether the output is there. A signal from
 * outside that ends a linker ends this process. */
bool link_again(struct link_job *job, const struct link_attempt *first);

#endif
