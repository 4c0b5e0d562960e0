/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The index over documentation of libraries (jobtrail-alldoc(1)). A host that has neither the
 * site's file for it nor an index is to have none.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/command/doctor_checks.h"
#include "conf/command/doctor_timer.h"

/* As contrib/libraries/alldoc/database.py has it. */
#define DEFAULT_INDEX "/var/cache/jobtrail/alldoc.db"

/* Two runs of the timer, which is a daily one, and a night. */
enum { LATE_S = 60 * 3600 };

#define CHECK "documentation"
#define MEND  "jobtrail-alldoc index"

/* Its lock's time of modification is when a run has last ended well. */
static void check_last(struct doctor *doctor, const char *index)
{
    char lock[PATH_MAX + 8], when[64];
    struct stat status;
    snprintf(lock, sizeof lock, "%s.lock", index);
    if (stat(lock, &status) != 0)
        status.st_mtime = 0;
    doctor_time_text(status.st_mtime, when, sizeof when);
    if (status.st_mtime == 0)
        doctor_add(doctor, FINDING_WARN, CHECK, index, MEND, "no run has succeeded here");
    else if ((int64_t)time(NULL) - status.st_mtime > LATE_S)
        doctor_add(doctor, FINDING_WARN, CHECK, index,
                   "see journalctl -u jobtrail-alldoc, and what this says: " MEND,
                   "the last successful run is too long ago: %s", when);
    else
        doctor_add(doctor, FINDING_OK, CHECK, index, "", "everybody can read it, made %s", when);
}

static const struct doctor_duty duty = {
    0,       "jobtrail-alldoc index", "jobtrail-alldoc",
    "index", "jobtrail-alldoc.timer", "documentation that is new is not found"};

void doctor_documentation(struct doctor *doctor, const struct conf *conf)
{
    (void)conf;
    char site[PATH_MAX];
    const char *index = getenv("JOBTRAIL_ALLDOC");
    doctor_beside_conf(doctor, "alldoc.conf", site, sizeof site);
    bool has_site = access(site, F_OK) == 0;
    if (index == NULL || index[0] == '\0')
        index = DEFAULT_INDEX;
    if (!has_site && access(index, F_OK) != 0)
        return;
    if (has_site)
        doctor_is_changeable(doctor, CHECK, site, site);
    struct stat status;
    if (stat(index, &status) != 0) {
        doctor_add(doctor, FINDING_WARN, CHECK, index, MEND, "%s", strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        doctor_add(doctor, FINDING_WARN, CHECK, index, "", "it is no file");
        doctor_mend(doctor, "remove it, and: %s", MEND);
    } else if (!doctor_is_changeable(doctor, CHECK, index, index)) {
        if (status.st_mode & S_IROTH)
            check_last(doctor, index);
        else
            doctor_add(doctor, FINDING_WARN, CHECK, index, MEND " --rebuild",
                       "not everybody can read it");
    }
    doctor_duty(doctor, &duty, true);
}
