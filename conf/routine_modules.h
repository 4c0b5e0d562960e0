/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules of [routines] about modules. A process knows nothing of modules, but the paths of its
 * libraries. So these rules become rules about the directories that the map of [link] modules has.
 */
#ifndef JOBTRAIL_ROUTINE_MODULES_H
#define JOBTRAIL_ROUTINE_MODULES_H

#include <stdbool.h>

#include "conf/conf.h"
#include "conf/policy/policy_read.h"

#define ROUTINE_MODULE    "module:"
#define ROUTINE_DIRECTORY "below:"

/* The first rule about modules, or NULL. */
const struct conf_rule *routine_modules_rule(const struct conf *conf);

/* Fills `*all` with the rules of [routines], in their order, and behind them a rule for each
 * directory of which `table`, the automaton of these rules, designates the module. A directory
 * within such a one that is of a module which is not designated gets a rule that skips it: a
 * library is of the module of the longest directory. Each has the line of the rule that decides, or
 * none. Where the map cannot be read, no directory has a rule. Returns 0, or -ENOMEM; release
 * `*all` with routine_modules_free(). */
int routine_modules_rules(const struct conf *conf, const struct policy_table *table,
                          struct conf_rules *all);
void routine_modules_free(struct conf_rules *rules);

#endif
