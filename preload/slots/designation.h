/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What `[routines]` (jobtrail.conf(5)) says of libraries and their routines.
 */
#pragma once

#include <stdbool.h>

#include "conf/policy/policy_read.h"
#include "preload/loaded.h"

struct designation {
    struct policy_table table;                      /* of POLICY_ROUTINE */
    uint32_t after_soname, after_path, after_below; /* its states after "soname:" and so on */
};

/* Finds the rules of a usable policy. Returns whether they designate anything. */
bool designation_find(struct designation *rules, const void *policy);

/* Whether they designate the library, which is loaded. */
bool designation_has_library(const struct designation *rules, const struct loaded *object);

/* Whether they designate the archive of that name. */
bool designation_has_archive(const struct designation *rules, const char *name);

/* Where rules name archives alone, nothing that is loaded is designated. */
bool designation_has_loaded(const struct designation *rules);

/* The table's state after "routine:NAME:" of a library's name. */
uint32_t designation_after(const struct designation *rules, const char *library);

/* Whether a rule leaves out the routine, at the state of its library. */
bool designation_skip(const struct designation *rules, uint32_t after, const char *routine);

/* ---- Names that compilers add to ------------------------------------------------------------- */

/* Whether compilers and what they link to each object call the name, which no source does. Where
 * all else is compiled with -fno-plt, linkers may still make slots of calls for it. */
bool compiler_names_has(const char *name);
