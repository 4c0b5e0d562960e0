/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sections of extensions that this jobtrail is built without.
 */
#ifndef JOBTRAIL_CONF_LEFT_OUT_H
#define JOBTRAIL_CONF_LEFT_OUT_H

#include <stddef.h>

#include "conf/conf.h"

/* The next section, from the number `*at` on (0 at first), that the file gives something in and
 * that has no effect: it has its extension's name. NULL: there is none. */
const char *conf_left_out(const struct conf *conf, size_t *at);

/* Of the name of an extension and its section. */
#define CONF_LEFT_OUT "[%s] has no effect: this jobtrail is built without %s"

#endif
