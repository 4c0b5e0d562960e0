/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The node's table of hashes: what is found in it, for whom, and what is not.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "submit/facts/file_hash.h"
#include "submit/facts/hasher.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

#define SHA1_ABC "a9993e364706816aba3e25717850c26c9cd0d89d" /* FIPS 180-4 */

static char file[64];

static int set_up(void **state)
{
    if (made_tree_set_up(state) != 0)
        return -1;
    snprintf(file, sizeof file, "%s/file", made_tree);
    return 0;
}

/* The file with this content, last changed an hour ago as far as its owner can say. */
static struct stat make_file(const char *content)
{
    const struct timespec times[] = {{1700000000, 5}, {1700000000, 5}};
    struct stat status;
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    close(fd);
    assert_int_equal(utimensat(AT_FDCWD, file, times, 0), 0);
    assert_int_equal(stat(file, &status), 0);
    return status;
}

static struct hash_table *map(void)
{
    struct hash_table *table = hash_table_map(made_tree);
    assert_non_null(table);
    return table;
}

static pid_t start_hasher(const char *state, uid_t uid, gid_t gid, int *fd)
{
    const struct conf conf = {.state = (char *)state};
    const struct file_hash_bounds bounds = {1 << 20, 10000, 1 << 20, 10000, false};
    return hasher_start(&conf, &bounds, uid, gid, fd);
}

static const unsigned char some[HASH_TABLE_SHA1] = {1, 2, 3, 20};

TEST(a_hash_is_found_by_all_that_tells_a_file_and_by_nothing_less)
{
    unsigned char sha1[HASH_TABLE_SHA1];
    struct stat status = make_file("abc");
    struct hash_table *table = map();
    assert_false(hash_table_find(table, &status, 7, sha1));
    hash_table_keep(table, &status, 7, some);
    hash_table_unmap(table);
    table = map(); /* as after a reboot */
    assert_true(hash_table_find(table, &status, 7, sha1));
    assert_memory_equal(sha1, some, sizeof some);
    assert_false(hash_table_find(table, &status, 8, sha1));
    assert_false(hash_table_find(table, &status, HASH_TABLE_ALL, sha1));
    for (int i = 0; i < 7; i++) {
        struct stat other = status;
        other.st_dev += i == 0;
        other.st_ino += i == 1;
        other.st_size += i == 2;
        other.st_mtim.tv_sec += i == 3;
        other.st_mtim.tv_nsec += i == 4;
        other.st_ctim.tv_sec += i == 5;
        other.st_ctim.tv_nsec += i == 6;
        assert_false(hash_table_find(table, &other, 7, sha1));
    }
    hash_table_unmap(table);
}

TEST(the_table_is_bounded_and_goes_on_when_it_is_full)
{
    unsigned char sha1[HASH_TABLE_SHA1];
    struct stat status = make_file("abc"), before, after;
    struct hash_table *table = map();
    char path[128];
    unsigned found = 0, count = 3 * HASH_TABLE_BUCKETS * HASH_TABLE_WAYS;
    snprintf(path, sizeof path, "%s/hashes", made_tree);
    assert_int_equal(stat(path, &before), 0);
    for (unsigned i = 0; i < count; i++) {
        status.st_ino = i;
        hash_table_keep(table, &status, 7, some);
        assert_true(hash_table_find(table, &status, 7, sha1));
    }
    for (unsigned i = 0; i < count; i++) {
        status.st_ino = i;
        found += (unsigned)hash_table_find(table, &status, 7, sha1);
    }
    assert_true(found >= HASH_TABLE_BUCKETS * HASH_TABLE_WAYS * 9 / 10 &&
                found <= HASH_TABLE_BUCKETS * HASH_TABLE_WAYS);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    hash_table_unmap(table);
}

TEST(a_file_that_changed_takes_the_place_of_what_it_was)
{
    unsigned char sha1[HASH_TABLE_SHA1];
    struct stat status = make_file("abc"), neighbour = status;
    struct hash_table *table = map();
    neighbour.st_ino++;
    hash_table_keep(table, &neighbour, 7, some);
    for (int i = 0; i < 100; i++) {
        status.st_mtim.tv_nsec++;
        hash_table_keep(table, &status, 7, some);
    }
    assert_true(hash_table_find(table, &status, 7, sha1));
    assert_true(hash_table_find(table, &neighbour, 7, sha1));
    hash_table_unmap(table);
}

TEST(a_damaged_entry_is_none)
{
    unsigned char sha1[HASH_TABLE_SHA1];
    char path[128];
    struct stat status = make_file("abc");
    struct hash_table *table = map();
    hash_table_keep(table, &status, 7, some);
    size_t size = sizeof(struct hash_table_entry) * HASH_TABLE_BUCKETS * HASH_TABLE_WAYS;
    snprintf(path, sizeof path, "%s/hashes", made_tree);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    unsigned char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    size_t at = 0;
    while (bytes[at] == 0)
        at++;
    at -= at % sizeof(struct hash_table_entry);
    for (size_t i = 0; i < offsetof(struct hash_table_entry, reserved); i++) {
        bytes[at + i] ^= 1;
        assert_false(hash_table_find(table, &status, 7, sha1));
        bytes[at + i] ^= 1;
    }
    assert_true(hash_table_find(table, &status, 7, sha1));
    munmap(bytes, size);
    hash_table_unmap(table);
}

/* Two processes that write the same bucket with different hashes: found is one of them or none. */
TEST(two_writers_at_once_never_give_a_mixture)
{
    unsigned char one[HASH_TABLE_SHA1], other[HASH_TABLE_SHA1], sha1[HASH_TABLE_SHA1];
    struct stat status = make_file("abc");
    struct hash_table *table = map();
    memset(one, 0x11, sizeof one);
    memset(other, 0xee, sizeof other);
    pid_t child = fork();
    for (int i = 0; i < 200000 && child == 0; i++)
        hash_table_keep(table, &status, 7, one);
    if (child == 0)
        _exit(0);
    for (int i = 0; i < 200000; i++) {
        hash_table_keep(table, &status, 7, other);
        if (hash_table_find(table, &status, 7, sha1) && memcmp(sha1, one, sizeof one) != 0)
            assert_memory_equal(sha1, other, sizeof other);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    hash_table_unmap(table);
}

/* Whether the table answers for this file from what was written into it by hand. */
static int is_kept(struct hash_table *table, uint32_t user)
{
    unsigned char sha1[HASH_TABLE_SHA1];
    struct stat status;
    assert_int_equal(stat(file, &status), 0);
    return hash_table_find(table, &status, user, sha1);
}

/* Files that changed a moment ago are hashed, and not kept. */
static void wait_settled(void)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    struct stat status;
    assert_int_equal(stat(file, &status), 0);
    do /* by the clock that file_hash() asks: another one can be a tick ahead */
        nanosleep(&pause, NULL);
    while (time(NULL) - status.st_ctim.tv_sec <= 2);
}

TEST(a_file_that_has_just_changed_is_hashed_but_not_kept)
{
    struct file_hash hash;
    make_file("abc");
    struct hash_table *table = map();
    file_hash(table, NULL, file, &hash);
    assert_string_equal(hash.sha1, SHA1_ABC);
    assert_int_equal(hash.modified.tv_sec, 1700000000);
    assert_false(is_kept(table, HASH_TABLE_ALL));
    assert_false(is_kept(table, geteuid()));
    wait_settled();
    file_hash(table, NULL, file, &hash);
    assert_true(is_kept(table, geteuid() == 0 ? HASH_TABLE_ALL : geteuid()));
    hash_table_unmap(table);
}

static char owned_directory[] = "/tmp/hash_test.XXXXXX";

static const struct {
    uid_t owner;
    mode_t mode;
    int shared;
} owned[] = {{0, 0755, 1}, {0, 0775, 0}, {0, 0757, 0}, {4711, 0755, 0}, {4712, 0755, 0}};

enum { OWNED = sizeof owned / sizeof owned[0] };

static void name_owned(int number)
{
    snprintf(file, sizeof file, "%s/%d", owned_directory, number);
}

/* Before the first test, so that one wait serves several. */
static int make_owned(void **state)
{
    (void)state;
    if (mkdtemp(owned_directory) == NULL || chmod(owned_directory, 0755) != 0)
        return -1;
    for (int i = 0; i < OWNED && geteuid() == 0; i++) {
        name_owned(i);
        make_file("abc");
        if (chown(file, owned[i].owner, 0) != 0 || chmod(file, owned[i].mode) != 0)
            return -1;
    }
    return 0;
}

static int remove_owned(void **state)
{
    (void)state;
    for (int i = 0; i < OWNED && geteuid() == 0; i++) {
        name_owned(i);
        if (unlink(file) != 0)
            return -1;
    }
    return rmdir(owned_directory);
}

/* A user's own file, and one that he may write to, are kept for him alone. */
TEST(what_a_user_can_change_is_kept_for_him_alone)
{
    if (geteuid() != 0)
        return;
    for (int i = 0; i < OWNED; i++) {
        int fd = -1;
        struct file_hash hash;
        name_owned(i);
        wait_settled();
        pid_t pid = start_hasher(made_tree, 4711, 4711, &fd);
        assert_true(pid > 0);
        hasher_ask(fd, file, &hash);
        assert_string_equal(hash.sha1, SHA1_ABC);
        hasher_ask(fd, "/nonexistent", &hash);
        assert_string_equal(hash.sha1, "0");
        close(fd);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        struct hash_table *table = map();
        assert_int_equal(is_kept(table, HASH_TABLE_ALL), owned[i].shared);
        assert_int_equal(is_kept(table, 4711), !owned[i].shared);
        hash_table_unmap(table);
    }
}

/* A child that ends with 0 if what lies in a tmpfs that is mounted so is kept for all, or not, by a
 * hasher of a user's. */
static pid_t try_mount(unsigned long flags, int shared)
{
    int fd = -1;
    pid_t child = fork();
    if (child == 0) {
        struct file_hash hash;
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("none", made_tree, "tmpfs", flags, "mode=755") != 0)
            _exit(2);
        make_file("abc");
        wait_settled();
        pid_t pid = start_hasher(made_tree, 4711, 4711, &fd);
        hasher_ask(fd, file, &hash);
        close(fd);
        waitpid(pid, NULL, 0);
        struct hash_table *table = map();
        _exit(strcmp(hash.sha1, SHA1_ABC) == 0 && is_kept(table, HASH_TABLE_ALL) == shared &&
                      is_kept(table, 4711) == !shared
                  ? 0
                  : 1);
    }
    return child;
}

/* mount(8) mounts with nosuid what it mounts for users, whatever files lie there. */
TEST(what_a_user_may_have_mounted_is_kept_for_him_alone)
{
    if (geteuid() != 0)
        return;
    const pid_t children[] = {try_mount(0, 1), try_mount(MS_NOSUID | MS_NODEV, 0)};
    for (int i = 0; i < 2; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

/* As a path through /proc/PID/root leads out of the mounts that root sees. */
TEST(what_lies_in_another_mount_namespace_is_kept_for_its_user_alone)
{
    int ready[2], done[2];
    char path[128], byte;
    if (geteuid() != 0)
        return;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(done), 0);
    pid_t child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("none", made_tree, "tmpfs", 0, "mode=755") != 0)
            _exit(2);
        make_file("abc");
        close(done[1]);
        _exit(write(ready[1], "x", 1) != 1 || read(done[0], &byte, 1) != 0);
    }
    close(ready[1]);
    close(done[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    snprintf(path, sizeof path, "/proc/%d/root%s", (int)child, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_false(mount_is_trusted(fd));
    close(fd);
    fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    assert_true(mount_is_trusted(fd));
    close(fd);
    close(ready[0]);
    close(done[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST(a_file_that_root_alone_can_read_is_not_hashed_for_a_user)
{
    int fd = -1;
    struct file_hash hash;
    if (geteuid() != 0)
        return;
    make_file("abc");
    assert_int_equal(chmod(file, 0600), 0);
    pid_t pid = start_hasher(made_tree, 4711, 4711, &fd);
    hasher_ask(fd, file, &hash);
    assert_string_equal(hash.sha1, "0");
    close(fd);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(a_state_directory_that_is_missing_costs_no_hash)
{
    int fd = -1;
    struct file_hash hash;
    make_file("abc");
    pid_t pid = start_hasher("/nonexistent", geteuid(), getegid(), &fd);
    hasher_ask(fd, file, &hash);
    assert_string_equal(hash.sha1, SHA1_ABC);
    close(fd);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    fd = -1;
    hasher_ask(fd, file, &hash);
    assert_string_equal(hash.sha1, "0");
}

/* The file is never read: of 7 EiB and of more than the bounds there is no hash, and it says so. */
TEST(what_is_beyond_the_bounds_has_no_hash)
{
    struct file_hash hash;
    make_file("abc");
    struct file_hash_bounds bounds = {.file_bytes = 2, .file_ms = 9000, .bytes = 100, .ms = 9000};
    file_hash(NULL, &bounds, file, &hash);
    assert_string_equal(hash.sha1, "0");
    assert_true(hash.beyond);
    assert_int_equal(hash.modified.tv_sec, 1700000000);
    assert_int_equal(bounds.bytes, 100);
    bounds.file_bytes = 3;
    for (int i = 0; i < 33; i++) {
        file_hash(NULL, &bounds, file, &hash);
        assert_string_equal(hash.sha1, SHA1_ABC);
        assert_false(hash.beyond);
    }
    assert_int_equal(bounds.bytes, 1);
    file_hash(NULL, &bounds, file, &hash);
    assert_true(hash.beyond);
    bounds = (struct file_hash_bounds){100, 9000, 100, 0, false}; /* no more time */
    file_hash(NULL, &bounds, file, &hash);
    assert_true(hash.beyond);
    /* a sparse file that takes longer than it may is left in the middle */
    bounds = (struct file_hash_bounds){UINT64_MAX, 1, UINT64_MAX, 9000, false};
    assert_int_equal(truncate(file, (off_t)1 << 40), 0);
    file_hash(NULL, &bounds, file, &hash);
    assert_string_equal(hash.sha1, "0");
    assert_true(hash.beyond);
    assert_true(bounds.ms >= 1 && bounds.ms <= 8999);
    file_hash(NULL, NULL, "/nonexistent", &hash);
    assert_false(hash.beyond);
}

/* What is no file, and what is one that says another size than it has. */
TEST(what_only_looks_like_a_file_has_no_hash)
{
    static const char *const paths[] = {"/dev/zero",      "/proc/self/maps",
                                        "/proc/kallsyms", "/sys/kernel/profiling",
                                        "/proc/self/mem", "/"};
    struct file_hash_bounds bounds = {1 << 30, 9000, 1 << 30, 9000, false};
    struct file_hash hash;
    assert_int_equal(mkfifo(file, 0600), 0);
    file_hash(NULL, &bounds, file, &hash);
    assert_string_equal(hash.sha1, "0");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        file_hash(NULL, &bounds, paths[i], &hash);
        assert_string_equal(hash.sha1, "0");
    }
    assert_true(bounds.bytes >= (1 << 30) - (4 << 16) && bounds.bytes <= 1 << 30);
}

EACH(set_up, made_tree_tear_down)

ALL(make_owned, remove_owned)
