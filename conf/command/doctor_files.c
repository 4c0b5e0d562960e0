/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files and directories of a machine where steps or programs start: the configuration and its
 * policy, what the plugin starts, where records come from and go to, keys and tokens.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/command/doctor_checks.h"
#include "conf/compile.h"
#include "conf/conf_transport.h"
#include "conf/flush_cgroup.h"
#include "conf/policy_file.h"
#include "conf/secret_file.h"
#include "submit/job/broken_flushes.h"

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
    static const char install[] = "install jobtrail on this node, or fix [submit] program";
    if (access(path, X_OK) != 0)
        doctor_add(doctor, FINDING_BAD, "helper", path, install, "%s", strerror(errno));
    else if (!doctor_is_changeable(doctor, "helper", path, path))
        doctor_add(doctor, FINDING_OK, "helper", path, "", "there, and root's");
}

/* Whether who fills the file system of `path` leaves `other` fewer than so many bytes, which
 * file systems have for root alone (reserved blocks of ext4). */
static bool takes_room(const char *path, const char *other, uint64_t bytes)
{
    struct stat ours, theirs;
    struct statvfs room;
    return stat(path, &ours) == 0 && stat(other, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
           statvfs(path, &room) == 0 && (room.f_bfree - room.f_bavail) * room.f_frsize < bytes;
}

/* The directory of sessions: users add directories of their own to it. */
static void check_sessions(struct doctor *doctor, const struct conf *conf)
{
    const char *path = conf->sessions;
    struct stat status;
    if (path[0] == '\0')
        return;
    if (stat(path, &status) != 0) {
        doctor_add(doctor, FINDING_OK, "sessions", path, "",
                   "not there yet: jobtrail-send.timer makes it");
    } else if (!S_ISDIR(status.st_mode) || status.st_uid != 0 ||
               (status.st_mode & 07777) != 01733) {
        doctor_add(doctor, FINDING_BAD, "sessions", path, "",
                   "users cannot leave records there, or can change each other's");
        doctor_mend(doctor, "chown root: %s && chmod 1733 %s", path, path);
    } else if (doctor_is_changeable(doctor, "sessions", path, path)) {
        return;
    } else if (directory_is_shared(path)) {
        doctor_add(doctor, FINDING_BAD, "sessions", path, "fix [spool] sessions in jobtrail.conf",
                   "on a shared file system");
    } else if (takes_room(path, conf->state, conf->outbox_bytes)) {
        doctor_add(doctor, FINDING_BAD, "sessions", path,
                   "mount a file system of its own there, or one with [outbox] size of blocks for "
                   "root alone",
                   "users can take the last byte of records in %s", conf->state);
    } else {
        doctor_add(doctor, FINDING_OK, "sessions", path, "", "root's, with %" PRIu64 " MiB free",
                   doctor_free_bytes(path) >> 20);
    }
}

static void check_quarantine(struct doctor *doctor, const char *state)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/quarantine", state);
    unsigned count = 0;
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(AT_FDCWD, path, &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        count += name[0] != '.';
    if (count > 0)
        doctor_add(doctor, FINDING_WARN, "quarantine", path,
                   "read the file 'reason' in each (jobtrail-submit(8)), and remove them",
                   "%u jobs were set aside", count);
    uint64_t lost = 0;
    snprintf(path, sizeof path, "%s/quarantine/overflow", state);
    CLEANUP_FCLOSE FILE *file = fopen(path, "re");
    if (file != NULL && fscanf(file, "%" SCNu64, &lost) == 1)
        doctor_add(doctor, FINDING_BAD, "quarantine", path,
                   "see what fills the quarantine, free some space, and remove this file",
                   "%" PRIu64 " jobs are lost, as the quarantine was full", lost);
}

static void check_cgroup(struct doctor *doctor)
{
    static const char object[] = "jobtrail";
    if (!caller_is_root())
        return;
    int limits = flush_cgroup_make(false);
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

/* The map of libraries to modules. */
static void check_modules(struct doctor *doctor, const struct conf *conf)
{
    const char *path = conf->link_modules;
    struct stat status;
    if (path[0] == '\0' || !conf->track_links)
        return;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        doctor_add(doctor, FINDING_WARN, "modules", path,
                   "make it again: spider -o jsonReverseMapT \"$MODULEPATH\"",
                   "it is no file, or empty: records of links name no functions");
    else if (!doctor_is_unreadable(doctor, "modules", path))
        doctor_add(doctor, FINDING_OK, "modules", path, "", "there, and all can read it");
}

/* Whether flushes of several jobs in a row have broken down, by the file that counts them. */
static void check_flushes(struct doctor *doctor, const struct conf *conf)
{
    char path[PATH_MAX + 32], when[64], text[BROKEN_FLUSHES_BYTES];
    unsigned long count;
    long long last;
    snprintf(path, sizeof path, "%s/" BROKEN_FLUSHES, conf->state);
    io_read_text(AT_FDCWD, path, text, sizeof text);
    if (sscanf(text, "%lu %lld", &count, &last) != 2 || count == 0)
        return;
    doctor_time_text(last, when, sizeof when);
    doctor_add(
        doctor, count < BROKEN_FLUSHES_MANY ? FINDING_WARN : FINDING_BAD, "flush", path,
        count < BROKEN_FLUSHES_MANY
            ? "read the file 'reason' of the last ones in the quarantine"
            : "so many have another cause than a job: see syslog, and whether libraries that "
              "jobtrail-submit uses (ldd) were replaced since it was built",
        "it broke down for the last %lu job%s, last at %s: they are in the quarantine", count,
        count == 1 ? "" : "s", when);
}

void doctor_files(struct doctor *doctor, const struct conf *conf)
{
    check_configuration(doctor, conf);
    check_policy(doctor, conf);
    doctor_library(doctor, "library", conf->library,
                   "install jobtrail on this node at the same path, or fix [preload] library");
    check_program(doctor, conf->submit);
    check_sessions(doctor, conf);
    doctor_writable(doctor, "state", conf->state, "fix [submit] state in jobtrail.conf");
    check_quarantine(doctor, conf->state);
    check_cgroup(doctor);
    if (conf_uses_transport(conf, "file"))
        doctor_writable(doctor, "records", conf->file_dir, "fix [file] dir in jobtrail.conf");
    struct secret secrets[SECRETS_MAX];
    size_t count = secrets_look(conf, secrets);
    for (size_t i = 0; i < count; i++) {
        const struct secret *secret = &secrets[i];
        if (secret->trouble == 0)
            doctor_add(doctor, FINDING_OK, "secret", secret->path, "",
                       "its owner alone may read it");
        else
            doctor_add(
                doctor, FINDING_BAD, "secret", secret->path,
                "make it a plain file of root's with mode 600; until then records wait in the "
                "outbox",
                "[%s] %s: %s", secret->section, secret->name, secret->reason);
    }
    check_modules(doctor, conf);
    check_flushes(doctor, conf);
}
