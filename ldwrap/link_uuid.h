/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_LINK_UUID_H
#define JOBTRAIL_LDWRAP_LINK_UUID_H

#include <stdint.h>

#include "ldwrap/string_list.h"

enum { LINK_UUID_SIZE = 37 };

/* A new uuid of version 7 (RFC 9562), of the time in ms since the Epoch. */
void link_uuid_new(uint64_t now_ms, char uuid[LINK_UUID_SIZE]);

/* For reproducible builds: the same uuid, of version 5, for the same link at any place and time. It
 * is made of SOURCE_DATE_EPOCH and the linker's arguments, of which paths count by their last part
 * and compilers' temporary files not at all. */
void link_uuid_reproducible(const char *source_date_epoch, const struct strings *arguments,
                            char uuid[LINK_UUID_SIZE]);

#endif
