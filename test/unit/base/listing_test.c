/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/directory.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static int make(void **state)
{
    if (made_tree_set_up(state) != 0)
        return -1;
    for (const char *name = "abc"; *name != '\0'; name++) {
        int fd = openat(made_tree_fd, (const char[]){*name, '\0'}, O_CREAT | O_WRONLY, 0600);
        if (fd < 0 || close(fd) != 0)
            return -1;
    }
    return symlinkat(".", made_tree_fd, ".link");
}

static unsigned count_names(DIR *listing, const char *name)
{
    unsigned count = 0;
    for (const char *next; (next = listing_next(listing)) != NULL;)
        count += name == NULL || strcmp(next, name) == 0;
    assert_int_equal(errno, 0);
    return count;
}

TEST(all_names_but_the_two_are_listed)
{
    for (const char *const *path = (const char *const[]){".", ".link", NULL}; *path != NULL;
         path++) {
        int at = open(made_tree, O_PATH | O_DIRECTORY);
        CLEANUP_LISTING DIR *listing = NULL;
        assert_int_equal(listing_open(at, *path, &listing), 0);
        close(at);
        assert_int_equal(count_names(listing, NULL), 4);
        rewinddir(listing);
        assert_int_equal(count_names(listing, ".link"), 1);
    }
}

TEST(what_is_no_directory_has_no_names)
{
    DIR *listing = (DIR *)made_tree;
    assert_int_equal(listing_open(AT_FDCWD, "/dev/null", &listing), -ENOTDIR);
    assert_null(listing);
    assert_int_equal(count_names(listing, NULL), 0);
    assert_int_equal(listing_take(-EXDEV, &listing), -EXDEV);
    assert_null(listing);
}

TEST(a_descriptor_is_taken_over)
{
    DIR *listing;
    int file = open("/dev/null", O_RDONLY);
    assert_int_equal(listing_take(file, &listing), -ENOTDIR);
    assert_int_equal(fcntl(file, F_GETFD), -1);
    int fd = open(made_tree, O_RDONLY | O_DIRECTORY);
    assert_int_equal(listing_take(fd, &listing), 0);
    assert_int_equal(dirfd(listing), fd);
    closedir(listing);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

ALL(make, made_tree_tear_down)
