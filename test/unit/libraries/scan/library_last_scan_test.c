/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <limits.h>

#include "contrib/libraries/scan/library_lock.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static int lock;

static int make_state(void **state)
{
    if (made_tree_set_up(state) != 0)
        return -1;
    lock = openat(made_tree_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return lock < 0;
}

static int remove_state(void **state)
{
    close(lock);
    return made_tree_tear_down(state);
}

TEST(what_is_written_is_read)
{
    const struct library_last_scan large = {INT64_MAX,  true,      UINT64_MAX,
                                            UINT64_MAX, INT64_MAX, INT32_MAX};
    const struct library_last_scan small = {1, false, 0, 2, 3, 4};
    struct library_last_scan last;
    assert_int_equal(library_last_scan_write(lock, &large), 0);
    off_t size = lseek(lock, 0, SEEK_END);
    assert_int_equal(library_last_scan_read(made_tree, &last), 0);
    assert_true(last.ended_s == INT64_MAX && last.is_failed && last.trees_away == UINT64_MAX &&
                last.unreadable == UINT64_MAX && last.seen_s == INT64_MAX && last.pid == INT32_MAX);
    assert_int_equal(library_last_scan_write(lock, &small), 0);
    assert_int_equal(lseek(lock, 0, SEEK_END), size); /* nothing of the longer numbers is left */
    assert_int_equal(library_last_scan_read(made_tree, &last), 0);
    assert_true(last.ended_s == 1 && !last.is_failed && last.trees_away == 0 &&
                last.unreadable == 2 && last.seen_s == 3 && last.pid == 4);
}

TEST(a_scan_that_has_not_ended_is_none)
{
    struct library_last_scan last = {.ended_s = 7};
    assert_int_equal(library_last_scan_read(made_tree, &last), -ENOENT);
    assert_int_equal(library_last_scan_read("/nowhere", &last), -ENOENT);
    assert_int_equal(last.ended_s, 7);
}

TEST(another_content_is_refused)
{
    static const char *const texts[] = {
        "\n",
        "ended=1 failed=0 away=1",
        "ended=1 failed=0 away=1 unreadable=1\n",
        "ended=1 failed=0 away=1 unreadable=1 seen=1 pid=1",
        "ended=1 failed=2 away=1 unreadable=1 seen=1 pid=1\n",
        "ended=x failed=0 away=1 unreadable=1 seen=1 pid=1\n",
        "ended=1 failed=0 away=1 unreadable=1 seen=1\n",
        "ended=1 failed=0 away=1 unreadable=1 seen=1 pid=1x\n",
    };
    struct library_last_scan last;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(ftruncate(lock, 0), 0);
        assert_int_equal(pwrite(lock, texts[i], strlen(texts[i]), 0), strlen(texts[i]));
        assert_int_equal(library_last_scan_read(made_tree, &last), -EINVAL);
    }
}

EACH(make_state, remove_state)
