/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The collector: its store, where records arrive, and what was refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "conf/base/program_run.h"
#include "conf/command/doctor_checks.h"

/* As jobtrail-load.service has it. */
#define REFUSED "/var/lib/jobtrail/refused"

/* Of jobtrail-load: trouble with the store. */
enum { STORE_TROUBLE = 3 };

enum { LOAD_MS = 60000, LATE_S = 3600, DEPTH = 3, LATE_MAX = 100000 };

/* Opens the store and changes nothing in it. */
static void check_store(struct doctor *doctor, const char *store)
{
    char program[PATH_MAX];
    struct stat status;
    doctor_installed("jobtrail-load", program, sizeof program);
    const char *const argv[] = {program[0] == '\0' ? "jobtrail-load" : program,
                                "--dry-run",
                                "--store",
                                store,
                                "/dev/null",
                                NULL};
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    const char *file = strncmp(store, "sqlite:", 7) == 0 ? store + 7 : NULL;
    if (file != NULL && stat(file, &status) != 0) {
        doctor_add(doctor, FINDING_WARN, "store", file,
                   "systemctl start jobtrail-load, which makes it; or fix JOBTRAIL_STORE in "
                   "collector.env",
                   "%s", strerror(errno));
        return;
    }
    if (file != NULL && (status.st_mode & S_IWOTH) != 0) {
        doctor_add(doctor, FINDING_BAD, "store", file, "", "everybody can change it");
        doctor_mend(doctor, "chmod o-w %s", file);
        return;
    }
    int error = program_run(argv, NULL, LOAD_MS, &result);
    if (error != 0)
        doctor_add(doctor, FINDING_BAD, "store", store, "install jobtrail's collector here",
                   "jobtrail-load: %s", strerror(-error));
    else if (WIFEXITED(result.status) && WEXITSTATUS(result.status) == STORE_TROUBLE)
        doctor_add(doctor, FINDING_BAD, "store", store,
                   "fix JOBTRAIL_STORE in collector.env, or the database", "%s", result.complaint);
    else
        doctor_add(doctor, FINDING_OK, "store", store, "", "it can be opened");
}

/* How many files below the directory are older than an hour, up to LATE_MAX. */
static unsigned count_late(int at, const char *path, int depth, time_t now)
{
    unsigned count = 0;
    struct stat status;
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(at, path, &listing);
    for (const char *name; count < LATE_MAX && (name = listing_next(listing)) != NULL;) {
        if (name[0] == '.' || fstatat(dirfd(listing), name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISDIR(status.st_mode) && depth > 0)
            count += count_late(dirfd(listing), name, depth - 1, now);
        else
            count += S_ISREG(status.st_mode) && status.st_mtime + LATE_S < now;
    }
    return count;
}

static void check_arrival(struct doctor *doctor, char *records)
{
    char *rest = NULL;
    for (char *path = strtok_r(records, " \t", &rest); path != NULL;
         path = strtok_r(NULL, " \t", &rest)) {
        struct stat status;
        if (stat(path, &status) != 0) {
            doctor_add(doctor, FINDING_WARN, "arrival", path, "", "%s", strerror(errno));
            doctor_mend(doctor, "mkdir -p -m 750 %.4000s", path);
            continue;
        }
        unsigned late = count_late(AT_FDCWD, path, DEPTH, time(NULL));
        if (late > 0)
            doctor_add(doctor, FINDING_WARN, "arrival", path,
                       "systemctl start jobtrail-load, and see journalctl -u jobtrail-load",
                       "files that are older than an hour, and not loaded: %u%s", late,
                       late >= LATE_MAX ? " or more" : "");
        else
            doctor_add(doctor, FINDING_OK, "arrival", path, "", "no file is older than an hour");
    }
}

static void check_refused(struct doctor *doctor)
{
    unsigned count = 0;
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(AT_FDCWD, REFUSED, &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        count += strstr(name, ".reason") != NULL;
    if (count > 0)
        doctor_add(doctor, FINDING_WARN, "refused", REFUSED,
                   "read the .reason files there (jobtrail-load(1)), and remove them",
                   "%u records were not loaded", count);
}

void doctor_collector(struct doctor *doctor, const struct conf *conf)
{
    static struct collector_env env; /* large */
    (void)conf;
    int error = doctor_collector_env(doctor, &env);
    if (error != 0)
        doctor_add(doctor, FINDING_WARN, "collector", env.path,
                   "copy share/jobtrail/collector.env there",
                   "%s: jobtrail-load.service uses the defaults", strerror(-error));
    check_store(doctor, env.store);
    check_arrival(doctor, env.records);
    check_refused(doctor);
}
