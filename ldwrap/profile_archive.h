/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The library for profiles as an archive with one member, for programs that were built with
 * -finstrument-functions: the linker takes the member where a function calls for it, and otherwise
 * leaves the archive alone.
 */
#ifndef JOBTRAIL_LDWRAP_PROFILE_ARCHIVE_H
#define JOBTRAIL_LDWRAP_PROFILE_ARCHIVE_H

#include <stdint.h>

#include "ldwrap/link_line.h"

/* Where it has to stand in the linker's arguments: behind the program's own objects and libraries
 * and before the C library, which has empty functions of the names. 0: it is not wanted, or the
 * place is not known, as where they are in a response file. `site` is conf->profile_steps. */
int profile_archive_place(const struct link_line *line, uint32_t site,
                          const struct strings *arguments);

#endif
