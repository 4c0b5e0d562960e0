/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a good configuration leaves out all the same: everything, kinds of programs, this host, the
 * sending of records.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "conf/base/cleanup.h"
#include "conf/command/doctor_checks.h"
#include "conf/command/doctor_slurm.h"
#include "conf/command/explain.h"
#include "conf/compile.h"
#include "conf/conf_keys.h"
#include "conf/conf_transport.h"

/* "write 'enabled = yes' in FILE, line 12". */
static void mend_key(struct doctor *doctor, const struct conf *conf, const char *section,
                     const char *name, const char *value)
{
    unsigned line = conf->key_line[conf_key_find(section, name)];
    if (line > 0)
        doctor_mend(doctor, "write '%s = %s' in %s, line %u", name, value, conf->path, line);
    else
        doctor_mend(doctor, "write '%s = %s' in %s, section [%s]", name, value, conf->path,
                    section);
}

static void check_switches(struct doctor *doctor, const struct conf *conf)
{
    if (!conf->enabled) {
        doctor_add(doctor, FINDING_BAD, "tracking", conf->path, "",
                   "[tracking] enabled = no: nothing of new steps is recorded");
        mend_key(doctor, conf, "tracking", "enabled", "yes");
        return;
    }
    if (conf->track_programs != CONF_PROGRAMS_ALL) {
        bool is_scalar = conf->track_programs == CONF_PROGRAMS_SCALAR;
        doctor_add(doctor, FINDING_WARN, "tracking", conf->path, "",
                   "[tracking] programs = %s: %s are not recorded", is_scalar ? "scalar" : "mpi",
                   is_scalar ? "MPI programs" : "programs of one task");
        mend_key(doctor, conf, "tracking", "programs", "all");
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

static void check_transport(struct doctor *doctor, const struct conf *conf)
{
    if (strcmp(conf->transport, "none") != 0)
        return;
    doctor_add(doctor, FINDING_BAD, "transport", "none", "",
               "[transport] use = none: records are made and sent nowhere");
    mend_key(doctor, conf, "transport", "use", "file");
}

/* Without the line srun takes the option for an error. */
static void check_opt_out(struct doctor *doctor, const struct conf *conf)
{
    char line[3 * PATH_MAX];
    if (!conf->opt_out || doctor->has_plugstack || !(doctor->roles & ROLE_LOGIN))
        return;
    doctor_good_line("", conf->path, line, sizeof line);
    doctor_add(doctor, FINDING_WARN, "option", "--jobtrail", "",
               "[tracking] opt_out = yes, and srun does not have the option here");
    doctor_mend(doctor, "add '%s' to the plugstack.conf of this machine", line);
}

void doctor_tracking(struct doctor *doctor, const struct conf *conf)
{
    const struct extension *extension;
    for (size_t at = 0; (extension = conf_left_out(conf, &at)) != NULL;)
        doctor_add(doctor, FINDING_WARN, extension->name, conf->path,
                   "take the section out, or build jobtrail with it", CONF_LEFT_OUT,
                   extension->name, extension->words);
    check_switches(doctor, conf);
    check_host(doctor, conf);
    check_transport(doctor, conf);
    check_opt_out(doctor, conf);
}
