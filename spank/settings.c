/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/host.h"
#include "conf/policy/policy_open.h"
#include "conf/policy/policy_read.h"
#include "spank/profile_part.h"
#include "spank/spool_path.h"

const char *settings_conf(int argc, char *argv[])
{
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "conf=", 5) == 0)
            return argv[i] + 5;
    }
    return JOBTRAIL_CONF;
}

static bool is_later(const struct timespec *left, const struct timespec *right)
{
    return left->tv_sec != right->tv_sec ? left->tv_sec > right->tv_sec
                                         : left->tv_nsec > right->tv_nsec;
}

bool settings_is_stale(const char *conf)
{
    char path[PATH_MAX];
    struct stat source, compiled;
    if (!policy_path(conf, path, sizeof path) || stat(conf, &source) != 0)
        return false;
    /* The change time too: an older file moved into place is a new configuration.  A policy of the
     * same tick of the clock may have been made before the change: it is compiled once more. */
    return stat(path, &compiled) != 0 || !is_later(&compiled.st_mtim, &source.st_mtim) ||
           !is_later(&compiled.st_mtim, &source.st_ctim);
}

int settings_open(const char *conf, struct settings *settings)
{
    struct settings found = {.conf = conf};
    struct stat status;
    if (!policy_path(conf, found.policy_path, sizeof found.policy_path))
        return -ENAMETOOLONG;
    int error = policy_open(found.policy_path, &status, &found.policy);
    if (error < 0)
        return error;
    const struct policy_header *header = found.policy;
    const char *spool = policy_string(found.policy, POLICY_SPOOL);
    found.library = policy_string(found.policy, POLICY_LIBRARY);
    found.submit = policy_string(found.policy, POLICY_SUBMIT);
    found.hooks = policy_string(found.policy, POLICY_HOOKS);
    found.ledger_bytes = header->ledger_bytes;
    if (profile_part->make != NULL &&
        (header->switches & (POLICY_PROFILE_ASKED | POLICY_PROFILE_ALL)) != 0)
        found.profile_bytes = header->profile_bytes;
    found.epilog_timeout_s = header->epilog_timeout_s;
    found.switches = header->switches;
    if (spool == NULL || found.library == NULL || found.submit == NULL || found.hooks == NULL)
        error = -EINVAL;
    else
        error = spool_expand(spool, host_node(), found.spool, sizeof found.spool);
    if (error == 0)
        error = spool_expand_formats(spool, host_node(), 1, found.spools, sizeof found.spools - 1);
    if (error != 0) {
        free(found.policy);
        return error;
    }
    strcat(found.spools, "/");
    *settings = found;
    return 0;
}

enum spool_mount settings_mount(const struct settings *settings)
{
    return settings->switches & POLICY_MOUNT      ? SPOOL_MOUNT_YES
           : settings->switches & POLICY_NO_MOUNT ? SPOOL_MOUNT_NO
                                                  : SPOOL_MOUNT_AUTO;
}

void settings_close(struct settings *settings)
{
    free(settings->policy);
    settings->policy = NULL;
}
