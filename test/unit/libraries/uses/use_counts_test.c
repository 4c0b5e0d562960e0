/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/uses/use_counts.h"

#include "test/unit/fixture/cases.h"

TEST(equal_uses_are_one_with_a_count)
{
    struct use_counts counts = {NULL};
    struct library_who who = {.how = LIBRARY_WHO_BY_FILE, .uid = 7, .command = "ld"};
    use_counts_add(&counts, "/sw/a.so", USE_LINK, &who);
    use_counts_add(&counts, "/sw/a.so", USE_LINK, &who);
    use_counts_add(&counts, "/sw/b.so", USE_LINK, &who);
    use_counts_add(&counts, "/sw/a.so", USE_OPEN, &who);
    who.uid = 8;
    use_counts_add(&counts, "/sw/a.so", USE_LINK, &who);
    assert_int_equal(counts.count, 4);
    assert_true(counts.use[0].count[USE_LOG] == 2 && counts.use[3].who.uid == 8);
    use_counts_clear(&counts);
    assert_int_equal(counts.count, 0);
}

TEST(what_is_beyond_the_bound_is_counted_as_lost)
{
    struct use_counts counts = {NULL};
    const struct library_who who = {.how = LIBRARY_WHO_BY_FILE};
    char path[32];
    for (int i = 0; i <= USES_MAX; i++) {
        snprintf(path, sizeof path, "/sw/%d.so", i);
        use_counts_add(&counts, path, USE_OPEN, &who);
    }
    use_counts_add(&counts, "/sw/0.so", USE_OPEN, &who);
    assert_true(counts.count == USES_MAX && counts.lost == 1 && counts.use[0].count[USE_LOG] == 2);
    use_counts_clear(&counts);
}

TEST(a_user_takes_no_room_from_others)
{
    struct use_counts counts = {NULL};
    struct library_who who = {.how = LIBRARY_WHO_BY_FILE, .uid = 7};
    char path[32];
    for (int i = 0; i < USES_MAX; i++) {
        snprintf(who.command, sizeof who.command, "c%d", i);
        who.login_uid = (uint32_t)i;
        use_counts_add(&counts, "/sw/a.so", USE_OPEN, &who);
    }
    assert_true(counts.count == USE_COMMANDS_OF_USER + 1 && counts.lost == 0);
    const struct use *others = &counts.use[USE_COMMANDS_OF_USER];
    assert_true(others->count[USE_RECORD] == USES_MAX - USE_COMMANDS_OF_USER);
    assert_string_equal(others->who.command, "");
    assert_true(others->who.uid == 7 && others->who.login_uid == LIBRARY_NO_USER);
    for (int i = 0; i < USES_MAX; i++) {
        snprintf(path, sizeof path, "/sw/%d.so", i);
        use_counts_add(&counts, path, USE_OPEN, &who);
    }
    assert_true(counts.count == USES_OF_USER && counts.lost > 0);
    who.uid = 8;
    use_counts_add(&counts, "/sw/a.so", USE_OPEN, &who);
    assert_true(counts.count == USES_OF_USER + 1);
    assert_string_equal(counts.use[USES_OF_USER].who.command, who.command);
    use_counts_clear(&counts);
}

TEST(what_was_taken_back_is_not_counted)
{
    struct use_counts counts = {NULL};
    const struct library_who who = {.how = LIBRARY_WHO_BY_FILE};
    int64_t place = use_counts_add(&counts, "/sw/a.so", USE_OPEN, &who);
    assert_int_equal(place, 0);
    assert_int_equal(use_counts_add(&counts, "/sw/b.so", USE_OPEN, &who), 1);
    assert_int_equal(use_counts_add(&counts, "/sw/a.so", USE_OPEN, &who), 0);
    for (int left = 1; left >= -1; left--) {
        use_counts_take_back(&counts, (size_t)place);
        assert_int_equal(counts.use[0].count[USE_LOG], left < 0 ? 0 : left);
        assert_int_equal(counts.use[0].count[USE_RECORD], left < 0 ? 0 : left);
    }
    assert_int_equal(counts.use[1].count[USE_LOG], 1);
    use_counts_clear(&counts);
}

/* One output may be full while the other is not. */
TEST(what_could_not_be_told_is_counted_on)
{
    struct use_counts counts = {NULL};
    const struct library_who who = {.how = LIBRARY_WHO_BY_FILE};
    char path[] = "/sw/a.so", other[] = "/sw/b.so";
    const struct use late = {
        .path = path, .kind = USE_OPEN, .count = {5, 0}, .late_s = 9, .who = who};
    use_counts_add(&counts, path, USE_OPEN, &who);
    use_counts_merge(&counts, &late);
    assert_int_equal(counts.count, 1);
    assert_int_equal(counts.use[0].count[USE_LOG], 6);
    assert_int_equal(counts.use[0].count[USE_RECORD], 1);
    assert_int_equal(counts.use[0].late_s, 9);
    for (int i = 1; i < USES_MAX; i++) {
        char many[32];
        snprintf(many, sizeof many, "/sw/%d", i);
        use_counts_add(&counts, many, USE_OPEN, &who);
    }
    use_counts_merge(&counts, &(struct use){.path = other, .count = {2, 3}, .who = who});
    assert_true(counts.count == USES_MAX && counts.lost == 3);
    use_counts_clear(&counts);
}
