/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/policy_load.h"

#include <limits.h>

#include "conf/compile.h"
#include "conf/policy/policy_open.h"
#include "conf/policy/policy_path.h"

int policy_load(const struct conf *conf, void **policy)
{
    char path[PATH_MAX];
    struct conf_error why;
    struct stat status;
    size_t size;
    if (policy_path(conf->path, path, sizeof path) && policy_open(path, &status, policy) == 0)
        return 0;
    return compile_policy(conf, policy, &size, &why);
}
