/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading and writing whole, and files read whole.
 */
#include "conf/base/io.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static char file_path[64], link_path[64], fifo_path[64];
static char bytes[100000];

static void write_file(size_t size)
{
    CLEANUP_CLOSE int fd = open(file_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(io_write_all(fd, bytes, size), 0);
}

static int make(void **state)
{
    if (made_tree_set_up(state) != 0)
        return -1;
    snprintf(file_path, sizeof file_path, "%s/file", made_tree);
    snprintf(link_path, sizeof link_path, "%s/link", made_tree);
    snprintf(fifo_path, sizeof fifo_path, "%s/fifo", made_tree);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)('a' + i % 23);
    return symlink("file", link_path) != 0 || mkfifo(fifo_path, 0600) != 0 ? -1 : 0;
}

static void *write_slowly(void *to)
{
    int fd = *(int *)to;
    const struct iovec parts[] = {{bytes, 10}, {NULL, 0}, {bytes + 10, sizeof bytes - 10}};
    int error = io_write_parts(fd, parts, 3);
    close(fd);
    return (void *)(intptr_t)error;
}

/* More than a pipe holds, so that both sides see short counts. */
TEST(what_goes_through_a_pipe_comes_whole)
{
    static char got[sizeof bytes + 1];
    pthread_t writer;
    int ends[2];
    void *error;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_slowly, &ends[1]), 0);
    assert_int_equal(io_read(ends[0], got, 5), 5);
    assert_int_equal(io_read(ends[0], got + 5, sizeof got - 5), sizeof bytes - 5);
    assert_int_equal(pthread_join(writer, &error), 0);
    assert_null(error);
    assert_memory_equal(got, bytes, sizeof bytes);
    close(ends[0]);
}

TEST(a_part_is_read_where_it_is)
{
    char got[20];
    write_file(30);
    CLEANUP_CLOSE int fd = open(file_path, O_RDONLY);
    assert_int_equal(io_read_at(fd, got, sizeof got, 25), 5);
    assert_memory_equal(got, bytes + 25, 5);
    assert_int_equal(io_read_at(fd, got, sizeof got, 31), 0);
    assert_int_equal(io_read_at(fd, got, sizeof got, -1), -EINVAL);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
    assert_int_equal(io_read(-1, got, sizeof got), -EBADF);
}

TEST(a_short_text_ends_with_a_nul)
{
    char text[11] = "before";
    write_file(30);
    assert_int_equal(io_read_text(AT_FDCWD, file_path, text, sizeof text), 10);
    assert_memory_equal(text, bytes, 10);
    assert_int_equal(text[10], '\0');
    assert_int_equal(io_read_text(AT_FDCWD, link_path, text, sizeof text), -ELOOP);
    assert_string_equal(text, "");
    assert_int_equal(io_read_text(AT_FDCWD, fifo_path, text, sizeof text), 0);
    assert_int_equal(io_read_text(AT_FDCWD, made_tree, text, sizeof text), -EISDIR);
}

/* Sizes about those at which memory grows. */
TEST(a_file_is_read_whole_up_to_the_limit)
{
    static const size_t sizes[] = {0, 1, 16383, 16384, 16385, sizeof bytes};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        CLEANUP_FREE char *text = NULL;
        char *none = NULL;
        size_t size = 1;
        write_file(sizes[i]);
        assert_int_equal(whole_file_open_read(link_path, sizes[i], &text, &size), 0);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(text, bytes, size);
        assert_int_equal(text[size], '\0');
        if (size > 0)
            assert_int_equal(whole_file_open_read(file_path, size - 1, &none, &size), -EFBIG);
        assert_null(none);
    }
}

TEST(a_file_that_tells_no_size_is_read_whole)
{
    CLEANUP_FREE char *text = NULL;
    size_t size;
    assert_int_equal(whole_file_open_read("/proc/self/status", 1 << 20, &text, &size), 0);
    assert_non_null(strstr(text, "\nPid:"));
    assert_int_equal(strlen(text), size);
}

TEST(what_is_no_file_is_refused)
{
    char *text = NULL;
    size_t size;
    assert_int_equal(whole_file_open_read(fifo_path, 10, &text, &size), -EINVAL);
    assert_int_equal(whole_file_open_read(made_tree, 10, &text, &size), -EINVAL);
    assert_int_equal(whole_file_open_read("/nowhere", 10, &text, &size), -ENOENT);
    assert_int_equal(whole_file_take(-EPERM, 10, &text, &size), -EPERM);
    int fd = open(fifo_path, O_RDONLY | O_NONBLOCK);
    assert_int_equal(whole_file_take(fd, 10, &text, &size), -EINVAL);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_null(text);
}

ALL(make, made_tree_tear_down)
