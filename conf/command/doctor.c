/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/cleanup.h"
#include "conf/base/program_run.h"
#include "conf/base/trusted.h"
#include "conf/conf_defaults.h"

enum { ROOM_BYTES = 1 << 20 };

void doctor_add(struct doctor *doctor, enum finding_state state, const char *check,
                const char *object, const char *advice, const char *format, ...)
{
    va_list arguments;
    doctor->is_full = doctor->count == FINDINGS_MAX;
    if (doctor->is_full)
        return;
    struct finding *finding = &doctor->finding[doctor->count++];
    finding->state = state;
    finding->check = check;
    snprintf(finding->advice, sizeof finding->advice, "%s", advice);
    snprintf(finding->object, sizeof finding->object, "%s", object);
    va_start(arguments, format);
    vsnprintf(finding->found, sizeof finding->found, format, arguments);
    va_end(arguments);
}

void doctor_mend(struct doctor *doctor, const char *format, ...)
{
    va_list arguments;
    if (doctor->is_full || doctor->count == 0)
        return;
    struct finding *last = &doctor->finding[doctor->count - 1];
    va_start(arguments, format);
    vsnprintf(last->advice, sizeof last->advice, format, arguments);
    va_end(arguments);
}

void doctor_time_text(int64_t time_s, char *text, size_t size)
{
    time_t time = (time_t)time_s;
    struct tm local;
    if (localtime_r(&time, &local) == NULL ||
        strftime(text, size, "%Y-%m-%d %H:%M:%S", &local) == 0)
        text[0] = '\0';
}

const char *doctor_conf_words(const struct doctor *doctor)
{
    static char words[PATH_MAX + 16];
    snprintf(words, sizeof words, " --conf %s", doctor->conf);
    return strcmp(doctor->conf, DEFAULT_CONF) == 0 ? "" : words;
}

void doctor_installed(const char *from_bin, char *path, size_t size)
{
    char place[PATH_MAX], real[PATH_MAX];
    bool is_there = program_place(from_bin, place, sizeof place) && realpath(place, real) != NULL;
    snprintf(path, size, "%s", is_there ? real : "");
}

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

bool doctor_is_unreadable(struct doctor *doctor, const char *check, const char *path)
{
    char at[PATH_MAX];
    struct stat status;
    snprintf(at, sizeof at, "%s", path);
    for (mode_t need = S_IROTH;; need = S_IXOTH) {
        if (stat(at, &status) != 0 || (status.st_mode & need) == 0)
            break;
        char *slash = strrchr(at, '/');
        if (slash == NULL || strcmp(at, "/") == 0)
            return false;
        slash[slash == at] = '\0';
    }
    doctor_add(doctor, FINDING_BAD, check, path, "", "users cannot read %s", at);
    doctor_mend(doctor, "chmod a+rX %s", at);
    return true;
}

static bool is_elf(const char *path)
{
    char magic[4];
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd >= 0 && read(fd, magic, sizeof magic) == (ssize_t)sizeof magic &&
           memcmp(magic, "\177ELF", sizeof magic) == 0;
}

/* A `$PLATFORM` in the path is not replaced here, nor by the plugin: the installation has a link of
 * that name. */
void doctor_library(struct doctor *doctor, const char *check, const char *path, const char *install)
{
    if (access(path, F_OK) != 0)
        doctor_add(doctor, FINDING_BAD, check, path, install, "%s", strerror(errno));
    else if (doctor_is_unreadable(doctor, check, path) ||
             doctor_is_changeable(doctor, check, path, path))
        return;
    else if (!is_elf(path))
        doctor_add(doctor, FINDING_BAD, check, path, install, "not an ELF file");
    else
        doctor_add(doctor, FINDING_OK, check, path, "", "there, and all can read it");
}

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
    if ((error == -EACCES || error == -EPERM) && !caller_is_root())
        doctor_add(doctor, FINDING_OK, check, path, "", "not looked at, which takes root: %s",
                   found);
    else if (error != 0)
        doctor_add(doctor, FINDING_BAD, check, path, key, "cannot write to %s: %s", found,
                   strerror(-error));
    else if (doctor_is_changeable(doctor, check, path, found))
        return false;
    else if (!is_there)
        doctor_add(doctor, FINDING_OK, check, path, "", "not there yet: made when it is needed");
    else if (doctor_free_bytes(found) < ROOM_BYTES)
        doctor_add(doctor, FINDING_BAD, check, path, "free some space, or enlarge the file system",
                   "%" PRIu64 " bytes are free", doctor_free_bytes(found));
    else
        return true;
    return false;
}

void doctor_writable(struct doctor *doctor, const char *check, const char *path, const char *advice)
{
    if (doctor_directory(doctor, check, path, advice))
        doctor_add(doctor, FINDING_OK, check, path, "", "%" PRIu64 " MiB free",
                   doctor_free_bytes(path) >> 20);
}

static void take_value(const char *line, const char *name, char *value, size_t size)
{
    size_t length = strlen(name);
    if (strncmp(line, name, length) != 0 || line[length] != '=')
        return;
    const char *from = line + length + 1;
    size_t end = strcspn(from, "\r\n");
    bool is_quoted = end >= 2 && (from[0] == '"' || from[0] == '\'') && from[end - 1] == from[0];
    snprintf(value, size, "%.*s", (int)(is_quoted ? end - 2 : end), from + is_quoted);
}

void doctor_beside_conf(const struct doctor *doctor, const char *name, char *path, size_t size)
{
    const char *slash = strrchr(doctor->conf, '/');
    snprintf(path, size, "%.*s%s", slash == NULL ? 0 : (int)(slash + 1 - doctor->conf),
             doctor->conf, name);
}

int doctor_collector_env(const struct doctor *doctor, struct collector_env *env)
{
    char line[8192];
    *env = (struct collector_env){.store = "sqlite:/var/lib/jobtrail/jobtrail.db",
                                  .records = "/var/spool/jobtrail/records"};
    doctor_beside_conf(doctor, "collector.env", env->path, sizeof env->path);
    CLEANUP_FCLOSE FILE *file = fopen(env->path, "re");
    if (file == NULL)
        return -errno;
    while (fgets(line, sizeof line, file) != NULL) {
        take_value(line, "JOBTRAIL_STORE", env->store, sizeof env->store);
        take_value(line, "JOBTRAIL_RECORDS", env->records, sizeof env->records);
    }
    return 0;
}
