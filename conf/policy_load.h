/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_POLICY_LOAD_H
#define JOBTRAIL_POLICY_LOAD_H

#include "conf/conf.h"

/* The policy in force: the compiled file beside the configuration or, where that cannot be used
 * (or is not root's alone, see trusted.h), the configuration compiled anew. Returns 0 and sets
 * `*policy`, which the caller frees; or -errno
 * (-EINVAL: there is no compiled file, and the configuration's rules are bad). */
int policy_load(const struct conf *conf, void **policy);

#endif
