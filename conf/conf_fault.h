/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <errno.h>
#include <stddef.h>

/* Why a value of jobtrail.conf was refused. */
struct conf_fault {
    size_t offset;      /* of the offending byte in the value */
    const char *reason; /* static */
    const char *hint;   /* static, as it is until the next fault */
};

/* Fills `*fault`. Returns -EINVAL. */
static inline int conf_fault(struct conf_fault *fault, size_t offset, const char *reason,
                             const char *hint)
{
    *fault = (struct conf_fault){offset, reason, hint};
    return -EINVAL;
}
