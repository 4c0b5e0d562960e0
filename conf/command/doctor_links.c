/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/command/doctor_checks.h"

void doctor_links(struct doctor *doctor, const struct conf *conf)
{
    const char *path = conf->link_modules;
    struct stat status;
    if (path[0] == '\0' || !conf->track_links || !conf->track_functions)
        return;
    if (stat(path, &status) != 0) {
        doctor_add(doctor, FINDING_WARN, "modules", path, "",
                   "%s: records of links name no functions", strerror(errno));
        doctor_mend(
            doctor,
            "make it: spider -o jsonReverseMapT \"$MODULEPATH\" >%s; or mend [link] modules", path);
    } else if (!S_ISREG(status.st_mode) || status.st_size == 0) {
        doctor_add(doctor, FINDING_WARN, "modules", path,
                   "make it again: spider -o jsonReverseMapT \"$MODULEPATH\"",
                   "it is %s: records of links name no functions",
                   S_ISREG(status.st_mode) ? "empty" : "no file");
    } else if ((status.st_mode & S_IROTH) == 0) {
        doctor_add(doctor, FINDING_WARN, "modules", path, "",
                   "users cannot read it: records of their links name no functions");
        doctor_mend(doctor, "chmod a+r %s", path);
    } else {
        doctor_add(doctor, FINDING_OK, "modules", path, "", "there, and all can read it");
    }
}
