/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/listing.h"
#include "conf/base/shared_file_system.h"
#include "conf/command/doctor_checks.h"
#include "conf/conf_transport.h"
#include "conf/flush_cgroup.h"

enum { ROOM_BYTES = 1 << 20 };

static unsigned count_entries(const char *path)
{
    unsigned count = 0;
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(AT_FDCWD, path, &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        count += name[0] != '.';
    return count;
}

/* The directory of sessions: users add directories of their own to it. */
static void check_sessions(struct doctor *doctor, const char *path)
{
    struct stat status;
    if (path[0] == '\0')
        return;
    if (stat(path, &status) != 0) {
        doctor_add(doctor, FINDING_OK, "sessions", path, "",
                   "not there yet: jobtrail-send.timer makes it");
    } else if (!S_ISDIR(status.st_mode) || status.st_uid != 0 ||
               (status.st_mode & 07777) != 01733) {
        doctor_add(doctor, FINDING_BAD, "sessions", path, "",
                   "users cannot leave records there, or could get at each other's");
        doctor_mend(doctor, "chown root: %s && chmod 1733 %s", path, path);
    } else if (doctor_is_changeable(doctor, "sessions", path, path)) {
        return;
    } else if (shared_file_system(path)) {
        doctor_add(doctor, FINDING_BAD, "sessions", path, "mend [spool] sessions in jobtrail.conf",
                   "on a shared file system");
    } else {
        doctor_add(doctor, FINDING_OK, "sessions", path, "", "root's, with %" PRIu64 " MiB free",
                   doctor_free_bytes(path) >> 20);
    }
}

static void check_quarantine(struct doctor *doctor, const char *state)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/quarantine", state);
    unsigned count = count_entries(path);
    if (count > 0)
        doctor_add(doctor, FINDING_WARN, "quarantine", path,
                   "read the file 'reason' in each (jobtrail-submit(8)), and remove them",
                   "%u jobs were set aside", count);
    uint64_t lost = 0;
    snprintf(path, sizeof path, "%s/quarantine/overflow", state);
    CLEANUP_FCLOSE FILE *file = fopen(path, "re");
    if (file != NULL && fscanf(file, "%" SCNu64, &lost) == 1)
        doctor_add(doctor, FINDING_BAD, "quarantine", path,
                   "see what fills the quarantine, make room, and remove this file",
                   "%" PRIu64 " jobs had no place in the quarantine, and are lost", lost);
}

static void check_cgroup(struct doctor *doctor)
{
    static const char object[] = "jobtrail";
    if (geteuid() != 0)
        return;
    int limits = flush_cgroup_make();
    if (limits == (FLUSH_CGROUP_CPU | FLUSH_CGROUP_MEMORY))
        doctor_add(doctor, FINDING_OK, "cgroup", object, "", "flushes get one processor and 4 GiB");
    else
        doctor_add(doctor, FINDING_WARN, "cgroup", object,
                   "give root a hierarchy of cgroups with the controllers cpu and memory",
                   "flushes are limited in %s: they run with nice 19, and with [submit] job_cpu",
                   limits == FLUSH_CGROUP_CPU      ? "processors alone"
                   : limits == FLUSH_CGROUP_MEMORY ? "memory alone"
                                                   : "neither processors nor memory");
}

void doctor_directories(struct doctor *doctor, const struct conf *conf)
{
    check_sessions(doctor, conf->sessions);
    doctor_writable(doctor, "state", conf->state, "mend [submit] state in jobtrail.conf");
    check_quarantine(doctor, conf->state);
    check_cgroup(doctor);
    if (conf_uses_transport(conf, "file"))
        doctor_writable(doctor, "records", conf->file_dir, "mend [file] dir in jobtrail.conf");
}
