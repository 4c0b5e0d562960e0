/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The spool as the flush sees it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>

#include "conf/base/process.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"
#include "submit/job/spool_read.h"
#include "submit/job/spool_remove.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_node.h"

TEST(the_list_has_directories_named_like_jobs_in_their_order)
{
    static const char *const names[] = {
        "10.0",
        "9.1",
        "9.0",
        "9.10",
        "4294967295.4294967295",
        "9.1.left8",
        "9.1.left1",
        /* none of these */
        "0.1",
        "10",
        "10.",
        ".0",
        "10.0.0",
        "10.x",
        "x.0",
        "10.-1",
        "10.+1",
        " 10.0",
        "+10.0",
        "4294967296.0",
        "10.4294967296",
        "journal",
        "99999999999999999999999999999999.0",
        "9.1.left0",
        "9.1.left9",
        "9.1.left11",
        "9.1.left",
        "9.1.old1",
        "9.1left1",
        ".new.9.1",
    };
    static const char *const expected[] = {
        "9.0", "9.1", "9.1.left1", "9.1.left8", "9.10", "10.0", "4294967295.4294967295"};
    struct spool_jobs jobs;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(mkdir(below(spool_dir, names[i]), 0700), 0);
    int spool = open_spool();
    assert_int_equal(spool_list(spool, 0, &jobs), 0);
    assert_int_equal(jobs.count, 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(jobs.job[i].name, expected[i]);
    assert_int_equal(jobs.job[3].left, 1);
    assert_int_equal(jobs.job[4].left, 0);
    assert_int_equal(jobs.job[4].job, 9);
    assert_int_equal(jobs.job[4].restart, 10);
    free(jobs.job);
    assert_int_equal(spool_list(spool, 9, &jobs), 0);
    assert_int_equal(jobs.count, 5);
    free(jobs.job);
    assert_int_equal(spool_list(spool, 11, &jobs), 0);
    assert_int_equal(jobs.count, 0);
    free(jobs.job);
    close(spool);
    assert_int_equal(spool_list(-1, 0, &jobs), -EBADF);
}

TEST(the_spool_directory_may_hold_the_nodes_name)
{
    char path[32];
    volatile size_t too_small = 5; /* not known to the compiler, which would warn */
    assert_int_equal(spool_expand("/a/b", "n1", path, sizeof path), 0);
    assert_string_equal(path, "/a/b");
    assert_int_equal(spool_expand("/a/%n/b", "n1", path, sizeof path), 0);
    assert_string_equal(path, "/a/n1/b");
    assert_int_equal(spool_expand("/a/%n", "n1", path, sizeof path), 0);
    assert_string_equal(path, "/a/n1");
    assert_int_equal(spool_expand("/a/%n", "n1", path, too_small), -ENAMETOOLONG);
    assert_int_equal(spool_expand("/a/%n", "n1", path, too_small + 1), 0);
}

TEST(only_a_regular_file_with_one_link_is_opened)
{
    static const char *const refused[] = {"link",      "dangling", "fifo",
                                          "directory", "hard",     "socket"};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int spool = open_spool();
    write_bytes(below(spool_dir, "plain"), "x", 1);
    int fd = spool_open_file(spool, "plain");
    assert_true(fd >= 0);
    close(fd);
    write_bytes(below(spool_dir, "target"), "x", 1);
    assert_int_equal(symlinkat("plain", spool, "link"), 0);
    assert_int_equal(symlinkat("nowhere", spool, "dangling"), 0);
    assert_int_equal(mkfifoat(spool, "fifo", 0600), 0);
    assert_int_equal(mkdirat(spool, "directory", 0700), 0);
    assert_int_equal(linkat(spool, "target", spool, "hard", 0), 0);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", spool_dir);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    close(listener);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (spool_open_file(spool, refused[i]) != -EINVAL)
            fail_msg("%s is opened", refused[i]);
    }
    assert_int_equal(spool_open_file(spool, "missing"), -ENOENT);
    close(spool);
}

TEST(a_file_is_read_whole_up_to_its_limit)
{
    static char bytes[100000];
    char *text;
    size_t size;
    int spool = open_spool();
    memset(bytes, 'x', sizeof bytes);
    static const size_t sizes[] = {0, 1, 16382, 16383, 16384, 32767, 32768, sizeof bytes};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        write_bytes(below(spool_dir, "file"), bytes, sizes[i]);
        assert_int_equal(spool_read_file(spool, "file", sizeof bytes, &text, &size), 0);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(text, bytes, size);
        assert_int_equal(text[size], '\0');
        free(text);
    }
    assert_int_equal(spool_read_file(spool, "file", sizeof bytes - 1, &text, &size), -EFBIG);
    assert_int_equal(spool_read_file(spool, "missing", 10, &text, &size), -ENOENT);
    close(spool);
}

TEST(the_second_holder_of_a_lock_waits_in_vain)
{
    int first = open_spool(), second = open_spool();
    assert_int_equal(spool_lock(first, 0), 0);
    assert_int_equal(spool_lock(second, 0), -EAGAIN);
    assert_int_equal(spool_lock(second, 1), -EAGAIN);
    close(first);
    assert_int_equal(spool_lock(second, 0), 0);
    close(second);
}

TEST(the_lock_of_a_removed_directory_is_worth_nothing)
{
    int fd = open_spool();
    assert_int_equal(rmdir(spool_dir), 0);
    assert_int_equal(spool_lock(fd, 0), -ENOENT);
    close(fd);
}

TEST(a_job_that_is_a_symbolic_link_is_not_opened)
{
    const struct spool_job job = {.job = 1, .name = "1.0"};
    int spool = open_spool();
    assert_int_equal(mkdir(below(root, "elsewhere"), 0700), 0);
    assert_int_equal(symlink("../elsewhere", below(spool_dir, "1.0")), 0);
    int result = spool_open_job(spool, &job);
    assert_true(result == -ENOTDIR || result == -ELOOP);
    close(spool);
}

static void note_mounted(const char *job, const char *where)
{
    char path[64];
    snprintf(path, sizeof path, "%s/" SPOOL_MOUNTED, job);
    unlink(below(spool_dir, path));
    assert_int_equal(symlink(where, below(spool_dir, path)), 0);
}

/* A job's directory with a journal and, in the part for it, a ledger. Returns it, open. */
static int make_directory(const char *name, int mounted)
{
    struct spool_job named = {.job = 1};
    char path[64];
    int spool = open_spool();
    snprintf(named.name, sizeof named.name, "%s", name);
    snprintf(path, sizeof path, "%s/user", name);
    make_job(name, "");
    assert_int_equal(mkdir(below(spool_dir, path), 0711), 0);
    if (mounted) {
        assert_int_equal(mount("jobtrail", below(spool_dir, path), "tmpfs", 0, "size=1m,mode=711"),
                         0);
        note_mounted(name, "mnt:[1]");
    }
    put(name, "user/ledger", "x", 1);
    int directory = spool_open_job(spool, &named);
    assert_true(directory >= 0);
    close(spool);
    return directory;
}

TEST(a_directory_is_removed_with_what_is_mounted_in_it)
{
    const struct spool_job job = {.job = 1, .name = "1.0"};
    for (int mounted = 0; mounted <= (geteuid() == 0); mounted++) {
        int spool = open_spool(), directory = make_directory("1.0", mounted);
        assert_int_equal(spool_part_is_mounted(directory), mounted);
        int held = mounted ? spool_part_open(directory) : -1; /* busy all the same */
        assert_int_equal(spool_remove(spool, directory, &job), 0);
        assert_false(exists(below(spool_dir, "1.0")));
        if (held >= 0)
            close(held);
        close(directory);
        close(spool);
    }
}

TEST(a_directory_that_got_another_name_is_removed_and_its_successor_stays)
{
    const struct spool_job job = {.job = 1, .name = "1.0"};
    int spool = open_spool(), directory = make_directory("1.0", geteuid() == 0);
    assert_int_equal(rename(below(spool_dir, "1.0"), below(spool_dir, "1.0.left1")), 0);
    assert_int_equal(mkdir(below(spool_dir, "1.0"), 0700), 0);
    assert_int_equal(spool_remove(spool, directory, &job), 0);
    assert_true(exists(below(spool_dir, "1.0")));
    assert_false(exists(below(spool_dir, "1.0.left1")));
    close(directory);
    close(spool);
}

/* As systemd has it for a unit whose ReadWritePaths name the spool. */
static void mount_on_itself(void)
{
    assert_int_equal(unshare(CLONE_NEWNS), 0);
    assert_int_equal(mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL), 0);
    assert_int_equal(mount(spool_dir, spool_dir, NULL, MS_BIND | MS_REC, NULL), 0);
}

static void remove_in_a_unit(void)
{
    const struct spool_job job = {.job = 1, .name = "1.0"};
    mount_on_itself();
    int spool = open_spool(), directory = spool_open_job(spool, &job);
    assert_int_equal(spool_remove(spool, directory, &job), 0);
    _exit(exists(below(spool_dir, "1.0")));
}

TEST(a_directory_that_a_mount_holds_gives_up_its_name)
{
    const uint64_t minute_ns = UINT64_C(60000000000);
    struct spool_jobs jobs;
    int status;
    if (geteuid() != 0)
        return; /* may not mount */
    close(make_directory("1.0", 1));
    pid_t child = fork();
    if (child == 0)
        remove_in_a_unit();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    int spool = open_spool();
    assert_int_equal(spool_list(spool, 0, &jobs), 0);
    assert_int_equal(jobs.count, 0);
    free(jobs.job);
    assert_int_equal(rmdir(spool_dir), -1); /* it is still there */
    spool_sweep(spool, (uint64_t)time(NULL) * 1000000000 + 4 * minute_ns);
    close(spool);
    assert_int_equal(rmdir(spool_dir), 0);
    assert_int_equal(mkdir(spool_dir, 0700), 0);
}

TEST(what_a_dead_maker_has_left_is_removed_after_a_while)
{
    const uint64_t minute_ns = UINT64_C(60000000000);
    uint64_t now_ns = (uint64_t)time(NULL) * 1000000000;
    int spool = open_spool();
    close(make_directory(".new.1.0", geteuid() == 0));
    assert_int_equal(symlink(".", below(spool_dir, ".new.again.7")), 0);
    spool_sweep(spool, now_ns);
    assert_true(exists(below(spool_dir, ".new.1.0")));
    assert_true(exists(below(spool_dir, ".new.again.7")));
    spool_sweep(spool, now_ns + 4 * minute_ns);
    assert_false(exists(below(spool_dir, ".new.1.0")));
    assert_false(exists(below(spool_dir, ".new.again.7")));
    close(spool);
}

TEST(a_file_of_the_users_is_opened_when_it_is_his)
{
    int directory = make_directory("1.0", 0);
    int fd = spool_open_users(directory, "ledger", geteuid());
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(spool_open_users(directory, "ledger", geteuid() + 1), -SPOOL_FOREIGN);
    assert_int_equal(spool_open_users(directory, "packages", geteuid()), -ENOENT);
    assert_int_equal(chmod(below(spool_dir, "1.0/user"), 0733), 0);
    assert_int_equal(spool_open_users(directory, "ledger", geteuid()), -EPERM);
    close(directory);
}

TEST(a_part_is_lost_when_what_was_mounted_is_not)
{
    char own[64];
    int directory = make_directory("1.0", 0);
    assert_int_equal(spool_part_lost(directory), 0);
    note_mounted("1.0", "mnt:[1]");
    assert_int_equal(spool_part_lost(directory), -ESTALE);
    spool_part_namespace(own, sizeof own);
    note_mounted("1.0", own);
    assert_int_equal(spool_part_lost(directory), 1);
    close(directory);
    if (geteuid() != 0)
        return; /* may not mount */
    directory = make_directory("2.0", 1);
    assert_int_equal(spool_part_lost(directory), 0);
    assert_int_equal(spool_part_unmount(directory), 0);
    close(directory);
}

static dev_t device_of(int directory)
{
    struct stat status;
    assert_int_equal(fstat(directory, &status), 0);
    close(directory);
    return status.st_dev;
}

/* A child that holds the lock until it is killed. */
static pid_t lock_in_child(int lock)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    pid_t child = fork();
    if (child == 0 && fcntl(lock, F_SETLK, &whole) == 0)
        pause();
    if (child == 0)
        _exit(1);
    while (fcntl(lock, F_GETLK, &whole) == 0 && whole.l_type == F_UNLCK) {
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
        whole.l_type = F_WRLCK;
    }
    close(lock);
    return child;
}

static int noted(const char *path)
{
    int spool = open(path, O_RDONLY | O_CLOEXEC);
    int result = spool_part_noted(spool);
    close(spool);
    return result;
}

TEST(a_nodes_spool_in_memory_gets_its_own)
{
    char path[96];
    pid_t child;
    if (geteuid() != 0)
        return; /* may not mount */
    assert_int_equal(mkdir(below(root, "memory"), 0755), 0);
    assert_int_equal(mount("none", below(root, "memory"), "tmpfs", 0, "size=1m,mode=755"), 0);
    dev_t memory = device_of(open(below(root, "memory"), O_RDONLY | O_CLOEXEC));
    snprintf(path, sizeof path, "%s/memory/a/spool", root);
    assert_int_equal(device_of(spool_node_make(path, 0)), memory);
    dev_t own = device_of(spool_node_make(path, 1)); /* which was empty */
    assert_int_not_equal(own, memory);
    assert_int_equal(device_of(spool_node_make(path, 1)), own);
    assert_int_equal(umount(path), 0);
    assert_int_equal(device_of(open(path, O_RDONLY | O_CLOEXEC)), memory); /* one, and not two */
    write_bytes(below(path, "wake"), "", 0);
    write_bytes(below(path, ".reserve"), "x", 1);
    int lock = open(below(path, "watch.pid"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    child = lock_in_child(lock);
    assert_int_equal(device_of(spool_node_make(path, 1)), memory); /* somebody watches */
    assert_true(exists(below(path, "wake")));
    assert_int_equal(noted(path), 0);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_not_equal(device_of(spool_node_make(path, 1)), memory); /* what a watch leaves */
    assert_int_equal(umount(path), 0);
    assert_false(exists(below(path, "wake")));
    assert_int_equal(noted(path), 1);
    write_bytes(below(path, "journal"), "x", 1);
    assert_int_equal(device_of(spool_node_make(path, 1)), memory);
    assert_int_equal(noted(path), 0);
    assert_int_equal(umount(below(root, "memory")), 0);
    snprintf(path, sizeof path, "%s/disk", root);
    dev_t disk = device_of(open(root, O_RDONLY | O_CLOEXEC));
    struct statfs kind;
    assert_int_equal(statfs(root, &kind), 0);
    if (kind.f_type != TMPFS_MAGIC)
        assert_int_equal(device_of(spool_node_make(path, 1)), disk);
}

TEST(a_process_is_alive_by_its_pid_and_start)
{
    uint64_t ticks = own_ticks();
    assert_true(process_alive(getpid(), ticks));
    assert_false(process_alive(getpid(), ticks + 1));
    assert_false(process_alive(0, 0));
    assert_false(process_alive(-1, ticks));
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    for (uint64_t later = 0; later < 1000; later++) /* a zombie, whenever it started */
        assert_false(process_alive(child, ticks + later));
    assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST(a_process_is_alive_whatever_it_calls_itself)
{
    static const char *const names[] = {"a\nb", ") Z 1 1", "a) b (c", "\n\n\n\n\n\n\n\n\n\n\n\n"};
    char before[16];
    uint64_t ticks = own_ticks();
    assert_int_equal(prctl(PR_GET_NAME, before), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(prctl(PR_SET_NAME, names[i]), 0);
        int alive = process_alive(getpid(), ticks);
        prctl(PR_SET_NAME, before);
        if (!alive)
            fail_msg("not as %s", names[i]);
    }
}

EACH(node_set_up, node_tear_down)
