/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a good configuration leaves out all the same: everything, kinds of programs, this host, the
 * sending of records.
 */
#include <string.h>
#include <sys/utsname.h>

#include "conf/base/cleanup.h"
#include "conf/command/doctor_checks.h"
#include "conf/command/explain.h"
#include "conf/compile.h"
#include "conf/conf_extension.h"
#include "conf/conf_rules.h"
#include "conf/conf_transport.h"

static void check_switches(struct doctor *doctor, const struct conf *conf)
{
    if (!conf->enabled) {
        doctor_add(doctor, FINDING_BAD, "tracking", conf->path, "",
                   "[tracking] enabled = no: nothing of new steps is recorded");
        doctor_mend(doctor, "write 'enabled = yes' in %s", conf->path);
        return;
    }
    if (conf->track_programs != CONF_PROGRAMS_ALL) {
        bool is_scalar = conf->track_programs == CONF_PROGRAMS_SCALAR;
        doctor_add(doctor, FINDING_WARN, "tracking", conf->path, "",
                   "[tracking] programs = %s: %s are not recorded", is_scalar ? "scalar" : "mpi",
                   is_scalar ? "MPI programs" : "programs of one task");
        doctor_mend(doctor, "write 'programs = all' in %s", conf->path);
    } else {
        doctor_add(doctor, FINDING_OK, "tracking", conf->path, "", "steps are recorded%s",
                   conf->sample ? ", as far as [sampling] keeps them" : "");
    }
}

/* By the host's name as the library takes it (preload/decide.c). */
static void check_host(struct doctor *doctor, const struct conf *conf)
{
    CLEANUP_FREE void *policy = NULL;
    struct conf_error why;
    struct utsname host;
    size_t size;
    if (compile_policy(conf, &policy, &size, &why) != 0 || uname(&host) != 0)
        return; /* doctor_files() tells */
    const struct explain explain = {conf, policy, conf->path};
    const struct explain_verdict verdict =
        explain_text(&explain, conf_list_find("hosts"), host.nodename);
    if (verdict.action != POLICY_SKIP) {
        doctor_add(doctor, FINDING_OK, "hosts", host.nodename, "", "no rule skips this host");
        return;
    }
    /* links are recorded whatever the rule says */
    doctor_add(doctor, doctor->roles & ROLE_NODE ? FINDING_BAD : FINDING_WARN, "hosts",
               host.nodename, "", "a rule of [hosts] skips this host: %s",
               doctor->roles & ROLE_NODE ? "no program of its jobs is recorded"
                                         : "nothing that runs here is recorded");
    doctor_mend(doctor, "write 'keep = %s' before 'skip = %.80s' in %s, line %u", host.nodename,
                verdict.rule->pattern, conf->path, verdict.rule->line);
}

void doctor_left_out(struct doctor *doctor, const struct conf *conf)
{
    const struct extension *extension;
    for (size_t at = 0; (extension = conf_left_out(conf, &at)) != NULL;)
        doctor_add(doctor, FINDING_WARN, extension->name, conf->path,
                   "remove the section, or build jobtrail with it", CONF_LEFT_OUT, extension->name,
                   extension->words);
}

static void check_rules(struct doctor *doctor, const struct conf *conf)
{
    for (size_t i = 0; i < CONF_LISTS; i++) {
        const struct conf_rules *rules = conf_list_rules(&conf_lists[i], conf);
        for (size_t at = 0; at < rules->count; at++) {
            const struct conf_rule *rule = &rules->rule[at];
            const char *doubt =
                rule->line == 0 ? NULL : conf_rule_doubt(&conf_lists[i], rule->pattern);
            if (doubt != NULL)
                doctor_add(doctor, FINDING_WARN, "tracking", conf->path, doubt,
                           "'%.80s' in [%s], line %u, cannot be meant", rule->pattern,
                           conf_lists[i].section, rule->line);
        }
    }
}

void doctor_tracking(struct doctor *doctor, const struct conf *conf)
{
    check_switches(doctor, conf);
    check_rules(doctor, conf);
    check_host(doctor, conf);
    if (strcmp(conf->transport, "none") == 0) {
        doctor_add(doctor, FINDING_BAD, "transport", "none", "",
                   "[transport] use = none: records are made, but not sent");
        doctor_mend(doctor, "write 'use = file' in %s", conf->path);
    }
}
