/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The spool of this node: its file system, who sees into it, jobs that wait in it, process watch.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/command/doctor_checks.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"

enum { JOURNAL_END = 16 << 10 }; /* bytes in which the line of the epilog is looked for */

/* Whether a directory of the spool waits for a flush: the epilog of its job has begun, or a later
 * job of the same id has found it. */
static bool is_waiting(int spool, const char *name)
{
    char path[NAME_MAX + 16], text[JOURNAL_END + 1];
    struct stat status;
    /* The end of the JOB.RESTART that a directory's name begins with; NULL: it does not. */
    size_t digits = strspn(name, "0123456789");
    size_t restart = name[digits] == '.' ? strspn(name + digits + 1, "0123456789") : 0;
    const char *end = digits > 0 && restart > 0 ? name + digits + 1 + restart : NULL;
    if (end == NULL || *end != '\0')
        return end != NULL && strncmp(end, SPOOL_LEFT, strlen(SPOOL_LEFT)) == 0;
    snprintf(path, sizeof path, "%s/journal", name);
    CLEANUP_CLOSE int fd = openat(spool, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0)
        return false;
    off_t from = status.st_size > JOURNAL_END ? status.st_size - JOURNAL_END : 0;
    ssize_t got = pread(fd, text, JOURNAL_END, from);
    text[got < 0 ? 0 : got] = '\0';
    return strstr(text, "\n" JOB_FORMATS_MARK "epilog ") != NULL;
}

/* Jobs that wait for a flush. */
static void check_jobs(struct doctor *doctor, const char *path)
{
    unsigned waiting = 0;
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(AT_FDCWD, path, &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        waiting += is_waiting(dirfd(listing), name);
    if (waiting == 0)
        return;
    doctor_add(doctor, FINDING_WARN, "leftovers", path, "", "%u jobs are over and not flushed yet",
               waiting);
    doctor_mend(doctor, "jobtrail-submit flush --orphans%s", doctor_conf_words(doctor));
}

/* The spool should be a file system of its own: if others can fill the file system that it is on,
 * journals cannot be written. */
static void check_place(struct doctor *doctor, const char *path)
{
    char above[PATH_MAX + 4];
    struct stat own, parent;
    CLEANUP_CLOSE int spool = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (spool >= 0 && spool_part_noted(spool) == -ESTALE) {
        doctor_add(doctor, FINDING_BAD, "place", path,
                   "remove PrivateTmp and the like from slurmd's unit, or set [spool] mount = no",
                   "slurmd has mounted it in a mount namespace of its own: only flushes that "
                   "slurmd starts "
                   "see the jobs");
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

/* Whether a file system can be mounted there, by trying. Returns 0 or -errno. */
static int try_to_mount(const char *path)
{
    char name[PATH_MAX + 32];
    snprintf(name, sizeof name, "%s/.doctor.%d", path, (int)getpid());
    if (mkdir(name, 0700) != 0)
        return -errno;
    int error = mount("jobtrail", name, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k") != 0
                    ? -errno
                    : 0;
    if (error == 0)
        umount2(name, MNT_DETACH | UMOUNT_NOFOLLOW);
    rmdir(name);
    return error;
}

/* The same rule as the plugin's (spank/spool_make.c), whose prolog mounts it. */
static void check_parts(struct doctor *doctor, const struct conf *conf, const char *path)
{
    struct statfs status;
    bool is_in_memory = statfs(path, &status) == 0 && status.f_type == TMPFS_MAGIC;
    bool is_wanted =
        conf->mount == CONF_MOUNT_YES || (conf->mount == CONF_MOUNT_AUTO && is_in_memory);
    int error = is_wanted && caller_is_root() ? try_to_mount(path) : 0;
    if (is_wanted && doctor_runs_in_job())
        doctor_add(doctor, FINDING_WARN, "parts", path,
                   "remove RunInJob from PrologFlags, or set [spool] mount = no",
                   "PrologFlags has RunInJob: users' files get no file system of their own, and "
                   "can fill the spool, except for a reserve for journals");
    else if (error != 0)
        doctor_add(doctor, FINDING_WARN, "parts", path,
                   "let slurmd mount (CAP_SYS_ADMIN), or set [spool] mount = no",
                   "users' files cannot get a file system of their own (%s), and can fill the "
                   "spool, except for a reserve for journals",
                   strerror(-error));
    else if (is_wanted)
        doctor_add(doctor, FINDING_OK, "parts", path, "",
                   "each job has a file system of its own for users' files");
    else
        doctor_add(doctor, FINDING_OK, "parts", path, "",
                   "users' files share the journals' file system, which has a reserve for them");
}

static void check_spool(struct doctor *doctor, const struct conf *conf, const char *path)
{
    static const char fix[] =
        "fix [spool] dir in jobtrail.conf or the directory; change it while no job runs here";
    struct stat status;
    /* Without access control lists no mode gives one user alone access (spank/spool_make.c). */
    if (getxattr(path, "system.posix_acl_access", NULL, 0) < 0 && errno == EOPNOTSUPP)
        doctor_add(doctor, FINDING_WARN, "privacy", path,
                   "use a file system that has access control lists: tmpfs, ext4, xfs",
                   "users can see sizes of files of other users' jobs, and when they change");
    if (!doctor_directory(doctor, "spool", path, fix))
        return;
    if (stat(path, &status) != 0 || (status.st_mode & S_IXOTH) == 0) {
        doctor_add(doctor, FINDING_BAD, "spool", path, "",
                   "users cannot reach their jobs' ledgers");
        doctor_mend(doctor, "chmod 711 %s", path);
    } else if (directory_is_shared(path)) {
        doctor_add(doctor, FINDING_BAD, "spool", path, fix, "on a shared file system");
    } else if (doctor_free_bytes(path) < conf->ledger_bytes) {
        doctor_add(doctor, FINDING_WARN, "spool", path, "free some space, or enlarge it",
                   "%" PRIu64 " MiB are free, one job may use %" PRIu64,
                   doctor_free_bytes(path) >> 20, conf->ledger_bytes >> 20);
    } else {
        doctor_add(doctor, FINDING_OK, "spool", path, "", "root's, with %" PRIu64 " MiB free",
                   doctor_free_bytes(path) >> 20);
    }
    check_place(doctor, path);
    check_parts(doctor, conf, path);
    check_jobs(doctor, path);
}

static void check_process_watch(struct doctor *doctor, const char *spool)
{
    char path[PATH_MAX + 16];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(path, sizeof path, "%s/%s", spool, SPOOL_WATCH_LOCK);
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
        doctor_add(doctor, FINDING_OK, "watcher", path, "", "process %d", (int)lock.l_pid);
    else
        doctor_add(
            doctor, FINDING_WARN, "watcher", path,
            "restart slurmd: it starts the process watch, and then runs the plugin in epilogs",
            "no process watch is running for this spool");
}

void doctor_spool(struct doctor *doctor, const struct conf *conf)
{
    char spool[PATH_MAX];
    if (spool_expand(conf->spool, doctor->node, spool, sizeof spool) != 0)
        return;
    check_spool(doctor, conf, spool);
    check_process_watch(doctor, spool);
}
