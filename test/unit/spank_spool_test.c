/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The job's spool directory and ledger, as root makes them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ledger.h"
#include "spool.h"

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
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
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

static void the_nodes_name_is_slurms_or_the_hosts(void **state)
{
    char host[256];
    (void)state;
    assert_string_equal(spool_node(), "n7");
    assert_int_equal(gethostname(host, sizeof host), 0);
    host[strcspn(host, ".")] = '\0';
    setenv("SLURMD_NODENAME", "../../etc", 1); /* no name leads out of the spool */
    assert_string_equal(spool_node(), host);
    setenv("SLURMD_NODENAME", "", 1);
    assert_string_equal(spool_node(), host);
    unsetenv("SLURMD_NODENAME");
    assert_string_equal(spool_node(), host);
}

static void directories_are_made_with_their_modes_under_any_umask(void **state)
{
    static const mode_t masks[] = {0, 022, 027, 077, 0777};
    (void)state;
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        char parent[32], spool[32], job[64];
        snprintf(parent, sizeof parent, "p%zu", i);
        snprintf(spool, sizeof spool, "p%zu/spool", i);
        snprintf(job, sizeof job, "p%zu/spool/42.3", i);
        mode_t before = umask(masks[i]);
        int fd = spool_open(below(spool), 42, 3);
        umask(before);
        assert_true(fd >= 0);
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
        close(fd);
        assert_int_equal(mode_of(below(parent)), S_IFDIR | 0755);
        assert_int_equal(mode_of(below(spool)), S_IFDIR | 0711);
        assert_int_equal(mode_of(below(job)), S_IFDIR | 0711);
    }
}

static void directories_that_are_there_are_left_as_they_are(void **state)
{
    (void)state;
    assert_int_equal(mkdir(below("spool"), 0700), 0);
    assert_int_equal(mkdir(below("spool/42.0"), 0700), 0);
    int fd = spool_open(below("spool"), 42, 0);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(mode_of(below("spool")), S_IFDIR | 0700);
    assert_int_equal(mode_of(below("spool/42.0")), S_IFDIR | 0700);
}

static void what_is_no_directory_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir(below("spool"), 0700), 0);
    assert_int_equal(mkdir(below("elsewhere"), 0700), 0);
    assert_int_equal(symlink("../elsewhere", below("spool/1.0")), 0);
    assert_int_equal(mknod(below("spool/2.0"), S_IFREG | 0600, 0), 0);
    assert_int_equal(symlink("elsewhere", below("link")), 0);
    for (int make = 0; make < 2; make++) {
        int (*open_it)(const char *, uint32_t, uint32_t) = make ? spool_open : spool_find;
        assert_true(open_it(below("spool"), 1, 0) < 0);
        assert_int_equal(open_it(below("spool"), 2, 0), -ENOTDIR);
        assert_true(open_it(below("link"), 1, 0) < 0);
    }
    assert_int_equal(rmdir(below("elsewhere")), 0); /* it has stayed empty */
}

static void what_others_could_write_to_is_refused(void **state)
{
    (void)state;
    close(spool_open(below("spool"), 42, 0));
    for (mode_t bit = S_IWOTH; bit <= S_IWGRP; bit <<= 3) {
        assert_int_equal(chmod(below("spool/42.0"), 0711 | bit), 0);
        assert_int_equal(spool_open(below("spool"), 42, 0), -EPERM);
        assert_int_equal(chmod(below("spool/42.0"), 0711), 0);
        assert_int_equal(chmod(below("spool"), 0711 | bit), 0);
        assert_int_equal(spool_open(below("spool"), 42, 0), -EPERM);
        assert_int_equal(chmod(below("spool"), 0711), 0);
    }
    assert_int_equal(chown(below("spool/42.0"), 12345, 0), 0);
    assert_int_equal(spool_find(below("spool"), 42, 0), -EPERM);
}

static void finding_makes_nothing(void **state)
{
    (void)state;
    assert_int_equal(spool_find(below("spool"), 42, 0), -ENOENT);
    assert_int_equal(access(below("spool"), F_OK), -1);
    close(spool_open(below("spool"), 42, 0));
    assert_int_equal(spool_find(below("spool"), 42, 1), -ENOENT);
    int fd = spool_find(below("spool"), 42, 0);
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

static void every_run_of_a_job_is_found_and_nothing_else(void **state)
{
    const uint32_t restarts[] = {0, 1, 20};
    uint32_t runs = 0;
    (void)state;
    spool_find_runs(below("spool"), 42, note_run, &runs);
    assert_int_equal(runs, 0);
    assert_int_equal(spool_last_run(below("spool"), 42, 5), 5);
    for (size_t i = 0; i < 3; i++)
        close(spool_open(below("spool"), 42, restarts[i]));
    close(spool_open(below("spool"), 421, 3));
    close(spool_open(below("spool"), 4, 2));
    assert_int_equal(mkdir(below("spool/42.05"), 0711), 0);
    assert_int_equal(mkdir(below("spool/42.6x"), 0711), 0);
    assert_int_equal(symlink("42.0", below("spool/42.7")), 0);
    spool_find_runs(below("spool"), 42, note_run, &runs);
    assert_int_equal(runs, 1u << 0 | 1u << 1 | 1u << 20);
    assert_int_equal(spool_last_run(below("spool"), 42, 5), 20);
}

static int make_job(void)
{
    int job = spool_open(below("spool"), 42, 0);
    assert_true(job >= 0);
    return job;
}

static void a_ledger_has_header_size_room_and_owner(void **state)
{
    uid_t uid = geteuid() == 0 ? 12345 : geteuid();
    gid_t gid = geteuid() == 0 ? 54321 : getegid();
    struct ledger_header header,
        expected = {.magic = LEDGER_MAGIC, .size_bytes = LEDGER_BYTES, .used_bytes = LEDGER_PAGE};
    struct stat status;
    int job = make_job();
    (void)state;
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

static void a_small_ledger_is_backed_whole(void **state)
{
    struct ledger_header header;
    struct stat status;
    int job = make_job();
    (void)state;
    assert_int_equal(spool_make_ledger(job, geteuid(), getegid(), 64 << 10), 0);
    int fd = openat(job, "ledger", O_RDONLY | O_CLOEXEC);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_size, 64 << 10);
    assert_int_equal(read(fd, &header, sizeof header), sizeof header);
    assert_int_equal(header.backed_bytes, 64 << 10);
    close(fd);
    close(job);
}

static void a_ledger_that_is_there_is_kept(void **state)
{
    struct stat before, after;
    int job = make_job();
    (void)state;
    assert_int_equal(spool_make_ledger(job, geteuid(), getegid(), LEDGER_BYTES), 0);
    assert_int_equal(fstatat(job, "ledger", &before, 0), 0);
    assert_int_equal(spool_make_ledger(job, geteuid(), getegid(), 2 * LEDGER_BYTES), 0);
    assert_int_equal(fstatat(job, "ledger", &after, 0), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(after.st_size, LEDGER_BYTES);
    assert_int_equal(count_files(job), 1);
    close(job);
}

static void what_a_dead_maker_left_behind_does_no_harm(void **state)
{
    char name[32];
    int job = make_job();
    (void)state;
    snprintf(name, sizeof name, "ledger.%d", (int)getpid());
    assert_int_equal(symlinkat("/etc/passwd", job, name), 0);
    assert_int_equal(spool_make_ledger(job, geteuid(), getegid(), LEDGER_BYTES), 0);
    assert_int_equal(count_files(job), 1);
    close(job);
}

static void many_makers_at_once_leave_one_ledger(void **state)
{
    enum { MAKERS = 8, ROUNDS = 20 };
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        int start[2], status;
        struct stat found;
        int job = spool_open(below("spool"), 42, round);
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

static void a_ledger_that_cannot_be_made_leaves_nothing(void **state)
{
    int job = make_job();
    (void)state;
    assert_true(spool_make_ledger(job, geteuid(), getegid(), UINT64_C(1) << 63) < 0);
    assert_int_equal(count_files(job), 0);
    close(job);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_nodes_name_is_slurms_or_the_hosts),
        TEST(directories_are_made_with_their_modes_under_any_umask),
        TEST(directories_that_are_there_are_left_as_they_are),
        TEST(what_is_no_directory_is_refused),
        TEST(what_others_could_write_to_is_refused),
        TEST(finding_makes_nothing),
        TEST(every_run_of_a_job_is_found_and_nothing_else),
        TEST(a_ledger_has_header_size_room_and_owner),
        TEST(a_small_ledger_is_backed_whole),
        TEST(a_ledger_that_is_there_is_kept),
        TEST(what_a_dead_maker_left_behind_does_no_harm),
        TEST(many_makers_at_once_leave_one_ledger),
        TEST(a_ledger_that_cannot_be_made_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
