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
#include "conf/command/doctor.h"
#include "conf/conf_transport.h"
#include "conf/flush_cgroup.h"

enum { ROOM_BYTES = 1 << 20 };

uint64_t doctor_free_bytes(const char *path)
{
    struct statvfs status;
    return statvfs(path, &status) != 0 ? 0 : (uint64_t)status.f_bavail * status.f_frsize;
}

/* Whether a file can be made and filled there, by trying. Returns 0 or -errno. */
static int try_to_write(const char *path)
{
    char name[PATH_MAX + 32];
    snprintf(name, sizeof name, "%s/.doctor.%d", path, (int)getpid());
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int positive = posix_fallocate(fd, 0, 4096);
    close(fd);
    unlink(name);
    return positive == EOPNOTSUPP ? 0 : -positive;
}

/* The path itself or, where it does not exist yet, the nearest directory above it that does. */
static void nearest_existing(const char *path, char *found, size_t size)
{
    snprintf(found, size, "%s", path);
    while (access(found, F_OK) != 0 && errno == ENOENT && strcmp(found, "/") != 0) {
        char *slash = strrchr(found, '/');
        if (slash == NULL)
            return;
        slash[slash == found] = '\0';
    }
}

bool doctor_directory(struct doctor *doctor, const char *check, const char *path, const char *key)
{
    char found[PATH_MAX];
    struct stat status;
    nearest_existing(path, found, sizeof found);
    bool is_there = strcmp(found, path) == 0;
    int error = stat(found, &status) != 0               ? -errno
                : !S_ISDIR(status.st_mode)              ? -ENOTDIR
                : !is_there && access(found, W_OK) != 0 ? -errno
                : is_there                              ? try_to_write(found)
                                                        : 0;
    if (error != 0)
        doctor_add(doctor, FINDING_BAD, check, path, key, "cannot write to %s: %s", found,
                   strerror(-error));
    else if (doctor_is_changeable(doctor, check, path, found))
        return false;
    else if (!is_there)
        doctor_add(doctor, FINDING_OK, check, path, "", "not there yet: made when it is needed");
    else if (doctor_free_bytes(found) < ROOM_BYTES)
        doctor_add(doctor, FINDING_BAD, check, path, "make room, or a larger file system",
                   "%" PRIu64 " bytes are free", doctor_free_bytes(found));
    else
        return true;
    return false;
}

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

void doctor_writable(struct doctor *doctor, const char *check, const char *path, const char *advice)
{
    if (doctor_directory(doctor, check, path, advice))
        doctor_add(doctor, FINDING_OK, check, path, "", "%" PRIu64 " MiB free",
                   doctor_free_bytes(path) >> 20);
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
