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
#include "conf/command/doctor.h"
#include "conf/compile.h"
#include "conf/conf_defaults.h"
#include "conf/policy_file.h"

bool doctor_is_changeable(struct doctor *doctor, const char *check, const char *object,
                          const char *path)
{
    char culprit[PATH_MAX];
    struct stat status;
    if (trusted_check(path, culprit, sizeof culprit) != -EPERM)
        return false;
    doctor_add(doctor, FINDING_BAD, check, object, "", "%s can be changed by others than root",
               culprit);
    if (lstat(culprit, &status) == 0 && S_ISLNK(status.st_mode))
        doctor_mend(doctor, "chown -h root: %s", culprit);
    else
        doctor_mend(doctor, "chown root: %s && chmod go-w %s", culprit, culprit);
    return true;
}

void doctor_installed(const char *from_bin, char *path, size_t size)
{
    char self[PATH_MAX], joined[2 * PATH_MAX], real[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(self, '/');
    path[0] = '\0';
    if (slash == NULL)
        return;
    snprintf(joined, sizeof joined, "%.*s/%s", (int)(slash - self), self, from_bin);
    if (realpath(joined, real) != NULL)
        snprintf(path, size, "%s", real);
}

/* Whether all users can read the file; if not, `culprit` is the file or directory that they cannot
 * read or search. */
static bool is_readable_by_all(const char *path, char *culprit, size_t size)
{
    struct stat status;
    snprintf(culprit, size, "%s", path);
    for (mode_t need = S_IROTH;; need = S_IXOTH) {
        if (stat(culprit, &status) != 0 || (status.st_mode & need) == 0)
            return false;
        char *slash = strrchr(culprit, '/');
        if (slash == NULL || strcmp(culprit, "/") == 0)
            return true;
        slash[slash == culprit] = '\0';
    }
}

const char *doctor_conf_words(const struct doctor *doctor)
{
    static char words[PATH_MAX + 16];
    snprintf(words, sizeof words, " --conf %s", doctor->conf);
    return strcmp(doctor->conf, DEFAULT_CONF) == 0 ? "" : words;
}

static void add_unreadable(struct doctor *doctor, const char *check, const char *object,
                           const char *culprit)
{
    doctor_add(doctor, FINDING_BAD, check, object, "", "users cannot read %s", culprit);
    doctor_mend(doctor, "chmod a+rX %s", culprit);
}

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
    char culprit[PATH_MAX];
    if (path == NULL)
        return;
    snprintf(compile, sizeof compile, "jobtrail-conf compile%s", doctor_conf_words(doctor));
    if (access(path, F_OK) != 0)
        doctor_add(doctor, FINDING_BAD, "policy", path, compile, "%s", strerror(errno));
    else if (doctor_is_changeable(doctor, "policy", path, path))
        return;
    else if (!is_readable_by_all(path, culprit, sizeof culprit))
        add_unreadable(doctor, "policy", path, culprit);
    else if (!policy_file_is_in_force(path, conf->path))
        doctor_add(doctor, FINDING_BAD, "policy", path, compile,
                   "older than the configuration, or of another version");
    else
        doctor_add(doctor, FINDING_OK, "policy", path, "",
                   "usable, and not older than the configuration");
}

static bool is_elf(const char *path)
{
    char magic[4];
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd >= 0 && read(fd, magic, sizeof magic) == (ssize_t)sizeof magic &&
           memcmp(magic, "\177ELF", sizeof magic) == 0;
}

/* A `$LIB` in the path is not replaced here, nor by the plugin: the installation has a link of that
 * name. */
void doctor_library(struct doctor *doctor, const char *check, const char *path, const char *install)
{
    char culprit[PATH_MAX];
    if (access(path, F_OK) != 0)
        doctor_add(doctor, FINDING_BAD, check, path, install, "%s", strerror(errno));
    else if (!is_readable_by_all(path, culprit, sizeof culprit))
        add_unreadable(doctor, check, path, culprit);
    else if (doctor_is_changeable(doctor, check, path, path))
        return;
    else if (!is_elf(path))
        doctor_add(doctor, FINDING_BAD, check, path, install, "not an ELF file");
    else
        doctor_add(doctor, FINDING_OK, check, path, "", "there, and all can read it");
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
