/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules of [routines] about modules. A process knows nothing of modules, but the paths of its
 * libraries. So these rules become rules about the directories that the map of [link] modules has.
 */
#pragma once

#include "conf/conf.h"

#define ROUTINE_DIRECTORY "below:"

/* The first rule about modules, or NULL. */
const struct conf_rule *routine_modules_rule(const struct conf *conf);
