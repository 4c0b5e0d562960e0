/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/trusted.h"
#include "conf/command/doctor_checks.h"
#include "conf/compile.h"
#include "conf/conf_defaults.h"
#include "conf/policy_file.h"

static void check_configuration(struct doctor *doctor, const struct conf *conf)
{
    struct conf_error why;
    char text[sizeof why + 64];
    CLEANUP_FREE void *policy = NULL;
    size_t size;
    if (compile_policy(conf, &policy, &size, &why) != 0) {
        conf_error_text(&why, text, sizeof text);
        doctor_add(doctor, FINDING_BAD, "configuration", conf->path, DOCTOR_ADVICE_CONF, "%s",
                   text);
    } else if (!doctor_is_changeable(doctor, "configuration", conf->path, conf->path)) {
        doctor_add(doctor, FINDING_OK, "configuration", conf->path, "", "good");
    }
}

static void check_policy(struct doctor *doctor, const struct conf *conf)
{
    char compile[PATH_MAX + 64];
    CLEANUP_FREE char *path = conf_policy_path(conf->path);
    if (path == NULL)
        return;
    snprintf(compile, sizeof compile, "jobtrail-conf compile%s", doctor_conf_words(doctor));
    if (access(path, F_OK) != 0)
        doctor_add(doctor, FINDING_BAD, "policy", path, compile, "%s", strerror(errno));
    else if (doctor_is_changeable(doctor, "policy", path, path) ||
             doctor_is_unreadable(doctor, "policy", path))
        return;
    else if (!policy_file_is_in_force(path, conf->path))
        doctor_add(doctor, FINDING_BAD, "policy", path, compile,
                   "older than the configuration, or of another version");
    else
        doctor_add(doctor, FINDING_OK, "policy", path, "",
                   "usable, and not older than the configuration");
}

static void check_program(struct doctor *doctor, const char *path)
{
    static const char install[] = "install jobtrail on this node, or mend [submit] program";
    if (access(path, X_OK) != 0)
        doctor_add(doctor, FINDING_BAD, "helper", path, install, "%s", strerror(errno));
    else if (!doctor_is_changeable(doctor, "helper", path, path))
        doctor_add(doctor, FINDING_OK, "helper", path, "", "there, and root's");
}

void doctor_files(struct doctor *doctor, const struct conf *conf)
{
    check_configuration(doctor, conf);
    check_policy(doctor, conf);
    doctor_library(doctor, "library", conf->library,
                   "install jobtrail on this node at the same path, or mend [preload] library");
    check_program(doctor, conf->submit);
}
