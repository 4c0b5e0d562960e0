/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The job's spool directory and ledger, as root makes them.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "conf/base/io.h"
#include "contrib/hooks/packages.h"
#include "preload/ledger.h"
#include "spank/epilog_note.h"
#include "spank/journal.h"
#include "spank/journal_owner.h"
#include "spank/ledger_make.h"
#include "spank/spool.h"
#include "spank/spool_make.h"
#include "spank/spool_part.h"
#include "test/unit/fixture/cases.h"

enum { LEDGER_BYTES = 4 << 20 };

static char root[32];

static int set_up(void **state)
{
    (void)state;
    strcpy(root, "/tmp/spank_spool_test.XXXXXX");
    setenv("SLURMD_NODENAME", "n7", 1);
    return mkdtemp(root) == NULL;
}

static int tear_down(void **state)
{
    char command[160];
    (void)state;
    snprintf(command, sizeof command,
             "umount -l '%s'/spool/*/user '%s'/full 2>/dev/null; rm -rf '%s'", root, root, root);
    return system(command);
}

/* "ROOT/NAME" */
static const char *below(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode;
}

static struct spool_run run_of(uint32_t job, uint32_t restart, uid_t uid)
{
    return (struct spool_run){.spool = below("spool"),
                              .job = job,
                              .restart = restart,
                              .uid = uid,
                              .mount = SPOOL_MOUNT_NO,
                              .user_bytes = LEDGER_BYTES};
}

static void line_of(const char *verb, uid_t uid, struct journal_line *line)
{
    journal_start(line, verb);
    journal_number(line, "uid", uid);
}

static int enter_run(const struct spool_run *run)
{
    struct journal_line line;
    line_of("step", run->uid, &line);
    return spool_enter(run, &line);
}

static int enter(uint32_t job, uint32_t restart, uid_t uid)
{
    const struct spool_run run = run_of(job, restart, uid);
    return enter_run(&run);
}

/* As the epilog does. */
static void end_job(int job)
{
    struct journal_line line;
    journal_start(&line, "epilog");
    assert_int_equal(journal_append(&line, job), 0);
}

/* Slurm 22.05 does not tell it. */
TEST(the_epilog_notes_the_start_of_the_job_where_slurm_tells_it)
{
    char text[2 * JOURNAL_LINE_MAX];
    int job = enter(77, 0, getuid());
    assert_true(job >= 0);
    setenv("SLURM_JOB_START_TIME", "1700000000", 1);
    assert_true(epilog_note(below("spool"), 77, getuid()));
    unsetenv("SLURM_JOB_START_TIME");
    assert_true(io_read_text(job, JOURNAL_NAME, text, sizeof text) > 0);
    assert_non_null(strstr(text, "\nepilog time="));
    assert_non_null(strstr(text, " start=1700000000\n"));
    assert_true(epilog_note(below("spool"), 77, getuid()));
    assert_true(io_read_text(job, JOURNAL_NAME, text, sizeof text) > 0);
    assert_null(strstr(strstr(text, " start=") + 1, " start="));
    close(job);
}

/* Its prolog may not run. */
TEST(the_epilog_of_a_requeued_job_notes_which_run_is_next)
{
    const char *spool = below("spool");
    static const uint32_t told[] = {1, 2, 2};
    for (uint32_t i = 0; i < 3; i++) {
        char count[] = {(char)('0' + told[i]), '\0'};
        close(enter(77, i, getuid()));
        setenv("SLURM_JOB_RESTART_COUNT", count, 1);
        assert_true(epilog_note(spool, 77, getuid()));
        assert_int_equal(spool_noted_restart(spool, 77, getuid()), i < 2 ? told[i] : 0);
    }
    unsetenv("SLURM_JOB_RESTART_COUNT");
    spool_note_restart(spool, 77, getuid(), 4);
    assert_int_equal(spool_noted_restart(spool, 77, getuid() + 1), 0);
    assert_int_equal(spool_noted_restart(spool, 7, getuid()), 0);
    spool_note_restart(spool, 77, getuid(), 0);
    assert_int_equal(spool_noted_restart(spool, 77, getuid()), 0);
}

static int exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static ino_t inode_of(int fd)
{
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    return status.st_ino;
}

/* How many files there are in the directory. */
static int count_files(int directory)
{
    struct dirent *entry;
    int count = 0;
    DIR *listing = fdopendir(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    assert_non_null(listing);
    while ((entry = readdir(listing)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}

TEST(directories_are_made_with_their_modes_under_any_umask)
{
    static const mode_t masks[] = {0, 022, 027, 077, 0777};
    if (geteuid() != 0)
        skip();
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        char parent[32], spool[32], part[64], path[128];
        snprintf(parent, sizeof parent, "p%zu", i);
        snprintf(spool, sizeof spool, "p%zu/spool", i);
        snprintf(part, sizeof part, "p%zu/spool/42.3/user", i);
        snprintf(path, sizeof path, "%s", below(spool));
        struct spool_run run = run_of(42, 3, 12345);
        run.spool = path;
        mode_t before = umask(masks[i]);
        int fd = enter_run(&run);
        umask(before);
        assert_true(fd >= 0);
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
        close(fd);
        assert_int_equal(mode_of(below(parent)), S_IFDIR | 0755);
        assert_int_equal(mode_of(below(spool)), S_IFDIR | 0711);
        assert_int_equal(mode_of(below(part)), S_IFDIR | 0711);
    }
}

/* What the user gets to see: 0 the part, EACCES nothing. */
static int looks_as(uid_t uid, gid_t gid)
{
    struct stat status;
    int result;
    pid_t pid = fork();
    if (pid == 0) {
        if (setgid(gid) != 0 || setuid(uid) != 0)
            _exit(255);
        int journal = stat(below("spool/42.0/journal"), &status) == 0 ? 0 : errno;
        int part = stat(below("spool/42.0/user"), &status) == 0 ? 0 : errno;
        int listing = open(below("spool/42.0"), O_RDONLY | O_CLOEXEC) >= 0 ? 0 : errno;
        _exit(listing != EACCES || journal != part ? 254 : part);
    }
    assert_int_equal(waitpid(pid, &result, 0), pid);
    return WEXITSTATUS(result);
}

TEST(the_jobs_user_alone_gets_in_whatever_group_he_shares)
{
    enum { USER = 12345, OTHER = 12346, GROUP = 54321 };
    if (geteuid() != 0)
        return; /* nobody to be */
    assert_int_equal(chmod(root, 0711), 0);
    close(enter(42, 0, USER));
    assert_int_equal(looks_as(USER, GROUP), 0);
    assert_int_equal(looks_as(OTHER, GROUP), EACCES);
    assert_int_equal(looks_as(OTHER, 0), EACCES);
}

TEST(a_directory_of_this_job_is_entered_again)
{
    char text[512] = "";
    int first = enter(42, 0, 12345), second = enter(42, 0, 12345);
    assert_int_equal(inode_of(first), inode_of(second));
    int journal = openat(second, JOURNAL_NAME, O_RDONLY | O_CLOEXEC);
    assert_true(read(journal, text, sizeof text - 1) > 0);
    assert_non_null(strstr(strchr(text, '\n') + 1, "step time="));
    close(journal);
    close(first);
    close(second);
}

/* Enters 42.0 for another user. Returns the descriptor of what the other one had. */
static void is_set_aside(int old, uid_t uid, const char *left)
{
    ino_t inode = inode_of(old);
    int fd = enter(42, 0, uid);
    assert_true(fd >= 0);
    assert_int_not_equal(inode_of(fd), inode);
    assert_int_equal(journal_is_current(fd, uid), 1);
    int aside = open(below(left), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(inode_of(aside), inode);
    close(aside);
    close(fd);
    close(old);
}

TEST(what_another_users_job_has_left_is_set_aside)
{
    is_set_aside(enter(42, 0, 12345), 12346, "spool/42.0.left1");
    is_set_aside(enter(42, 0, 12346), 12345, "spool/42.0.left2");
    close(enter(42, 0, 12345));
    assert_false(exists(below("spool/42.0.left3")));
}

TEST(what_is_over_is_set_aside)
{
    int old = enter(42, 0, 12345);
    end_job(old);
    is_set_aside(old, 12345, "spool/42.0.left1");
}

TEST(what_another_boot_has_left_is_set_aside)
{
    struct journal_line line;
    const struct spool_run run = run_of(42, 0, 12345);
    line_of("prolog", 12345, &line);
    journal_text(&line, "boot", "01234567-89ab-cdef-0123-456789abcdef");
    is_set_aside(spool_enter(&run, &line), 12345, "spool/42.0.left1");
}

TEST(a_directory_without_a_readable_journal_is_set_aside)
{
    static const char *const journals[] = {"", "uid=12345 and no end", "prolog uid=1234567\n",
                                           "prolog uid=12345x\n", "prolog uid=\n"};
    char left[32];
    assert_int_equal(mkdir(below("spool"), 0711), 0);
    assert_int_equal(mkdir(below("spool/42.0"), 0700), 0);
    is_set_aside(open(below("spool/42.0"), O_RDONLY | O_CLOEXEC), 12345, "spool/42.0.left1");
    for (unsigned i = 0; i < sizeof journals / sizeof journals[0]; i++) {
        int old = enter(42, 0, 12345);
        int fd = openat(old, JOURNAL_NAME, O_WRONLY | O_TRUNC | O_CLOEXEC);
        assert_int_equal(write(fd, journals[i], strlen(journals[i])), strlen(journals[i]));
        close(fd);
        snprintf(left, sizeof left, "spool/42.0.left%u", i + 2);
        is_set_aside(old, 12345, left);
    }
}

TEST(leftovers_are_bounded_and_the_last_one_stays)
{
    for (unsigned i = 0; i <= SPOOL_LEFT_MAX; i++) {
        int fd = enter(42, 0, 12345 + i);
        assert_true(fd >= 0);
        close(fd);
    }
    assert_int_equal(enter(42, 0, 1), -EDQUOT);
    int last = spool_find(below("spool"), 42, 0, 12345 + SPOOL_LEFT_MAX);
    assert_true(last >= 0);
    close(last);
}

TEST(many_at_once_set_one_directory_aside_and_share_the_new_one)
{
    enum { MAKERS = 8, ROUNDS = 20 };
    for (uint32_t round = 0; round < ROUNDS; round++) {
        int start[2], status;
        char left[64];
        close(enter(42, round, 12345));
        assert_int_equal(pipe(start), 0);
        for (int i = 0; i < MAKERS; i++) {
            if (fork() == 0) {
                char byte;
                close(start[1]);
                (void)!read(start[0], &byte, 1); /* until the parent closes its end */
                _exit(enter(42, round, 12346) < 0);
            }
        }
        close(start[0]);
        close(start[1]);
        for (int i = 0; i < MAKERS; i++) {
            assert_true(wait(&status) > 0);
            assert_int_equal(status, 0);
        }
        char text[8192] = "";
        int fd = spool_find(below("spool"), 42, round, 12346), lines = 0;
        int journal = openat(fd, JOURNAL_NAME, O_RDONLY | O_CLOEXEC);
        assert_true(read(journal, text, sizeof text - 1) > 0);
        for (const char *at = text; (at = strstr(at, "step time=")) != NULL; at++)
            lines++;
        assert_int_equal(lines, MAKERS);
        close(journal);
        close(fd);
        snprintf(left, sizeof left, "spool/42.%u.left1", round);
        assert_true(exists(below(left)));
        snprintf(left, sizeof left, "spool/42.%u.left2", round);
        assert_false(exists(below(left)));
    }
    int base = open(below("spool"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(count_files(base), 2 * ROUNDS);
    close(base);
}

TEST(what_is_no_directory_is_refused)
{
    assert_int_equal(mkdir(below("spool"), 0700), 0);
    assert_int_equal(mkdir(below("elsewhere"), 0700), 0);
    assert_int_equal(symlink("../elsewhere", below("spool/1.0")), 0);
    assert_int_equal(mknod(below("spool/2.0"), S_IFREG | 0600, 0), 0);
    assert_int_equal(symlink("elsewhere", below("link")), 0);
    assert_true(enter(1, 0, 0) < 0);
    assert_true(spool_find(below("spool"), 1, 0, 0) < 0);
    assert_int_equal(enter(2, 0, 0), -ENOTDIR);
    assert_int_equal(spool_find(below("spool"), 2, 0, 0), -ENOTDIR);
    struct spool_run run = run_of(1, 0, 0);
    char link[128];
    snprintf(link, sizeof link, "%s", below("link"));
    run.spool = link;
    assert_true(enter_run(&run) < 0);
    assert_int_equal(rmdir(below("elsewhere")), 0); /* it has stayed empty */
}

TEST(what_others_could_write_to_is_refused)
{
    if (geteuid() != 0)
        skip();
    close(enter(42, 0, 0));
    assert_int_equal(chmod(below("spool/42.0"), 0732), 0);
    assert_int_equal(enter(42, 0, 0), -EPERM);
    assert_int_equal(chmod(below("spool/42.0"), 0710), 0);
    for (mode_t bit = S_IWOTH; bit <= S_IWGRP; bit <<= 3) {
        assert_int_equal(chmod(below("spool"), 0711 | bit), 0);
        assert_int_equal(enter(42, 0, 0), -EPERM);
        assert_int_equal(chmod(below("spool"), 0711), 0);
    }
    assert_int_equal(chown(below("spool/42.0"), 12345, 0), 0);
    assert_int_equal(spool_find(below("spool"), 42, 0, 0), -EPERM);
}

TEST(finding_makes_nothing_and_finds_no_other_users)
{
    assert_int_equal(spool_find(below("spool"), 42, 0, 12345), -ENOENT);
    assert_int_equal(access(below("spool"), F_OK), -1);
    close(enter(42, 0, 12345));
    assert_int_equal(spool_find(below("spool"), 42, 1, 12345), -ENOENT);
    assert_int_equal(spool_find(below("spool"), 42, 0, 12346), -ENOENT);
    int fd = spool_find(below("spool"), 42, 0, 12345);
    assert_true(fd >= 0);
    end_job(fd);
    close(fd);
    fd = spool_find(below("spool"), 42, 0, 12345); /* a step's last words may come late */
    assert_true(fd >= 0);
    close(fd);
}

static void note_run(void *context, uint32_t restart, int directory)
{
    char path[64], target[128] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", directory);
    assert_true(readlink(path, target, sizeof target - 1) > 0);
    uint32_t *runs = context;
    assert_int_equal(restart, atoi(strrchr(target, '.') + 1));
    *runs |= 1u << restart;
}

static uint32_t last_run(uint32_t job, uid_t uid, uint32_t restart)
{
    assert_int_equal(spool_last_run(below("spool"), job, uid, &restart), 0);
    return restart;
}

TEST(every_run_of_a_job_is_found_and_nothing_else)
{
    const uint32_t restarts[] = {0, 1, 20};
    uint32_t runs = 0;
    spool_find_runs(below("spool"), 42, note_run, &runs);
    assert_int_equal(runs, 0);
    assert_int_equal(last_run(42, 12345, 5), 5);
    for (size_t i = 0; i < 3; i++)
        close(enter(42, restarts[i], 12345));
    close(enter(421, 3, 12345));
    close(enter(4, 2, 12345));
    assert_int_equal(mkdir(below("spool/42.05"), 0711), 0);
    assert_int_equal(mkdir(below("spool/42.6x"), 0711), 0);
    assert_int_equal(symlink("42.0", below("spool/42.7")), 0);
    spool_find_runs(below("spool"), 42, note_run, &runs);
    assert_int_equal(runs, 1u << 0 | 1u << 1 | 1u << 20);
    assert_int_equal(last_run(42, 12345, 5), 20);
}

TEST(the_last_run_is_this_users_and_goes_on)
{
    close(enter(42, 1, 12345));
    close(enter(42, 7, 12346));
    int over = enter(42, 9, 12345);
    end_job(over);
    close(over);
    assert_int_equal(last_run(42, 12345, 5), 1);
    assert_int_equal(last_run(42, 12346, 5), 7);
    assert_int_equal(last_run(42, 12347, 5), 5);
    over = enter(43, 2, 12345);
    end_job(over);
    close(over);
    assert_int_equal(last_run(43, 12345, 0), 2);
    assert_int_equal(last_run(43, 12346, 0), 0);
}

/* The part of a job's directory with what its user owns. */
static int make_job(void)
{
    int job = enter(42, 0, geteuid());
    assert_true(job >= 0);
    int part = spool_part_open(job);
    assert_true(part >= 0);
    close(job);
    return part;
}

static uint64_t free_bytes(const char *path)
{
    struct statvfs status;
    assert_int_equal(statvfs(path, &status), 0);
    return (uint64_t)status.f_bavail * status.f_frsize;
}

/* Takes all room there is, in a file that is there. */
static void fill_up(const char *path)
{
    static const char block[1 << 16] = {1};
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_true(fd >= 0);
    while (write(fd, block, sizeof block) > 0)
        continue;
    assert_int_equal(errno, ENOSPC);
    close(fd);
}

/* A spool in memory, of 2 MiB. */
static void small_spool(struct spool_run *run)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/full", root);
    assert_int_equal(mkdir(path, 0711), 0);
    assert_int_equal(mount("jobtrail", path, "tmpfs", 0, "size=2m,mode=0711"), 0);
    run->spool = path;
}

TEST(what_a_user_owns_has_a_file_system_of_its_own)
{
    struct spool_run run = run_of(42, 0, 12345);
    struct statvfs status;
    if (geteuid() != 0)
        return; /* may not mount */
    small_spool(&run);
    run.mount = SPOOL_MOUNT_YES;
    int job = enter_run(&run);
    assert_true(job >= 0);
    assert_true(spool_part_is_mounted(job));
    int again = enter_run(&run); /* and no second one on top */
    int part = spool_part_open(again);
    assert_int_equal(fstatvfs(part, &status), 0);
    assert_true((status.f_flag & (ST_NOSUID | ST_NODEV | ST_NOEXEC)) ==
                (ST_NOSUID | ST_NODEV | ST_NOEXEC));
    uint64_t bytes = (uint64_t)status.f_blocks * status.f_frsize;
    assert_true(bytes >= LEDGER_BYTES + PACKAGES_BYTES &&
                bytes < LEDGER_BYTES + 2 * PACKAGES_BYTES);
    assert_int_equal(spool_make_ledger(part, 12345, 54321, LEDGER_BYTES), 0);
    assert_int_equal(spool_make_packages(part, 12345, 54321), 0);
    uint64_t room = free_bytes(run.spool);
    fill_up(below("full/42.0/user/packages"));
    assert_int_equal(free_bytes(run.spool), room);
    close(part);
    assert_int_equal(spool_part_unmount(job), 0);
    assert_false(spool_part_is_mounted(job));
    assert_false(exists(below("full/42.0/user/packages")));
    close(again);
    close(job);
}

TEST(a_spool_in_memory_gets_them_by_itself)
{
    struct spool_run run = run_of(42, 0, 12345);
    if (geteuid() != 0)
        return; /* may not mount */
    run.mount = SPOOL_MOUNT_AUTO;
    int on_disk = enter_run(&run);
    struct stat status;
    assert_int_equal(fstat(on_disk, &status), 0);
    struct statfs kind;
    assert_int_equal(fstatfs(on_disk, &kind), 0);
    assert_int_equal(spool_part_is_mounted(on_disk), kind.f_type == TMPFS_MAGIC);
    close(on_disk);
    small_spool(&run);
    int job = enter_run(&run);
    assert_true(spool_part_is_mounted(job));
    assert_int_equal(spool_part_unmount(job), 0);
    close(job);
}

TEST(journals_have_room_where_users_share_their_file_system)
{
    struct spool_run run = run_of(42, 0, 12345);
    struct journal_line line;
    if (geteuid() != 0)
        return; /* may not mount */
    small_spool(&run);
    int hostile = enter_run(&run);
    int part = spool_part_open(hostile);
    assert_int_equal(spool_make_packages(part, 12345, 54321), 0);
    fill_up(below("full/42.0/user/packages"));
    for (int i = 0; i < 1000; i++) { /* its own journal */
        journal_start(&line, "task");
        assert_int_equal(journal_append(&line, hostile), 0);
    }
    for (uint32_t next = 43; next < 46; next++) { /* and those of jobs to come */
        run.job = next;
        run.uid = 12346;
        int job = enter_run(&run);
        assert_true(job >= 0);
        journal_start(&line, "task");
        assert_int_equal(journal_append(&line, job), 0);
        close(job);
    }
    close(part);
    close(hostile);
}

TEST(without_access_control_lists_everybody_may_pass)
{
    struct spool_run run = run_of(42, 0, 12345);
    if (geteuid() != 0)
        return; /* may not mount */
    static char path[64];
    snprintf(path, sizeof path, "%s/full", root);
    assert_int_equal(mkdir(path, 0711), 0);
    assert_int_equal(mount("jobtrail", path, "ramfs", 0, "mode=0711"), 0);
    run.spool = path;
    int job = enter_run(&run);
    assert_true(job >= 0);
    assert_int_equal(mode_of(below("full/42.0")), S_IFDIR | 0711);
    close(job);
}

TEST(what_cannot_be_made_leaves_nothing)
{
    struct spool_run run = run_of(42, 0, 12345);
    if (geteuid() != 0)
        return; /* may not mount */
    small_spool(&run);
    int fill = open(below("full/fill"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    close(fill);
    fill_up(below("full/fill"));
    run.mount = SPOOL_MOUNT_YES;
    assert_int_equal(enter_run(&run), -ENOSPC);
    int base = open(below("full"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(base >= 0);
    DIR *listing = fdopendir(base);
    struct dirent *entry;
    while ((entry = readdir(listing)) != NULL)
        assert_true(strchr("f.", entry->d_name[0]) != NULL &&
                    strncmp(entry->d_name, ".new", 4) != 0);
    closedir(listing);
}

TEST(a_ledger_has_header_size_room_and_owner)
{
    uid_t uid = geteuid() == 0 ? 12345 : geteuid();
    gid_t gid = geteuid() == 0 ? 54321 : getegid();
    struct ledger_header header,
        expected = {.magic = LEDGER_MAGIC, .size_bytes = LEDGER_BYTES, .used_bytes = LEDGER_FIRST};
    struct stat status, top;
    int job = make_job();
    assert_int_equal(spool_make_ledger(job, uid, gid, LEDGER_BYTES), 0);
    int fd = openat(job, "ledger", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_mode, S_IFREG | 0600);
    assert_int_equal(status.st_uid, uid);
    assert_int_equal(status.st_gid, gid);
    assert_int_equal(status.st_nlink, 1);
    assert_int_equal(status.st_size, LEDGER_BYTES);
    assert_int_equal(read(fd, &header, sizeof header), sizeof header);
    assert_true(header.backed_bytes > LEDGER_PAGE && header.backed_bytes < LEDGER_BYTES);
    assert_true((uint64_t)status.st_blocks * 512 >= header.backed_bytes);
    assert_true((uint64_t)status.st_blocks * 512 < LEDGER_BYTES);
    expected.backed_bytes = header.backed_bytes;
    expected.root_device = header.root_device;
    expected.root_inode = header.root_inode;
    assert_int_equal(stat("/", &top), 0);
    assert_int_equal(header.root_device, top.st_dev);
    assert_int_equal(header.root_inode, top.st_ino);
    assert_memory_equal(&header, &expected, sizeof header);
    static const char zero[LEDGER_PAGE];
    char page[LEDGER_PAGE];
    for (off_t at = LEDGER_PAGE; at < LEDGER_BYTES; at += LEDGER_PAGE) {
        assert_int_equal(pread(fd, page, sizeof page, at), sizeof page);
        assert_memory_equal(page, zero, sizeof page);
    }
    close(fd);
    assert_int_equal(count_files(job), 1);
    close(job);
}

TEST(a_small_ledger_is_backed_whole)
{
    struct ledger_header header;
    struct stat status;
    int job = make_job();
    assert_int_equal(spool_make_ledger(job, geteuid(), getegid(), 64 << 10), 0);
    int fd = openat(job, "ledger", O_RDONLY | O_CLOEXEC);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_size, 64 << 10);
    assert_int_equal(read(fd, &header, sizeof header), sizeof header);
    assert_int_equal(header.backed_bytes, 64 << 10);
    close(fd);
    close(job);
}

TEST(a_ledger_that_is_there_is_kept)
{
    struct stat before, after;
    int job = make_job();
    assert_int_equal(spool_make_ledger(job, geteuid(), getegid(), LEDGER_BYTES), 0);
    assert_int_equal(fstatat(job, "ledger", &before, 0), 0);
    assert_int_equal(spool_make_ledger(job, geteuid(), getegid(), 2 * LEDGER_BYTES), 0);
    assert_int_equal(fstatat(job, "ledger", &after, 0), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(after.st_size, LEDGER_BYTES);
    assert_int_equal(count_files(job), 1);
    close(job);
}

TEST(a_ledger_of_another_users_is_none_of_this_job)
{
    int job = make_job();
    if (geteuid() == 0) {
        assert_int_equal(spool_make_ledger(job, 12345, 54321, LEDGER_BYTES), 0);
        assert_int_equal(spool_make_ledger(job, 12346, 54321, LEDGER_BYTES), -EPERM);
    }
    close(job);
}

TEST(what_a_dead_maker_left_behind_does_no_harm)
{
    char name[32];
    int job = make_job();
    snprintf(name, sizeof name, "ledger.%d", (int)getpid());
    assert_int_equal(symlinkat("/etc/passwd", job, name), 0);
    assert_int_equal(spool_make_ledger(job, geteuid(), getegid(), LEDGER_BYTES), 0);
    assert_int_equal(count_files(job), 1);
    close(job);
}

TEST(many_makers_at_once_leave_one_ledger)
{
    enum { MAKERS = 8, ROUNDS = 20 };
    for (uint32_t round = 0; round < ROUNDS; round++) {
        int start[2], status;
        struct stat found;
        int run = enter(42, round, geteuid()), job = spool_part_open(run);
        close(run);
        assert_int_equal(pipe(start), 0);
        for (int i = 0; i < MAKERS; i++) {
            if (fork() == 0) {
                char byte;
                close(start[1]);
                (void)!read(start[0], &byte, 1); /* until the parent closes its end */
                _exit(spool_make_ledger(job, geteuid(), getegid(), LEDGER_BYTES) != 0);
            }
        }
        close(start[0]);
        close(start[1]);
        for (int i = 0; i < MAKERS; i++) {
            assert_true(wait(&status) > 0);
            assert_int_equal(status, 0);
        }
        assert_int_equal(count_files(job), 1);
        assert_int_equal(fstatat(job, "ledger", &found, 0), 0);
        assert_int_equal(found.st_nlink, 1);
        close(job);
    }
}

TEST(a_ledger_that_cannot_be_made_leaves_nothing)
{
    int job = make_job();
    assert_true(spool_make_ledger(job, geteuid(), getegid(), UINT64_C(1) << 63) < 0);
    assert_int_equal(count_files(job), 0);
    close(job);
}

EACH(set_up, tear_down)
