/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Profiles, where [profile] steps lets a step have one: whether they can be made, and kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/replacement.h"
#include "conf/command/command.h"
#include "conf/command/doctor_checks.h"

/* The plugin takes the one beside the library, if that has its own name. */
static void check_library(struct doctor *doctor, const char *library)
{
    const char *slash = strrchr(library, '/');
    char path[PATH_MAX];
    if (slash == NULL || strcmp(slash, "/libjobtrail.so") != 0) {
        doctor_add(doctor, FINDING_WARN, "profiles", library, "",
                   "not called libjobtrail.so: no step leaves a profile");
        doctor_mend(doctor, "fix [preload] library, or write 'steps = none' in [profile]");
        return;
    }
    snprintf(path, sizeof path, "%.*s/libjobtrail-profile.so", (int)(slash - library), library);
    doctor_library(doctor, "profiles", path, "install jobtrail on this node at the same path");
}

struct keep_trial {
    const char *step; /* what has failed */
    int error;
};

/* What a flush does there: a file that is made, locked with flock(2), given its name and to its
 * user, and removed. Other nodes may try the same directory at the same time. */
static struct keep_trial try_to_keep(int directory)
{
    enum { NOBODY = 65534 };
    char host[HOST_NAME_MAX + 1] = "", name[sizeof host + 32], unfinished[sizeof name + 8];
    struct stat status;
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, ".doctor.%s.%d", host, (int)getpid());
    snprintf(unfinished, sizeof unfinished, "%s.new", name);
    CLEANUP_CLOSE int fd = replacement_open(directory, name);
    if (fd < 0) {
        bool is_made = fstatat(directory, unfinished, &status, AT_SYMLINK_NOFOLLOW) == 0;
        unlinkat(directory, unfinished, 0);
        return (struct keep_trial){is_made ? "lock a file (flock)" : "make a file", fd};
    }
    int error = replacement_end(directory, name, fd, 0600, 0);
    if (error != 0)
        return (struct keep_trial){"rename a file", error};
    struct keep_trial trial = {NULL, 0};
    if (fchown(fd, NOBODY, NOBODY) != 0)
        trial = (struct keep_trial){"give a file to its user (chown)", -errno};
    if (unlinkat(directory, name, 0) != 0 && trial.error == 0)
        trial = (struct keep_trial){"remove a file", -errno};
    return trial;
}

static void try_directory(struct doctor *doctor, const char *path)
{
    CLEANUP_CLOSE int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct keep_trial trial =
        directory < 0 ? (struct keep_trial){"open it", -errno} : try_to_keep(directory);
    if (trial.error != 0)
        doctor_add(doctor, FINDING_BAD, "profiles", path,
                   "mount it so that root of the nodes can do that (no root_squash; flock), or fix "
                   "[profile] directory",
                   "cannot %s there: %s", trial.step, strerror(-trial.error));
    else
        doctor_add(doctor, FINDING_OK, "profiles", path, "", "a flush can keep profiles there; %s",
                   directory_is_shared(path) ? "on a shared file system"
                                             : "on no file system of a network: it may be that the "
                                               "nodes' files are not joined");
}

static void check_directory(struct doctor *doctor, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        doctor_add(doctor, FINDING_BAD, "profiles", path, "", "%s: no profile is kept",
                   errno == ENOENT ? "not there" : "no directory that can be looked at");
        doctor_mend(doctor, "mkdir -m 711 %s", path);
    } else if (doctor_is_changeable(doctor, "profiles", path, path)) {
        return;
    } else if ((status.st_mode & S_IXOTH) == 0) {
        doctor_add(doctor, FINDING_BAD, "profiles", path, "",
                   "users cannot pass it, so not read their profiles");
        doctor_mend(doctor, "chmod 711 %s", path);
    } else if (caller_is_root()) {
        try_directory(doctor, path);
    }
}

const char *profile_advice(const struct conf *conf)
{
    bool has_directory = conf->profile_directory[0] != '\0';
    bool has_files =
        strcmp(conf->profile_samples, "none") != 0 || strcmp(conf->profile_logs, "none") != 0;
    if (conf->profile_steps != CONF_PROFILE_NONE && !has_directory)
        return "[profile] steps without directory: profiles are removed with the job, unread";
    if (conf->profile_steps == CONF_PROFILE_NONE && (has_directory || has_files))
        return "[profile] steps = none: no step leaves a profile, so the other keys have no effect";
    return NULL;
}

void doctor_profiles(struct doctor *doctor, const struct conf *conf)
{
    const char *advice = profile_advice(conf);
    if (advice != NULL)
        doctor_add(doctor, FINDING_WARN, "profiles", conf->path, "fix [profile]", "%s", advice);
    if (conf->profile_steps == CONF_PROFILE_NONE)
        return;
    check_library(doctor, conf->library);
    if (conf->profile_directory[0] != '\0')
        check_directory(doctor, conf->profile_directory);
}
