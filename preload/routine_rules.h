/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What `[routines]` (jobtrail.conf(5)) says of libraries and their routines.
 */
#ifndef JOBTRAIL_ROUTINE_RULES_H
#define JOBTRAIL_ROUTINE_RULES_H

#include "conf/policy/policy_read.h"

#include "preload/loaded.h"

struct routine_rules {
    struct policy_table table;                      /* of POLICY_ROUTINE */
    uint32_t after_soname, after_path, after_below; /* its states after "soname:" and so on */
};

/* Finds the rules of a usable policy. Returns whether they designate anything. */
bool routine_rules_find(struct routine_rules *rules, const void *policy);

/* Whether they designate the library, which is loaded. */
bool routine_rules_has_library(const struct routine_rules *rules, const struct loaded *object);

/* Whether they designate the archive of that name. */
bool routine_rules_has_archive(const struct routine_rules *rules, const char *name);

/* Where rules name archives alone, nothing that is loaded is designated. */
bool routine_rules_has_loaded(const struct routine_rules *rules);

/* The table's state after "routine:NAME:" of a library's name. */
uint32_t routine_rules_after(const struct routine_rules *rules, const char *library);

/* Whether a rule leaves out the routine, at the state of its library. */
bool routine_rules_skip(const struct routine_rules *rules, uint32_t after, const char *routine);

#endif
