/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/host.h"
#include "conf/command/command.h"
#include "conf/command/doctor.h"
#include "conf/conf_defaults.h"

static const char *const states[] = {"ok", "warning", "bad"};

void doctor_add(struct doctor *doctor, enum finding_state state, const char *check,
                const char *object, const char *advice, const char *format, ...)
{
    va_list arguments;
    doctor->is_full = doctor->count == FINDINGS_MAX;
    if (doctor->is_full)
        return;
    struct finding *finding = &doctor->finding[doctor->count++];
    finding->state = state;
    finding->check = check;
    snprintf(finding->advice, sizeof finding->advice, "%s", advice);
    snprintf(finding->object, sizeof finding->object, "%s", object);
    va_start(arguments, format);
    vsnprintf(finding->found, sizeof finding->found, format, arguments);
    va_end(arguments);
}

void doctor_mend(struct doctor *doctor, const char *format, ...)
{
    va_list arguments;
    if (doctor->is_full || doctor->count == 0)
        return;
    struct finding *last = &doctor->finding[doctor->count - 1];
    va_start(arguments, format);
    vsnprintf(last->advice, sizeof last->advice, format, arguments);
    va_end(arguments);
}

void doctor_time_text(int64_t time_s, char *text, size_t size)
{
    time_t time = (time_t)time_s;
    struct tm local;
    if (localtime_r(&time, &local) == NULL ||
        strftime(text, size, "%Y-%m-%d %H:%M:%S", &local) == 0)
        text[0] = '\0';
}

/* Adds a finding unless it returns true. */
static bool load_conf(struct doctor *doctor, struct conf *conf)
{
    struct conf_error why;
    char text[sizeof why + 64];
    if (conf_load(doctor->conf, conf, &why) == 0)
        return true;
    conf_error_text(&why, text, sizeof text);
    doctor_add(doctor, FINDING_BAD, "configuration", doctor->conf, DOCTOR_ADVICE_CONF, "%s", text);
    return false;
}

static void check_libraries(struct doctor *doctor, const struct conf *conf)
{
#if JOBTRAIL_LIBRARIES
    doctor_libraries(doctor, conf);
#else
    if (conf->library_trees.count > 0 || conf->library_log_dir[0] != '\0')
        doctor_add(doctor, FINDING_WARN, "libraries", "[libraries]",
                   "take the section out of jobtrail.conf, or build jobtrail with libraries",
                   "this jobtrail is built without libraries");
#endif
}

static void check_conf(struct doctor *doctor, const struct options *options)
{
    const struct doctor_run run = {options->user, options->args, options->args_count,
                                   options->timeout_s};
    struct conf conf;
    if (!load_conf(doctor, &conf))
        return;
    doctor_files(doctor, &conf);
    doctor_tracking(doctor, &conf);
    if (doctor->roles & ROLE_NODE) {
        doctor_spool(doctor, &conf);
        doctor_witness(doctor, &conf);
        doctor_profiles(doctor, &conf);
    }
    doctor_directories(doctor, &conf);
    doctor_secrets(doctor, &conf);
    doctor_transports(doctor, &conf);
    doctor_links(doctor, &conf);
    doctor_routines(doctor, &conf);
    doctor_flush(doctor, &conf);
    doctor_answers(doctor, &conf);
    check_libraries(doctor, &conf);
    if (options->run)
        doctor_run(doctor, &conf, &run);
    conf_free(&conf);
}

/* The configuration to look at: the one asked for, or that of the plugin's line. */
static const char *choose_conf(struct doctor *doctor, const struct options *options,
                               const struct plugstack_line *line)
{
    const char *plugin = line->conf[0] != '\0' ? line->conf : DEFAULT_CONF;
    if (strcmp(options->conf, DEFAULT_CONF) == 0 || strcmp(options->conf, plugin) == 0)
        return plugin;
    doctor_add(doctor, FINDING_BAD, "plugstack", line->plugin,
               "say conf=FILE in plugstack.conf, or leave --conf out",
               "the plugin reads %s and not %s", plugin, options->conf);
    return options->conf;
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
        json_object_object_add(one, "mend", json_object_new_string(finding->advice));
        json_object_array_add(all, one);
    }
    return command_print_json(all);
}

static void print_text(const struct doctor *doctor)
{
    char roles[64];
    unsigned count[3] = {0};
    for (size_t i = 0; i < doctor->count; i++) {
        const struct finding *finding = &doctor->finding[i];
        count[finding->state]++;
        printf("%-7s %s %s: %s%s%s\n", states[finding->state], finding->check, finding->object,
               finding->found, finding->advice[0] != '\0' ? ": " : "", finding->advice);
    }
    doctor_roles_text(doctor->roles, roles, sizeof roles);
    printf("%s: %u bad, %u %s, %u ok\n", roles, count[FINDING_BAD], count[FINDING_WARN],
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

/* On a machine that is a collector alone the service for answers and scans of libraries read
 * jobtrail.conf, and nothing else does. */
static void check_conf_of_collector(struct doctor *doctor)
{
    struct conf conf;
    if (access(doctor->conf, F_OK) != 0 || !load_conf(doctor, &conf))
        return;
    doctor_answers(doctor, &conf);
    check_libraries(doctor, &conf);
    conf_free(&conf);
}

static void look(struct doctor *doctor, const struct options *options)
{
    static struct plugstack_line line; /* large */
    doctor->conf = options->conf;
    if (doctor->roles & (ROLE_NODE | ROLE_LOGIN)) {
        doctor->has_plugstack = doctor_slurm(doctor, &line);
        if (doctor->has_plugstack)
            doctor->conf = choose_conf(doctor, options, &line);
        check_conf(doctor, options);
    } else {
        check_conf_of_collector(doctor);
    }
    if (doctor->roles & ROLE_COLLECTOR)
        doctor_collector(doctor);
#if JOBTRAIL_LIBRARIES
    doctor_documentation(doctor);
#endif
    doctor_timer(doctor);
}

enum exit_status command_doctor(const struct options *options)
{
    static struct doctor doctor; /* large */
    doctor.node = options->node != NULL ? options->node : host_node();
    doctor.plugstack = options->plugstack;
    doctor.conf = options->conf;
    bool is_run_only = options->args_count > 0 || options->user != NULL || options->timeout_s > 0;
    if (is_run_only && !options->run) {
        fprintf(stderr, "jobtrail-conf: --user, --timeout and options of srun go with --run\n");
        return STATUS_USAGE;
    }
    if (!doctor_roles(&doctor, options->role)) {
        fprintf(stderr, "jobtrail-conf: --role takes node, login, collector, or some of them with "
                        "commas between\n");
        return STATUS_USAGE;
    }
    if (options->run && !(doctor.roles & (ROLE_NODE | ROLE_LOGIN))) {
        fprintf(stderr, "jobtrail-conf: --run is for nodes and login nodes\n");
        return STATUS_USAGE;
    }
    if (geteuid() != 0)
        doctor_add(&doctor, FINDING_WARN, "user", "uid", "run it as root",
                   "not root: what root alone may see or change is not known");
    look(&doctor, options);
    sort_findings(&doctor);
    bool is_bad = doctor.count > 0 && doctor.finding[0].state == FINDING_BAD;
    enum exit_status status = STATUS_OK;
    if (options->json)
        status = print_json(&doctor);
    else
        print_text(&doctor);
    return is_bad ? STATUS_REFUSED : status;
}
