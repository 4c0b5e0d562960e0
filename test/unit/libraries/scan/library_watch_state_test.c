/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <sys/wait.h>

#include "contrib/libraries/scan/library_lock.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static int lock;

static int make_state(void **state)
{
    if (made_tree_set_up(state) != 0)
        return -1;
    lock = openat(made_tree_fd, "watch", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return lock < 0;
}

static int remove_state(void **state)
{
    close(lock);
    return made_tree_tear_down(state);
}

TEST(what_is_written_is_read)
{
    const struct library_watch_state large = {UINT64_MAX, 1, INT32_MAX, 2,         3,
                                              4,          5, INT64_MAX, UINT64_MAX};
    const struct library_watch_state small = {9, 8, 7, 6, 5, 4, 3, 2, 1};
    struct library_watch_state read;
    bool is_running = true;
    assert_int_equal(library_watch_state_write(lock, &large), 0);
    assert_int_equal(library_watch_state_read(made_tree, &read, &is_running), 0);
    assert_true(read.directories == UINT64_MAX && read.error == INT32_MAX &&
                read.uses_s == INT64_MAX && read.scans == UINT64_MAX && !is_running);
    assert_int_equal(library_watch_state_write(lock, &small), 0);
    assert_int_equal(library_watch_state_read(made_tree, &read, &is_running), 0);
    assert_true(read.directories == 9 && read.unwatched == 8 && read.error == 7 &&
                read.events == 6 && read.unknown == 5 && read.lost == 4 && read.overruns == 3 &&
                read.uses_s == 2 && read.scans == 1);
}

/* The lock is another process's. */
TEST(a_watch_runs_while_it_has_its_lock)
{
    const struct library_watch_state some = {.scans = 1};
    struct library_watch_state read;
    bool is_running = false;
    int status;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_int_equal(library_watch_state_write(lock, &some), 0);
    assert_int_equal(fcntl(lock, F_SETLK, &whole), 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(library_watch_state_read(made_tree, &read, &is_running) == 0 && is_running ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

TEST(another_content_is_refused)
{
    struct library_watch_state read;
    bool is_running;
    assert_int_equal(library_watch_state_read(made_tree, &read, &is_running), -ENOENT);
    assert_int_equal(pwrite(lock, "directories=1 x\n", 16, 0), 16);
    assert_int_equal(library_watch_state_read(made_tree, &read, &is_running), -EINVAL);
    assert_int_equal(library_watch_state_read("/nowhere", &read, &is_running), -ENOENT);
}

EACH(make_state, remove_state)
