/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/replacement.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "conf/base/io.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static void assert_holds(const char *name, const char *expected)
{
    char text[64];
    assert_int_equal(io_read_text(made_tree_fd, name, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
}

TEST(a_file_has_its_reason_beside_it)
{
    struct stat status;
    const struct iovec parts[] = {{(void *)"{}", 2}, {(void *)"\n", 1}};
    assert_int_equal(set_aside_write(made_tree_fd, "record", SET_ASIDE_NEW, parts, 2), 0);
    assert_int_equal(set_aside_reason(made_tree_fd, "record", SET_ASIDE_NEW, "is no record"), 0);
    assert_holds("record", "{}\n");
    assert_holds("record.reason", "is no record\n");
    assert_int_equal(fstatat(made_tree_fd, "record", &status, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(status.st_mode & 07777, 0600);

    assert_int_equal(set_aside_write(made_tree_fd, "record", SET_ASIDE_NEW, parts, 1), -EEXIST);
    assert_int_equal(set_aside_reason(made_tree_fd, "record", SET_ASIDE_NEW, "other"), -EEXIST);
    assert_holds("record", "{}\n");
    assert_holds("record.reason", "is no record\n");
    assert_int_equal(set_aside_reason(made_tree_fd, "record", SET_ASIDE_REPLACE, "other"), 0);
    assert_holds("record.reason", "other\n");
    set_aside_forget(made_tree_fd, "record");
    assert_int_equal(faccessat(made_tree_fd, "record.reason", F_OK, 0), -1);
}

TEST(no_link_is_followed)
{
    const struct iovec part = {(void *)"x", 1};
    assert_int_equal(symlinkat("record", made_tree_fd, "to"), 0);
    assert_int_equal(set_aside_write(made_tree_fd, "to", SET_ASIDE_REPLACE, &part, 1), -ELOOP);
    assert_int_equal(unlinkat(made_tree_fd, "to", 0), 0);
}

/* 1 MiB with a byte at its end and one in its middle. */
TEST(a_hole_is_copied_as_one)
{
    struct stat status;
    char byte;
    int from = openat(made_tree_fd, "from", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(pwrite(from, "m", 1, 512 << 10), 1);
    assert_int_equal(pwrite(from, "e", 1, (1 << 20) - 1), 1);
    for (int half = 0; half < 2; half++) {
        int to = openat(made_tree_fd, "to", O_RDWR | O_CREAT | O_TRUNC, 0600);
        off_t limit = half ? (512 << 10) + 1 : 2 << 20;
        assert_int_equal(set_aside_copy(from, to, limit), 0);
        assert_int_equal(fstat(to, &status), 0);
        assert_int_equal(status.st_size, half ? limit : 1 << 20);
        assert_true(status.st_blocks * 512 <= 128 << 10);
        assert_int_equal(pread(to, &byte, 1, 512 << 10), 1);
        assert_int_equal(byte, 'm');
        assert_int_equal(pread(to, &byte, 1, 1), 1);
        assert_int_equal(byte, '\0');
        close(to);
    }
    close(from);
}

/* A descriptor of O_PATH has a size, and cannot be read. */
TEST(what_cannot_be_read_is_no_hole)
{
    int written = openat(made_tree_fd, "from", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(written, "bytes", 5), 5);
    int from = openat(made_tree_fd, "from", O_PATH);
    int to = openat(made_tree_fd, "to", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(set_aside_copy(from, to, 5), -EBADF);
    close(to);
    close(from);
    close(written);
}

ALL(made_tree_set_up, made_tree_tear_down)
