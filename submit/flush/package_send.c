/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/package_send.h"

#include <stdio.h>
#include <string.h>

#include "conf/policy/policy_read.h"
#include "contrib/hooks/packages.h"

static const struct policy_rule *match_rule(const void *policy, const struct package *package,
                                            const char *what, const char *text)
{
    char whole[PACKAGES_LINE + 64];
    int length = snprintf(whole, sizeof whole, "%s:%s:%s", package->program, what, text);
    if (length < 0 || (size_t)length >= sizeof whole)
        return NULL;
    return policy_match(policy, POLICY_PKG, whole, (size_t)length);
}

int package_kept(const void *policy, const struct package *package)
{
    const struct policy_rule *by_name = match_rule(policy, package, "name", package->name);
    const struct policy_rule *by_path = match_rule(policy, package, "path", package->path);
    const struct policy_rule *first =
        by_name == NULL || (by_path != NULL && by_path < by_name) ? by_path : by_name;
    return first == NULL || first->action != POLICY_SKIP;
}

static int send_one(const struct ledger_send *send, struct package_versions *versions,
                    const struct capture *capture, const struct package *package)
{
    char version[PACKAGE_VERSION_SIZE];
    struct built_record record;
    struct package_source source = {
        send->request->conf, &send->lines, send->request->identity, capture, package,
        package->version};
    if (package->version[0] == '\0' && strcmp(package->program, "python") == 0) {
        package_version_find(versions, package->name, package->path, version);
        source.version = version;
    }
    int error = package_record_build(&source, &record);
    return ledger_send_record(send, error, &record);
}

int package_send(const struct ledger_send *send, struct package_versions *versions,
                 const struct capture *capture, const struct package_run *run, uint64_t *records)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct package *package = &run->package[i];
        if (package->name[0] == '\0' || !package_kept(send->policy, package))
            continue;
        int error = send_one(send, versions, capture, package);
        if (error != 0)
            return error;
        ++*records;
    }
    return 0;
}
