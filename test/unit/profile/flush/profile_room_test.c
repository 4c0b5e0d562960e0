/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How much of a user's profiles is kept.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "contrib/profile/flush/kept_profiles.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

/* A file of so many blocks of 4 KiB, as they are counted, that was made at this second. */
static void make(const char *name, unsigned blocks, time_t made)
{
    const struct timespec times[2] = {{.tv_sec = made}, {.tv_sec = made}};
    int fd = openat(made_tree_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)blocks * 4096 - 1), 0);
    assert_int_equal(futimens(fd, times), 0);
    close(fd);
}

static bool is_there(const char *name)
{
    return faccessat(made_tree_fd, name, F_OK, 0) == 0;
}

static int make_place(void **state)
{
    if (made_tree_set_up(state) != 0)
        return -1;
    make("first", 3, 10);
    make("second", 3, 20);
    make("third", 3, 30);
    return 0;
}

enum { BLOCK = 4096 };

TEST(the_oldest_make_room)
{
    struct profile_room room;
    assert_int_equal(profile_room_count(made_tree_fd, 10 * BLOCK, &room), 0);
    assert_int_equal(profile_room_make(&room, "new", BLOCK - 1), 0);
    assert_true(is_there("first"));
    assert_int_equal(profile_room_make(&room, "new2", BLOCK), 0); /* two blocks */
    assert_false(is_there("first"));
    assert_true(is_there("second") && is_there("third"));
    profile_room_free(&room);
}

TEST(files_of_this_flush_stay)
{
    struct profile_room room;
    assert_int_equal(profile_room_count(made_tree_fd, 10 * BLOCK, &room), 0);
    assert_int_equal(profile_room_make(&room, "new", 8 * BLOCK), 0);
    assert_false(is_there("first") || is_there("second") || is_there("third"));
    assert_int_equal(profile_room_make(&room, "new2", BLOCK), -EFBIG);
    assert_int_equal(profile_room_make(&room, "new3", BLOCK - 1), 0);
    profile_room_free(&room);
}

TEST(what_is_too_large_removes_nothing)
{
    struct profile_room room;
    assert_int_equal(profile_room_count(made_tree_fd, 10 * BLOCK, &room), 0);
    assert_int_equal(profile_room_make(&room, "new", 10 * BLOCK), -EFBIG);
    assert_true(is_there("first") && is_there("second") && is_there("third"));
    profile_room_free(&room);
}

TEST(one_that_is_made_again_takes_its_own_place)
{
    struct profile_room room;
    assert_int_equal(profile_room_count(made_tree_fd, 9 * BLOCK, &room), 0);
    assert_int_equal(profile_room_make(&room, "first", 3 * BLOCK - 1), 0);
    assert_true(is_there("first") && is_there("second") && is_there("third"));
    assert_int_equal(profile_room_make(&room, "new", 1), 0);
    assert_true(is_there("first") && is_there("third"));
    assert_false(is_there("second"));
    profile_room_free(&room);
}

EACH(make_place, made_tree_tear_down)
