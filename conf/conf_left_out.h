/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sections of extensions that this jobtrail is built without.
 */
#ifndef JOBTRAIL_CONF_LEFT_OUT_H
#define JOBTRAIL_CONF_LEFT_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"

struct extension {
    const char *name;  /* also that of its section */
    const char *words; /* as people say it */
    bool is_built;
};

/* The next extension, from the number `*at` on (0 at first), that is not built, and in whose
 * section the file gives something, which has no effect. NULL: there is none. */
const struct extension *conf_left_out(const struct conf *conf, size_t *at);

/* Of its name and words. */
#define CONF_LEFT_OUT "[%s] has no effect: this jobtrail is built without %s"

#endif
