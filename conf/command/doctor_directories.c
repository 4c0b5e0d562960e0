/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "conf/command/doctor.h"
#include "conf/flush_cgroup.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"

enum { ROOM_BYTES = 1 << 20, JOURNAL_END = 16 << 10 };

/* From linux/magic.h and the file systems' own sources. */
static int is_shared(const char *path)
{
    static const unsigned types[] = {0x6969 /* NFS */,
                                     0xff534d42 /* CIFS */,
                                     0xfe534d42 /* SMB2 */,
                                     0x0bd00bd0 /* Lustre */,
                                     0x47504653 /* GPFS */,
                                     0x00c36400 /* Ceph */,
                                     0x19830326 /* BeeGFS */};
    struct statfs status;
    for (size_t i = 0; statfs(path, &status) == 0 && i < sizeof types / sizeof types[0]; i++) {
        if ((unsigned)status.f_type == types[i])
            return 1;
    }
    return 0;
}

static uint64_t free_bytes(const char *path)
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
    int result = posix_fallocate(fd, 0, 4096);
    close(fd);
    unlink(name);
    return result == EOPNOTSUPP ? 0 : -result;
}

/* What is missing is made by whoever needs it first: then the nearest directory above it counts. */
static void existing(const char *path, char *found, size_t size)
{
    snprintf(found, size, "%s", path);
    while (access(found, F_OK) != 0 && errno == ENOENT && strcmp(found, "/") != 0) {
        char *slash = strrchr(found, '/');
        if (slash == NULL)
            return;
        slash[slash == found] = '\0';
    }
}

/* Returns whether the directory is there and all is well with it so far. */
static int check_directory(struct doctor *doctor, const char *check, const char *path,
                           const char *key)
{
    char found[PATH_MAX], culprit[PATH_MAX];
    struct stat status;
    existing(path, found, sizeof found);
    int there = strcmp(found, path) == 0;
    int error = stat(found, &status) != 0            ? -errno
                : !S_ISDIR(status.st_mode)           ? -ENOTDIR
                : !there && access(found, W_OK) != 0 ? -errno
                : there                              ? try_to_write(found)
                                                     : 0;
    if (error != 0)
        doctor_add(doctor, FINDING_BAD, check, path, key, "cannot write to %s: %s", found,
                   strerror(-error));
    else if (doctor_others_can_change(found, culprit, sizeof culprit))
        doctor_add(doctor, FINDING_BAD, check, path, "give it to root, writable by root alone",
                   "%s can be changed by others than root", culprit);
    else if (!there)
        doctor_add(doctor, FINDING_OK, check, path, "", "not there yet: made when it is needed");
    else if (free_bytes(found) < ROOM_BYTES)
        doctor_add(doctor, FINDING_BAD, check, path, "make room, or a larger file system",
                   "%" PRIu64 " bytes are free", free_bytes(found));
    else
        return 1;
    return 0;
}

/* Where the name of a job's directory ends, or what is behind it begins; NULL: it is none. */
static const char *job_end(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    size_t restart = name[digits] == '.' ? strspn(name + digits + 1, "0123456789") : 0;
    return digits > 0 && restart > 0 ? name + digits + 1 + restart : NULL;
}

/* Whether the epilog of the job in this directory has begun, or a later job has found it. */
static int is_over(int spool, const char *name)
{
    char path[NAME_MAX + 16], text[JOURNAL_END + 1];
    struct stat status;
    const char *end = job_end(name);
    if (end == NULL || *end != '\0')
        return end != NULL && strncmp(end, SPOOL_LEFT, strlen(SPOOL_LEFT)) == 0;
    snprintf(path, sizeof path, "%s/journal", name);
    int fd = openat(spool, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0)
        return 0;
    off_t from = status.st_size > JOURNAL_END ? status.st_size - JOURNAL_END : 0;
    ssize_t got = pread(fd, text, JOURNAL_END, from);
    close(fd);
    text[got < 0 ? 0 : got] = '\0';
    return strstr(text, "\nepilog ") != NULL;
}

/* Counts entries of the directory; with `over` only jobs that wait for a flush. */
static unsigned count_entries(const char *path, int over)
{
    unsigned count = 0;
    struct dirent *entry;
    DIR *listing = opendir(path);
    while (listing != NULL && (entry = readdir(listing)) != NULL)
        if (over ? is_over(dirfd(listing), entry->d_name) : entry->d_name[0] != '.')
            count++;
    if (listing != NULL)
        closedir(listing);
    return count;
}

static int is_mounted_elsewhere(const char *path)
{
    int spool = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int found = spool >= 0 && spool_part_noted(spool) == -ESTALE;
    if (spool >= 0)
        close(spool);
    return found;
}

/* Whoever fills the file system above would keep journals from being written. */
static void check_place(struct doctor *doctor, const char *path)
{
    char above[PATH_MAX + 4];
    struct stat own, parent;
    if (is_mounted_elsewhere(path)) {
        doctor_add(
            doctor, FINDING_BAD, "place", path,
            "take PrivateTmp and the like out of slurmd's unit, or say [spool] mount = no",
            "slurmd has mounted it in a mount namespace of its own: no flush but its own sees "
            "the jobs");
        return;
    }
    snprintf(above, sizeof above, "%s/..", path);
    if (stat(path, &own) != 0 || stat(above, &parent) != 0 || own.st_dev != parent.st_dev)
        return;
    doctor_add(
        doctor, FINDING_BAD, "place", path,
        "mount a file system there while no job runs here: in /etc/fstab 'tmpfs DIR tmpfs "
        "size=10%,mode=0711,nosuid,nodev,noexec', or a disk's. Below /run slurmd's start makes it",
        "shares the file system of the directory above it, which others can fill");
}

/* Without access control lists there is no mode for "this user alone" (spank/spool_access.h). */
static void check_privacy(struct doctor *doctor, const char *path)
{
    if (getxattr(path, "system.posix_acl_access", NULL, 0) < 0 && errno == EOPNOTSUPP)
        doctor_add(doctor, FINDING_WARN, "privacy", path,
                   "take a file system that has access control lists: tmpfs, ext4, xfs",
                   "users can see of others' jobs how large their files are and when they change");
}

/* Whether a file system can be mounted there, by trying. Returns 0 or -errno. */
static int try_to_mount(const char *path)
{
    char name[PATH_MAX + 32];
    snprintf(name, sizeof name, "%s/.doctor.%d", path, (int)getpid());
    if (mkdir(name, 0700) != 0)
        return -errno;
    int result = mount("jobtrail", name, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k") != 0
                     ? -errno
                     : 0;
    if (result == 0)
        umount2(name, MNT_DETACH | UMOUNT_NOFOLLOW);
    rmdir(name);
    return result;
}

/* What is said here is what the plugin does (spank/spool_make.c). */
static void check_parts(struct doctor *doctor, const struct conf *conf, const char *path)
{
    struct statfs status;
    int in_memory = statfs(path, &status) == 0 && status.f_type == TMPFS_MAGIC;
    int wanted = conf->mount == CONF_MOUNT_YES || (conf->mount == CONF_MOUNT_AUTO && in_memory);
    int error = wanted && geteuid() == 0 ? try_to_mount(path) : 0;
    if (error != 0)
        doctor_add(doctor, FINDING_WARN, "parts", path,
                   "let slurmd mount (CAP_SYS_ADMIN), or say [spool] mount = no",
                   "what users own cannot get a file system of its own (%s): they can fill the "
                   "spool, but for a reserve for journals",
                   strerror(-error));
    else if (wanted)
        doctor_add(doctor, FINDING_OK, "parts", path, "",
                   "what users own has a file system of its own for each job");
    else
        doctor_add(doctor, FINDING_OK, "parts", path, "",
                   "what users own lies beside the journals, which have a reserve");
}

static void check_spool(struct doctor *doctor, const struct conf *conf, const char *path)
{
    static const char mend[] =
        "mend [spool] dir in jobtrail.conf or the directory; change it while no job runs here";
    struct stat status;
    check_privacy(doctor, path);
    if (!check_directory(doctor, "spool", path, mend))
        return;
    if (stat(path, &status) != 0 || (status.st_mode & S_IXOTH) == 0)
        doctor_add(doctor, FINDING_BAD, "spool", path, "chmod 711",
                   "users cannot get at their jobs' ledgers");
    else if (is_shared(path))
        doctor_add(doctor, FINDING_BAD, "spool", path, mend, "on a shared file system");
    else if (free_bytes(path) < conf->ledger_bytes)
        doctor_add(doctor, FINDING_WARN, "spool", path, "make room, or a larger file system",
                   "%" PRIu64 " MiB are free, one job may use %" PRIu64, free_bytes(path) >> 20,
                   conf->ledger_bytes >> 20);
    else
        doctor_add(doctor, FINDING_OK, "spool", path, "", "root's, with %" PRIu64 " MiB free",
                   free_bytes(path) >> 20);
    check_place(doctor, path);
    check_parts(doctor, conf, path);
    unsigned over = count_entries(path, 1);
    if (over > 0)
        doctor_add(doctor, FINDING_WARN, "leftovers", path, "jobtrail-submit flush --orphans",
                   "%u jobs are over and not flushed yet", over);
}

/* Users' own, to which they add. */
static void check_sessions(struct doctor *doctor, const char *path)
{
    struct stat status;
    char culprit[PATH_MAX];
    if (path[0] == '\0')
        return;
    if (stat(path, &status) != 0)
        doctor_add(doctor, FINDING_OK, "sessions", path, "",
                   "not there yet: jobtrail-send.timer makes it");
    else if (!S_ISDIR(status.st_mode) || status.st_uid != 0 || (status.st_mode & 07777) != 01733)
        doctor_add(doctor, FINDING_BAD, "sessions", path, "chown root and chmod 1733",
                   "users cannot leave records there, or could get at each other's");
    else if (doctor_others_can_change(path, culprit, sizeof culprit))
        doctor_add(doctor, FINDING_BAD, "sessions", path, "give it to root, writable by root alone",
                   "%s can be changed by others than root", culprit);
    else if (is_shared(path))
        doctor_add(doctor, FINDING_BAD, "sessions", path, "mend [spool] sessions in jobtrail.conf",
                   "on a shared file system");
    else
        doctor_add(doctor, FINDING_OK, "sessions", path, "", "root's, with %" PRIu64 " MiB free",
                   free_bytes(path) >> 20);
}

static void check_watcher(struct doctor *doctor, const char *spool)
{
    char path[PATH_MAX + 16];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(path, sizeof path, "%s/%s", spool, SPOOL_WATCH_LOCK);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
        doctor_add(doctor, FINDING_OK, "watcher", path, "", "process %d", (int)lock.l_pid);
    else
        doctor_add(doctor, FINDING_WARN, "watcher", path,
                   "restart slurmd: it starts the watcher, and runs the plugin in epilogs from "
                   "then on",
                   "no watcher runs for this spool");
    if (fd >= 0)
        close(fd);
}

static void check_quarantine(struct doctor *doctor, const char *state)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/quarantine", state);
    unsigned count = count_entries(path, 0);
    if (count > 0)
        doctor_add(doctor, FINDING_WARN, "quarantine", path,
                   "read the file 'reason' in each (jobtrail-submit(8)), and remove them",
                   "%u jobs were set aside", count);
    uint64_t lost = 0;
    snprintf(path, sizeof path, "%s/quarantine/overflow", state);
    FILE *file = fopen(path, "re");
    if (file != NULL && fscanf(file, "%" SCNu64, &lost) == 1)
        doctor_add(doctor, FINDING_BAD, "quarantine", path,
                   "see what fills the quarantine, make room, and remove this file",
                   "%" PRIu64 " jobs had no place in the quarantine, and are lost", lost);
    if (file != NULL)
        fclose(file);
}

static void check_plain(struct doctor *doctor, const char *check, const char *path,
                        const char *mend)
{
    if (check_directory(doctor, check, path, mend))
        doctor_add(doctor, FINDING_OK, check, path, "", "%" PRIu64 " MiB free",
                   free_bytes(path) >> 20);
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
    char spool[PATH_MAX];
    if (spool_expand(conf->spool, doctor->node, spool, sizeof spool) == 0) {
        check_spool(doctor, conf, spool);
        check_watcher(doctor, spool);
    }
    check_sessions(doctor, conf->sessions);
    check_plain(doctor, "state", conf->state, "mend [submit] state in jobtrail.conf");
    check_quarantine(doctor, conf->state);
    check_cgroup(doctor);
    if (strcmp(conf->transport, "file") == 0)
        check_plain(doctor, "records", conf->file_dir, "mend [file] dir in jobtrail.conf");
}
