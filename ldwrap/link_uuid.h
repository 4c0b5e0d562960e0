/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_LINK_UUID_H
#define JOBTRAIL_LDWRAP_LINK_UUID_H

#include <uuid/uuid.h>

#include "ldwrap/string_list.h"

/* For reproducible builds: the same uuid, of version 5, for the same link at any place and time. It
 * is made of SOURCE_DATE_EPOCH and the linker's arguments, of which paths count by their last part
 * and compilers' temporary files not at all. Returns 0 or -ENOMEM. */
int link_uuid_reproducible(const char *source_date_epoch, const struct strings *arguments,
                           char uuid[UUID_STR_LEN]);

#endif
