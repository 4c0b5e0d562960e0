/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/trusted.h"
#include "conf/policy/policy_path.h"
#include "conf/policy/policy_read.h"
#include "spank/spool.h"
#include "spank/spool_path.h"

const char *settings_conf(int argc, char *argv[])
{
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "conf=", 5) == 0)
            return argv[i] + 5;
    }
    return JOBTRAIL_CONF;
}

static bool is_newer(const struct timespec *left, const struct timespec *right)
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
    /* The change time too: an older file moved into place is a new configuration. */
    return stat(path, &compiled) != 0 || is_newer(&source.st_mtim, &compiled.st_mtim) ||
           is_newer(&source.st_ctim, &compiled.st_mtim);
}

static int read_policy(const char *path, void **policy)
{
    struct stat status;
    char culprit[PATH_MAX];
    int fd = trusted_open(path, culprit, sizeof culprit);
    if (fd < 0)
        return fd;
    int result = -EINVAL;
    void *base = NULL;
    if (fstat(fd, &status) == 0 && status.st_size > 0 && status.st_size <= POLICY_MAX_BYTES) {
        size_t size = (size_t)status.st_size;
        base = malloc(size);
        if (base == NULL)
            result = -ENOMEM;
        else if (read(fd, base, size) == (ssize_t)size && policy_usable(base, size))
            result = 0;
    }
    close(fd);
    if (result == 0)
        *policy = base;
    else
        free(base);
    return result;
}

int settings_open(const char *conf, struct settings *settings)
{
    struct settings found = {.conf = conf};
    if (!policy_path(conf, found.policy_path, sizeof found.policy_path))
        return -ENAMETOOLONG;
    int result = read_policy(found.policy_path, &found.policy);
    if (result < 0)
        return result;
    const struct policy_header *header = found.policy;
    const char *spool = policy_string(found.policy, POLICY_SPOOL);
    found.library = policy_string(found.policy, POLICY_LIBRARY);
    found.submit = policy_string(found.policy, POLICY_SUBMIT);
    found.hooks = policy_string(found.policy, POLICY_HOOKS);
    found.ledger_bytes = header->ledger_bytes;
    found.epilog_timeout_s = header->epilog_timeout_s;
    found.switches = header->switches;
    if (spool == NULL || found.library == NULL || found.submit == NULL || found.hooks == NULL)
        result = -EINVAL;
    else
        result = spool_expand(spool, spool_node(), found.spool, sizeof found.spool);
    if (result == 0)
        *settings = found;
    else
        free(found.policy);
    return result;
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
