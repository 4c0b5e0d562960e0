/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules of [routines] on this machine: whether they designate anything, whether programs can be
 * watched, and whether the map has the modules that they are about.
 */
#include <string.h>
#include <sys/utsname.h>

#include "conf/base/cleanup.h"
#include "conf/command/doctor_checks.h"
#include "conf/compile.h"
#include "conf/conf_rules.h"
#include "conf/library_modules.h"
#include "conf/policy/policy_read.h"
#include "contrib/routines/routine_modules.h"

/* Whether a rule keeps a library, not a routine alone. */
static bool is_any_designated(const struct conf *conf)
{
    static const char routine[] = "routine:";
    for (size_t i = 0; i < conf->routine.count; i++) {
        const struct conf_rule *rule = &conf->routine.rule[i];
        if (rule->action == POLICY_KEEP && strncmp(rule->pattern, routine, sizeof routine - 1) != 0)
            return true;
    }
    return false;
}

/* Each directory of a module has a rule behind those of the file. */
static bool has_directories(const struct conf *conf)
{
    CLEANUP_FREE void *policy = NULL;
    struct conf_error why;
    uint32_t count = 0;
    size_t size;
    if (compile_policy(conf, &policy, &size, &why) == 0)
        policy_rules(policy, POLICY_ROUTINE, &count);
    return count > conf->routine.count;
}

static bool is_map_good(struct doctor *doctor, const struct conf *conf)
{
    const struct conf_rule *first = routine_modules_rule(conf);
    struct module_map map;
    if (first == NULL)
        return true;
    int error = module_map_load(conf->link_modules, &map);
    if (error != 0) {
        doctor_add(doctor, FINDING_WARN, "routines", conf->link_modules,
                   "make the map; then: jobtrail-conf compile",
                   "%s: rules by module, as in line %u, designate nothing", strerror(-error),
                   first->line);
        return false;
    }
    module_map_free(&map);
    if (has_directories(conf))
        return true;
    doctor_add(doctor, FINDING_WARN, "routines", conf->link_modules,
               "fix the rule or the map; then: jobtrail-conf compile",
               "no module of the map with a directory here is designated, as by line %u",
               first->line);
    return false;
}

void doctor_routines(struct doctor *doctor, const struct conf *conf)
{
    struct utsname host;
    if (conf->routine.count == 0)
        return;
    if (!is_any_designated(conf)) {
        doctor_add(doctor, FINDING_WARN, "routines", conf->path,
                   "write 'keep = soname:NAME' for a library, or remove the section",
                   "no rule of [routines] keeps a library: nothing is noted");
        return;
    }
    if (uname(&host) == 0 && strcmp(host.machine, "x86_64") != 0) {
        doctor_add(doctor, FINDING_WARN, "routines", host.machine,
                   "nothing; records of runs here say that they were missed",
                   "calls are noted on x86_64 alone");
        return;
    }
    if (!is_map_good(doctor, conf))
        return;
    doctor_add(doctor, FINDING_OK, "routines", conf->path, "",
               "calls of routines of designated libraries are noted%s",
               conf->count_routines ? " and counted" : "");
}
