/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The way of records from the node: the outbox, and the receivers of the transports. What waits,
 * and whether a receiver would take it, is asked of jobtrail-submit, which has the transports.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/program_run.h"
#include "conf/base/trusted.h"
#include "conf/command/doctor_checks.h"
#include "conf/conf_transport.h"
#include "spank/job_formats.h"

#define ASK_S "10"

enum { PROGRAM_MS = 60000 };

static uint64_t number_of(struct json_object *object, const char *key)
{
    struct json_object *value;
    return json_object_object_get_ex(object, key, &value) ? (uint64_t)json_object_get_int64(value)
                                                          : 0;
}

static const char *text_of(struct json_object *object, const char *key)
{
    struct json_object *value;
    return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value) : "";
}

/* What `program outbox COMMAND --json` prints, parsed; NULL where it does not. */
static struct json_object *ask_program(const struct conf *conf, const char *command,
                                       const char *option, const char *value)
{
    const char *const argv[] = {conf->submit, "outbox", command, "--json", "--conf",
                                conf->path,   option,   value,   NULL};
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    if (program_run(argv, NULL, PROGRAM_MS, &result) != 0)
        return NULL;
    return json_tokener_parse(result.text);
}

static void check_waiting(struct doctor *doctor, const struct conf *conf, const char *outbox,
                          struct json_object *transport)
{
    const char *name = text_of(transport, "transport");
    uint64_t records = number_of(transport, "records"), lost = number_of(transport, "lost");
    uint64_t failures = number_of(transport, "failures");
    char object[PATH_MAX];
    snprintf(object, sizeof object, "%.3000s/%.32s", outbox, name);
    if (lost > 0) {
        doctor_add(doctor, FINDING_BAD, "outbox", object, "",
                   "%" PRIu64 " refused or damaged records are lost: the quarantine was full",
                   lost);
        doctor_mend(doctor,
                    "see what is in %.3000s/quarantine/outbox/%.32s, and remove it with its "
                    "'overflow'",
                    conf->state, name);
    }
    if (!number_of(transport, "configured") && records > 0) {
        doctor_add(doctor, FINDING_WARN, "outbox", object, "",
                   "%" PRIu64 " records wait for a transport that is not configured", records);
        doctor_mend(doctor,
                    "add %.32s to 'use' of [transport] in %s, or: jobtrail-submit outbox drop "
                    "--transport %.32s%s",
                    name, conf->path, name, doctor_conf_words(doctor));
    } else if (failures > 0) {
        doctor_add(doctor, FINDING_WARN, "outbox", object, "",
                   "%" PRIu64 " records wait; it failed %" PRIu64 " times, last: %s", records,
                   failures, text_of(transport, "reason"));
        doctor_mend(doctor, "fix the cause, then: jobtrail-submit outbox retry%s",
                    doctor_conf_words(doctor));
    } else {
        doctor_add(doctor, FINDING_OK, "outbox", object, "", "%" PRIu64 " records wait", records);
    }
}

/* Of a transport without a receiver doctor_files() tells. */
static void check_receivers(struct doctor *doctor, const struct conf *conf)
{
    struct json_object *all = ask_program(conf, "ask", "--timeout", ASK_S);
    for (size_t i = 0;
         json_object_is_type(all, json_type_array) && i < json_object_array_length(all); i++) {
        struct json_object *one = json_object_array_get_idx(all, i);
        const char *name = text_of(one, "transport");
        const struct conf_transport *row = conf_transport_find(name, strlen(name));
        if (row == NULL || row->advice == NULL)
            continue;
        if (number_of(one, "reached"))
            doctor_add(doctor, FINDING_OK, "transport", name, "", "its receiver takes records");
        else if (number_of(one, "answers"))
            doctor_add(doctor, FINDING_WARN, "transport", name,
                       "see whether records arrive: jobtrail-conf doctor --run", "%s",
                       text_of(one, "reason"));
        else
            doctor_add(doctor, FINDING_BAD, "transport", name, row->advice, "%s",
                       text_of(one, "reason"));
    }
    if (!json_object_is_type(all, json_type_array))
        doctor_add(doctor, FINDING_WARN, "transport", conf->transport,
                   "see what jobtrail-submit outbox ask says", "it cannot be checked");
    json_object_put(all);
}

static bool has_receivers(const struct conf *conf)
{
    for (size_t i = 0; i < CONF_TRANSPORTS; i++)
        if (conf_transports[i].advice != NULL && conf_uses_transport(conf, conf_transports[i].name))
            return true;
    return false;
}

void doctor_transports(struct doctor *doctor, const struct conf *conf)
{
    char outbox[PATH_MAX], culprit[PATH_MAX];
    int length = snprintf(outbox, sizeof outbox, "%s/outbox" JOB_FORMATS_SUFFIX, conf->state);
    /* what others can change is not run as root */
    if (length < 0 || length >= PATH_MAX || access(conf->submit, X_OK) != 0 ||
        trusted_check(conf->path, culprit, sizeof culprit) != 0 ||
        trusted_check(conf->submit, culprit, sizeof culprit) != 0)
        return;
    if (access(outbox, F_OK) == 0 && !doctor_is_changeable(doctor, "outbox", outbox, outbox)) {
        struct json_object *transports;
        struct json_object *all =
            ask_program(conf, "list", "--formats", JOB_FORMATS_QUOTE(JOB_FORMATS));
        if (json_object_object_get_ex(all, "transports", &transports)) {
            for (size_t i = 0; i < json_object_array_length(transports); i++)
                check_waiting(doctor, conf, outbox, json_object_array_get_idx(transports, i));
            if (number_of(all, "overflow") > 0)
                doctor_add(doctor, FINDING_WARN, "outbox", outbox,
                           "enlarge [outbox] size, or fix what keeps records from being sent; then "
                           "remove the file 'overflow' there",
                           "%" PRIu64 " times records found no room, and waited in the spool",
                           number_of(all, "overflow"));
        } else {
            doctor_add(doctor, FINDING_BAD, "outbox", outbox,
                       "see what jobtrail-submit outbox list says", "it cannot be read");
        }
        json_object_put(all);
    }
    if (caller_is_root() && has_receivers(conf))
        check_receivers(doctor, conf);
}
