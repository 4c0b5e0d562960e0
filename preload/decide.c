/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decide.h"

#include <sys/stat.h>
#include <sys/utsname.h>

#include "memory.h"
#include "policy_read.h"
#include "system.h"

int decide_by_switches(const struct switches *switches)
{
    if (switches->spool == NULL || switches->policy == NULL || !switches->executable)
        return 0;
    if (switches->rank != 0)
        return 0;
    return switches->size > 1 ? switches->mpi : switches->scalar;
}

int decide_map(const char *path, struct decide_policy *policy)
{
    struct stat status;
    int fd = system_open(path, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return 0;
    void *base = NULL;
    if (system_call6(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) == 0 &&
        S_ISREG(status.st_mode) && status.st_size > 0 && status.st_size <= POLICY_MAX_BYTES)
        base = system_map((size_t)status.st_size, PROT_READ, fd, 0);
    system_close(fd);
    if (base == NULL)
        return 0;
    *policy = (struct decide_policy){base, (size_t)status.st_size};
    if (policy_usable(base, policy->size))
        return 1;
    decide_unmap(policy);
    return 0;
}

void decide_unmap(struct decide_policy *policy)
{
    system_unmap(policy->base, policy->size);
}

static int host_accepted(const void *policy)
{
    struct utsname name;
    uint32_t rules;
    if (policy_rules(policy, POLICY_HOST, &rules) == NULL || rules == 0)
        return 1;
    if (system_call6(SYS_uname, (long)&name, 0, 0, 0, 0, 0) != 0)
        return 1;
    const struct policy_rule *rule =
        policy_match(policy, POLICY_HOST, name.nodename, text_length(name.nodename));
    return rule == NULL || rule->action != POLICY_SKIP;
}

int decide_by_policy(const struct decide_policy *policy, const struct decide_path *path, int *pkgs)
{
    if (!host_accepted(policy->base))
        return 0;
    const struct policy_rule *rule =
        policy_match(policy->base, POLICY_PATH, path->text, path->length);
    *pkgs = rule != NULL && rule->action == POLICY_PKGS;
    return rule == NULL || rule->action != POLICY_SKIP;
}
