/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/directory.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static int make(void **state)
{
    umask(077);
    return made_tree_set_up(state);
}

static mode_t mode_of(const char *name)
{
    struct stat status;
    assert_int_equal(fstatat(made_tree_fd, name, &status, AT_SYMLINK_NOFOLLOW), 0);
    return status.st_mode & 07777;
}

TEST(modes_are_as_told_under_any_umask)
{
    char path[sizeof made_tree + 16];
    snprintf(path, sizeof path, "%s/a/b/c", made_tree);
    int fd = directory_make(path, 0711);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(mode_of("a"), 0755);
    assert_int_equal(mode_of("a/b"), 0755);
    assert_int_equal(mode_of("a/b/c"), 0711);
    fd = directory_make_open(made_tree_fd, "one", 01733);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(mode_of("one"), 01733);
    assert_int_equal(directory_make_one(made_tree_fd, "one", 0700), 0); /* it is left as it is */
    assert_int_equal(mode_of("one"), 01733);
}

TEST(links_are_not_opened)
{
    assert_int_equal(symlinkat("a", made_tree_fd, "link"), 0);
    assert_int_equal(directory_open(made_tree_fd, "link"), -ENOTDIR);
    assert_int_equal(directory_make_open(made_tree_fd, "link", 0700), -ENOTDIR);
    assert_int_equal(directory_open_own(made_tree_fd, "link"), -ENOTDIR);
    assert_int_equal(directory_open(made_tree_fd, "nowhere"), -ENOENT);
    assert_int_equal(directory_open(AT_FDCWD, "/dev/null"), -ENOTDIR);
}

TEST(others_directories_are_told_from_own_ones)
{
    int fd = directory_open_own(made_tree_fd, "a");
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(directory_open_own(made_tree_fd, "one"), -EPERM); /* others can write to it */
    fd = directory_open(made_tree_fd, "one");
    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, 0720), 0);
    assert_int_equal(directory_open_own(made_tree_fd, "one"), -EPERM);
    assert_int_equal(fchmod(fd, 0755), 0);
    close(fd);
    fd = directory_open_own(made_tree_fd, "one");
    assert_true(fd >= 0);
    if (geteuid() == 0) {
        assert_int_equal(fchown(fd, 65534, 0), 0);
        assert_int_equal(directory_open_own(made_tree_fd, "one"), -EPERM);
    }
    close(fd);
}

TEST(a_directory_is_in_another_one_also_by_a_link)
{
    char link[sizeof made_tree + 16], below[sizeof made_tree + 16], none[sizeof made_tree + 16];
    snprintf(link, sizeof link, "%s/link", made_tree);
    snprintf(below, sizeof below, "%s/a/b", made_tree);
    snprintf(none, sizeof none, "%s/link/x/y", made_tree);
    assert_int_equal(directory_make_all(below, 0700), 0);
    unlinkat(made_tree_fd, "link", 0);
    assert_int_equal(symlinkat("a", made_tree_fd, "link"), 0);
    assert_true(directory_is_in(below, link));
    assert_false(directory_is_in(link, below));
    assert_true(directory_is_in(below, below));
    assert_true(directory_is_in(below, "/"));
    assert_true(directory_is_in(none, link));
    assert_false(directory_is_in(none, below));
    assert_false(directory_is_in(below, none));
}

ALL(make, made_tree_tear_down)
