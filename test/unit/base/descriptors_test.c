/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a child that becomes the user inherits of root's descriptors.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "conf/base/descriptors.h"
#include "conf/base/privileges.h"
#include "test/unit/fixture/cases.h"

enum { MANY = 200, HIGH = 900 };

/* As on a kernel that does not have close_range(2). */
static void take_close_range_away(int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof code / sizeof code[0], code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        _exit(100);
}

/* Whether the descriptors are these, beside 0, 1 and 2. */
static int open_are(const int *expected, int count)
{
    const struct dirent *entry;
    int found = 0;
    DIR *listing = opendir("/proc/self/fd");
    while ((entry = readdir(listing)) != NULL) {
        int fd = atoi(entry->d_name), known = 0;
        if (fd <= 2 || fd == dirfd(listing))
            continue;
        for (int i = 0; i < count; i++)
            known += expected[i] == fd;
        if (known != 1)
            return 0;
        found++;
    }
    closedir(listing);
    return found == count;
}

static int leads_to_null(int fd)
{
    struct stat found, null;
    return fstat(fd, &found) == 0 && stat("/dev/null", &null) == 0 && found.st_rdev == null.st_rdev;
}

static void open_many(void)
{
    for (int i = 0; i < MANY; i++)
        if (open("/", O_RDONLY | O_DIRECTORY) < 0)
            _exit(101);
    if (dup2(3, HIGH) != HIGH || dup2(3, HIGH + 2) != HIGH + 2)
        _exit(102);
}

/* In a child: the exit status says which expectation failed. */
static void check_keep(void)
{
    static const int keep[] = {HIGH, -1, 57, 3, 58}, kept[] = {3, 57, 58, HIGH};
    open_many();
    if (descriptors_keep(keep, 5) != 0)
        _exit(1);
    if (!open_are(kept, 4))
        _exit(2);
    if (!leads_to_null(0) || !leads_to_null(1))
        _exit(3);
    if (dup2(3, 1) != 1 || descriptors_keep((const int[]){1, -1}, 2) != 0 || leads_to_null(1) ||
        !open_are(NULL, 0))
        _exit(4);
    close(0); /* as a daemon may start us */
    if (descriptors_keep(NULL, 0) != 0 || !leads_to_null(0) || !leads_to_null(1))
        _exit(5);
    _exit(0);
}

static void expect_child(int error)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        if (error != 0)
            take_close_range_away(error);
        check_keep();
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

TEST(those_to_be_kept_are_open_and_no_others)
{
    expect_child(0);
}

TEST(so_they_are_where_the_kernel_has_no_close_range)
{
    expect_child(ENOSYS);
    expect_child(EPERM);
}

TEST(more_than_can_be_kept_is_an_error)
{
    int keep[17];
    for (int i = 0; i < 17; i++)
        keep[i] = i;
    assert_int_equal(descriptors_keep(keep, 17), -ENOSPC);
    assert_true(fcntl(2, F_GETFD) >= 0);
}

static int sees_only(const void *context)
{
    return open_are(context, 1) && leads_to_null(0) && leads_to_null(1) ? 0 : -EINVAL;
}

TEST(who_becomes_a_user_has_what_it_needs_alone)
{
    int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int kept = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct as_user_order order = {
        .uid = geteuid() == 0 ? 65534 : getuid(),
        .gid = geteuid() == 0 ? 65534 : getgid(),
        .keep = {-1, kept},
        .act = sees_only,
        .context = &kept,
    };
    assert_true(root >= 0 && kept >= 0);
    assert_int_equal(as_user(&order), 0);
    close(root);
    close(kept);
}
