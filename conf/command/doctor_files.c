/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/trusted.h"
#include "conf/command/doctor.h"
#include "conf/compile.h"
#include "conf/policy_file.h"

bool doctor_is_changeable(struct doctor *doctor, const char *check, const char *object,
                          const char *path, const char *advice)
{
    char culprit[PATH_MAX];
    bool is_changeable = trusted_check(path, culprit, sizeof culprit) == -EPERM;
    if (is_changeable)
        doctor_add(doctor, FINDING_BAD, check, object, advice,
                   "%s can be changed by others than root", culprit);
    return is_changeable;
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
    } else if (!doctor_is_changeable(doctor, "configuration", conf->path, conf->path,
                                     DOCTOR_ADVICE_ROOT)) {
        doctor_add(doctor, FINDING_OK, "configuration", conf->path, "", "good");
    }
}

static void check_policy(struct doctor *doctor, const struct conf *conf)
{
    static const char compile[] = "jobtrail-conf compile";
    CLEANUP_FREE char *path = conf_policy_path(conf->path);
    char culprit[PATH_MAX];
    if (path == NULL)
        return;
    if (access(path, F_OK) != 0)
        doctor_add(doctor, FINDING_BAD, "policy", path, compile, "%s", strerror(errno));
    else if (doctor_is_changeable(doctor, "policy", path, path, DOCTOR_ADVICE_ROOT))
        return;
    else if (!is_readable_by_all(path, culprit, sizeof culprit))
        doctor_add(doctor, FINDING_BAD, "policy", path, "chmod a+rX", "users cannot read %s",
                   culprit);
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
static void check_library(struct doctor *doctor, const char *path)
{
    static const char install[] =
        "install jobtrail on this node at the same path, or mend [preload] library";
    char culprit[PATH_MAX];
    if (access(path, F_OK) != 0)
        doctor_add(doctor, FINDING_BAD, "library", path, install, "%s", strerror(errno));
    else if (!is_readable_by_all(path, culprit, sizeof culprit))
        doctor_add(doctor, FINDING_BAD, "library", path, "chmod a+rX", "users cannot read %s",
                   culprit);
    else if (doctor_is_changeable(doctor, "library", path, path, DOCTOR_ADVICE_ROOT))
        return;
    else if (!is_elf(path))
        doctor_add(doctor, FINDING_BAD, "library", path, install, "not an ELF file");
    else
        doctor_add(doctor, FINDING_OK, "library", path, "", "there, and all can read it");
}

static void check_program(struct doctor *doctor, const char *path)
{
    static const char install[] = "install jobtrail on this node, or mend [submit] program";
    if (access(path, X_OK) != 0)
        doctor_add(doctor, FINDING_BAD, "helper", path, install, "%s", strerror(errno));
    else if (!doctor_is_changeable(doctor, "helper", path, path,
                                   DOCTOR_ADVICE_ROOT ": the epilog runs it as root"))
        doctor_add(doctor, FINDING_OK, "helper", path, "", "there, and root's");
}

void doctor_files(struct doctor *doctor, const struct conf *conf)
{
    check_configuration(doctor, conf);
    check_policy(doctor, conf);
    check_library(doctor, conf->library);
    check_program(doctor, conf->submit);
}
