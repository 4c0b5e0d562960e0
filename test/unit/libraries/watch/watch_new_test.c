/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/library_watch.h"

#include "test/unit/fixture/cases.h"

#define MS INT64_C(1000000)

TEST(a_directory_is_noted_once_and_their_number_is_bounded)
{
    struct watch_new fresh = {.count = 0};
    char path[32];
    for (int i = 0; i < 1000; i++)
        assert_int_equal(watch_new_note(&fresh, i % 2 == 0 ? "/sw/a" : "/sw/b"), 0);
    assert_int_equal(fresh.count, 2);
    for (int i = 2; i < WATCH_NEW_MAX; i++) {
        snprintf(path, sizeof path, "/sw/%d", i);
        assert_int_equal(watch_new_note(&fresh, path), 0);
    }
    assert_int_equal(watch_new_note(&fresh, "/sw/more"), -ENOSPC);
    assert_int_equal(watch_new_note(&fresh, "/sw/a"), 0);
    watch_new_clear(&fresh);
    assert_int_equal(fresh.count, 0);
}

/* Ten seconds, of which walks take all that they get. */
TEST(walks_have_a_part_of_the_time)
{
    struct watch_new fresh = {.count = 0};
    int64_t walked = 0;
    for (int64_t now = 5000 * MS; now < 15000 * MS; now += 10 * MS) {
        if (!watch_new_may_walk(&fresh, now))
            continue;
        watch_new_used(&fresh, 10 * MS);
        walked += 10 * MS;
    }
    assert_true(walked >= 500 * MS && walked <= 800 * MS);
    /* a long one is paid for by those that come next */
    watch_new_used(&fresh, 1000 * MS);
    assert_false(watch_new_may_walk(&fresh, 20000 * MS));
    assert_true(watch_new_may_walk(&fresh, 40000 * MS));
}
