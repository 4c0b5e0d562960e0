/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/watch_marks.h"

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static int run_there(const char *words)
{
    char command[512];
    snprintf(command, sizeof command, "cd %s && %s", made_tree, words);
    return system(command);
}

/* Each has a mark while it is there, and its path until the trees are walked again. */
TEST(directories_that_are_gone_are_not_counted_for_ever)
{
    struct conf_line line = {.text = made_tree};
    const struct conf_lines trees = {.line = &line, .count = 1};
    struct watch_marks *marks = NULL;
    if (watch_marks_new(WATCH_CHANGES, &marks) != 0)
        skip(); /* needs CAP_SYS_ADMIN */
    watch_marks_again(marks, &trees);
    if (watch_marks_count(marks) == 0) {
        watch_marks_free(marks);
        skip(); /* on file systems without events */
    }
    assert_int_equal(watch_marks_count(marks), 1);
    assert_false(watch_marks_is_stale(marks));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run_there("seq 700 | xargs mkdir"), 0);
        assert_int_equal(watch_marks_add(marks, made_tree), 0);
        assert_int_equal(run_there("seq 700 | xargs rmdir"), 0);
    }
    assert_true(watch_marks_count(marks) > 1024);
    assert_true(watch_marks_is_stale(marks));
    watch_marks_again(marks, &trees);
    assert_int_equal(watch_marks_count(marks), 1);
    assert_false(watch_marks_is_stale(marks));
    watch_marks_free(marks);
}

/* A user can make a directory that has so many, with one rename. */
TEST(the_walk_of_a_new_directory_is_bounded)
{
    struct conf_line line = {.text = made_tree};
    const struct conf_lines trees = {.line = &line, .count = 1};
    struct watch_marks *marks = NULL;
    if (watch_marks_new(WATCH_CHANGES, &marks) != 0)
        skip();
    watch_marks_again(marks, &trees);
    if (watch_marks_count(marks) == 0) {
        watch_marks_free(marks);
        skip();
    }
    assert_int_equal(run_there("mkdir new && cd new && seq 4095 | xargs mkdir"), 0);
    assert_int_equal(watch_marks_add(marks, made_tree),
                     -E2BIG); /* with itself and `new` one more */
    assert_int_equal(watch_marks_count(marks), WATCH_WALK_MAX);
    assert_true(watch_marks_is_stale(marks));
    watch_marks_again(marks, &trees);
    assert_int_equal(watch_marks_count(marks), WATCH_WALK_MAX + 1);
    assert_false(watch_marks_is_stale(marks));
    assert_int_equal(run_there("rm -r new"), 0);
    watch_marks_free(marks);
}

TEST(marks_are_left_to_others)
{
    assert_int_equal(watch_marks_most(0), WATCH_DIRECTORIES_MAX);
    assert_int_equal(watch_marks_most(8192), 3072);
    assert_int_equal(watch_marks_most(1 << 20), WATCH_DIRECTORIES_MAX);
}

ALL(made_tree_set_up, made_tree_tear_down)
