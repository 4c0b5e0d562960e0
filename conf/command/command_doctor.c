/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/host.h"
#include "conf/command/command.h"
#include "conf/command/doctor_checks.h"

static const char *const states[] = {"ok", "warning", "bad"};

static const struct {
    enum doctor_role role;
    const char *name;
} roles[] = {{ROLE_NODE, "node"}, {ROLE_LOGIN, "login"}, {ROLE_COLLECTOR, "collector"}};

/* "node, login" of a bitmap of roles. */
static void roles_text(unsigned which, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof roles / sizeof *roles && length < size; i++)
        if (which & roles[i].role)
            length += (size_t)snprintf(text + length, size - length, "%s%s",
                                       length == 0 ? "" : ", ", roles[i].name);
}

/* Returns 0 where a word is no role. */
static unsigned parse_roles(const char *text)
{
    unsigned found = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, ","), i = 0;
        while (i < sizeof roles / sizeof *roles &&
               (strlen(roles[i].name) != length || memcmp(roles[i].name, text, length) != 0))
            i++;
        if (i == sizeof roles / sizeof *roles)
            return 0;
        found |= roles[i].role;
        text += length + (text[length] == ',');
    }
    return found;
}

/* In PATH, or where root's programs are, which may be missing in it. */
static bool has_program(const char *name)
{
    char dirs[8192], path[PATH_MAX], *rest = NULL;
    const char *own = getenv("PATH");
    snprintf(dirs, sizeof dirs, "%s:/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin",
             own == NULL ? "" : own);
    for (char *dir = strtok_r(dirs, ":", &rest); dir != NULL; dir = strtok_r(NULL, ":", &rest)) {
        snprintf(path, sizeof path, "%s/%s", dir, name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* Sets the roles: those that the list `asked` names, with commas between; or, where that is NULL,
 * those that are found out from what is installed, configured and running. Adds a finding that says
 * which, and why. Returns false where `asked` names none, or what is no role. */
static bool find_roles(struct doctor *doctor, const char *asked)
{
    char text[64], collector_env[PATH_MAX];
    bool has_slurmd = has_program("slurmd"), has_srun = has_program("srun");
    doctor_beside_conf(doctor, "collector.env", collector_env, sizeof collector_env);
    bool has_collector = access(collector_env, F_OK) == 0;
    if (asked != NULL) {
        doctor->roles = parse_roles(asked);
        return doctor->roles != 0;
    }
    if (has_slurmd)
        doctor->roles |= ROLE_NODE;
    else if (has_srun)
        doctor->roles |= ROLE_LOGIN;
    if (has_collector)
        doctor->roles |= ROLE_COLLECTOR;
    if (doctor->roles == 0)
        doctor->roles = ROLE_NODE;
    roles_text(doctor->roles, text, sizeof text);
    doctor_add(doctor, FINDING_OK, "role", text, "", "%s, and %s%s (--role chooses another one)",
               has_slurmd ? "slurmd is installed here"
               : has_srun ? "srun is installed here, and slurmd is not"
                          : "no Slurm is installed here",
               has_collector ? "there is " : "there is no ", collector_env);
    return true;
}

static enum exit_status print_json(const struct doctor *doctor)
{
    struct json_object *all = json_object_new_array();
    for (size_t i = 0; i < doctor->count; i++) {
        const struct finding *finding = &doctor->finding[i];
        struct json_object *one = json_object_new_object();
        json_object_object_add(one, "check", json_object_new_string(finding->check));
        json_object_object_add(one, "state", json_object_new_string(states[finding->state]));
        json_object_object_add(one, "object", json_object_new_string(finding->object));
        json_object_object_add(one, "found", json_object_new_string(finding->found));
        json_object_object_add(one, "fix", json_object_new_string(finding->advice));
        json_object_array_add(all, one);
    }
    return command_print_json(all);
}

static void print_text(const struct doctor *doctor)
{
    char names[64];
    unsigned count[3] = {0};
    for (size_t i = 0; i < doctor->count; i++) {
        const struct finding *finding = &doctor->finding[i];
        count[finding->state]++;
        printf("%-7s %s %s: %s%s%s\n", states[finding->state], finding->check, finding->object,
               finding->found, finding->advice[0] != '\0' ? ": " : "", finding->advice);
    }
    roles_text(doctor->roles, names, sizeof names);
    printf("%s: %u bad, %u %s, %u ok\n", names, count[FINDING_BAD], count[FINDING_WARN],
           count[FINDING_WARN] == 1 ? "warning" : "warnings", count[FINDING_OK]);
}

/* Bad ones first, else as they were found. */
static void sort_findings(struct doctor *doctor)
{
    static struct finding sorted[FINDINGS_MAX]; /* large */
    size_t count = 0;
    for (int state = FINDING_BAD; state >= FINDING_OK; state--)
        for (size_t i = 0; i < doctor->count; i++)
            if ((int)doctor->finding[i].state == state)
                sorted[count++] = doctor->finding[i];
    memcpy(doctor->finding, sorted, count * sizeof *sorted);
}

/* On a machine that is a collector alone there may be no configuration. Adds a finding unless it
 * returns true. */
static bool load_conf(struct doctor *doctor, struct conf *conf)
{
    struct conf_error why;
    char text[sizeof why + 64];
    if (doctor->roles == ROLE_COLLECTOR && access(doctor->conf, F_OK) != 0)
        return false;
    if (conf_load(doctor->conf, conf, &why) == 0)
        return true;
    conf_error_text(&why, text, sizeof text);
    doctor_add(doctor, FINDING_BAD, "configuration", doctor->conf, DOCTOR_ADVICE_CONF, "%s", text);
    return false;
}

static void look(struct doctor *doctor)
{
    struct conf conf;
    bool is_tried = false, is_loaded = false;
    for (const struct doctor_check *check = doctor_checks; check->look != NULL; check++) {
        if ((doctor->roles & check->roles) == 0)
            continue;
        if (check->needs_conf && !is_tried) {
            is_tried = true;
            is_loaded = load_conf(doctor, &conf);
        }
        if (is_loaded || !check->needs_conf)
            check->look(doctor, check->needs_conf ? &conf : NULL);
    }
    if (is_loaded)
        conf_free(&conf);
}

enum exit_status command_doctor(const struct options *options)
{
    static struct doctor doctor; /* large */
    doctor.node = options->node != NULL ? options->node : host_node();
    doctor.plugstack = options->plugstack;
    doctor.conf = options->conf;
    const struct doctor_run run = {options->user, options->args, options->timeout_s};
    doctor.run = options->run ? &run : NULL;
    bool is_run_only = options->args_count > 0 || options->user != NULL || options->timeout_s > 0;
    if (is_run_only && !options->run) {
        fprintf(stderr, "jobtrail-conf: --user, --timeout and options of srun go with --run\n");
        return STATUS_USAGE;
    }
    if (!find_roles(&doctor, options->role)) {
        fprintf(stderr, "jobtrail-conf: --role takes node, login, collector, or some of them with "
                        "commas between\n");
        return STATUS_USAGE;
    }
    if (options->run && !(doctor.roles & (ROLE_NODE | ROLE_LOGIN))) {
        fprintf(stderr, "jobtrail-conf: --run is for nodes and login nodes\n");
        return STATUS_USAGE;
    }
    if (!caller_is_root())
        doctor_add(&doctor, FINDING_WARN, "user", "uid", "run it as root",
                   "not root: what only root can read or change is not checked");
    look(&doctor);
    sort_findings(&doctor);
    bool is_bad = doctor.count > 0 && doctor.finding[0].state == FINDING_BAD;
    enum exit_status status = STATUS_OK;
    if (options->json)
        status = print_json(&doctor);
    else
        print_text(&doctor);
    return is_bad ? STATUS_REFUSED : status;
}
