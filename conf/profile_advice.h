/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PROFILE_ADVICE_H
#define JOBTRAIL_PROFILE_ADVICE_H

#include "conf/conf.h"

/* What keys of [profile] have no effect together with the others; static. NULL: all have. */
const char *profile_advice(const struct conf *conf);

#endif
