/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The start-up object: the preload library as an object that is linked into programs. Static ones
 * have no loader that would read LD_PRELOAD.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ldwrap/elf_target.h"
#include "ldwrap/link_line.h"

/* Whether the site wants it in the output of this link. It is for programs that have the C
 * library's start-up code. */
bool startup_is_wanted(const struct link_line *line, uint32_t site);

/* Opens the object for this kind of program, "BEFORE<machine>AFTER" by its place relative to our
 * own file. Returns a descriptor of 200 or above, or -1 where there is none. Without `has_path` it
 * is of a copy in memory, for XALT's wrapper: that puts the real path of each input into its
 * record. */
int startup_open(const struct elf_target *target, const char *before, const char *after,
                 bool has_path);

/* ---- The library for profiles ---------------------------------------------------------------- */

/* The library for profiles as an archive with one member, for programs that were built with
 * -finstrument-functions: the linker takes the member where a function calls for it, and otherwise
 * leaves the archive alone. */

/* Where it has to stand in the linker's arguments: behind the program's own objects and libraries
 * and before the C library, which has empty functions of the names. 0: it is not wanted, or the
 * place is not known, as where they are in a response file. `site` is conf->profile_steps. */
int profile_archive_place(const struct link_line *line, uint32_t site,
                          const struct strings *arguments);
