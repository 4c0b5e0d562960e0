/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    if (doctor->count == FINDINGS_MAX)
        return;
    struct finding *finding = &doctor->finding[doctor->count++];
    finding->state = state;
    finding->check = check;
    finding->advice = advice;
    snprintf(finding->object, sizeof finding->object, "%s", object);
    va_start(arguments, format);
    vsnprintf(finding->found, sizeof finding->found, format, arguments);
    va_end(arguments);
}

static void check_conf(struct doctor *doctor, const char *path)
{
    struct conf conf;
    struct conf_error why;
    char text[sizeof why + 64];
    if (conf_load(path, &conf, &why) != 0) {
        conf_error_text(&why, text, sizeof text);
        doctor_add(doctor, FINDING_BAD, "configuration", path, DOCTOR_ADVICE_CONF, "%s", text);
        return;
    }
    doctor_files(doctor, &conf);
    doctor_spool(doctor, &conf);
    doctor_directories(doctor, &conf);
    doctor_secrets(doctor, &conf);
    doctor_flush(doctor, &conf);
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
    for (size_t i = 0; i < doctor->count; i++) {
        const struct finding *finding = &doctor->finding[i];
        printf("%-7s %s %s: %s%s%s\n", states[finding->state], finding->check, finding->object,
               finding->found, finding->advice[0] != '\0' ? ": " : "", finding->advice);
    }
}

enum exit_status command_doctor(const struct options *options)
{
    static struct doctor doctor; /* large */
    static struct plugstack_line line;
    bool is_bad = false;
    doctor.node = options->node != NULL ? options->node : host_node();
    doctor.plugstack = options->plugstack;
    if (geteuid() != 0)
        doctor_add(&doctor, FINDING_WARN, "user", "uid", "run it as root",
                   "not root: what root alone may see or change is not known");
    const char *conf =
        doctor_slurm(&doctor, &line) ? choose_conf(&doctor, options, &line) : options->conf;
    check_conf(&doctor, conf);
    for (size_t i = 0; i < doctor.count; i++)
        is_bad |= doctor.finding[i].state == FINDING_BAD;
    enum exit_status status = STATUS_OK;
    if (options->json)
        status = print_json(&doctor);
    else
        print_text(&doctor);
    return is_bad ? STATUS_REFUSED : status;
}
