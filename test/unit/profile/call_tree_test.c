/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/call_tree.h"

#include "test/unit/fixture/cases.h"

static int begin(void **state)
{
    static struct call_tree tree;
    *state = &tree;
    return call_tree_begin(&tree);
}

static int end(void **state)
{
    call_tree_free(*state);
    return 0;
}

static uint32_t add(struct call_tree *tree, uint32_t parent, uint64_t function,
                    struct call_node counted)
{
    uint32_t index;
    const struct child_key key = {.what = function, .space = 1, .parent = parent};
    assert_int_equal(call_tree_child(tree, key, &index), 0);
    call_tree_count(tree, index, &counted);
    return index;
}

TEST(exclusive_time_is_inclusive_time_minus_that_of_the_callees)
{
    struct call_tree *tree = *state;
    uint32_t caller = add(tree, 0, 1, (struct call_node){.calls = 1, .inclusive = 100});
    uint32_t left = add(tree, caller, 2, (struct call_node){.calls = 2, .inclusive = 30});
    uint32_t right = add(tree, caller, 3, (struct call_node){.calls = 1, .inclusive = 50});
    call_tree_finish(tree, 0);
    assert_int_equal(tree->node[caller].exclusive, 20);
    assert_int_equal(tree->node[left].exclusive, 30);
    assert_int_equal(tree->node[right].exclusive, 50);
    assert_int_equal(tree->node[0].inclusive, 100);
    assert_int_equal(tree->clipped, 0);
}

TEST(time_is_never_negative_and_what_was_clipped_is_counted)
{
    struct call_tree *tree = *state;
    uint32_t caller = add(tree, 0, 1, (struct call_node){.calls = 1, .inclusive = 10});
    add(tree, caller, 2, (struct call_node){.calls = 1, .inclusive = 30});
    uint32_t light = add(tree, 0, 3, (struct call_node){.calls = 1, .is_light = true});
    add(tree, light, 2, (struct call_node){.calls = 1, .inclusive = 30});
    call_tree_finish(tree, 0);
    assert_int_equal(tree->node[caller].exclusive, 0);
    assert_int_equal(tree->node[caller].inclusive, 30);
    assert_int_equal(tree->node[light].inclusive, 30);
    assert_int_equal(tree->clipped, 1);
}

TEST(open_calls_end_at_the_end)
{
    struct call_tree *tree = *state;
    uint32_t caller = add(tree, 0, 1, (struct call_node){.calls = 1});
    uint32_t callee = add(
        tree, caller, 2, (struct call_node){.calls = 3, .timed = 2, .inclusive = 10, .largest = 6});
    const struct open_call open[] = {{.node = callee, .is_top = true, .start = 70},
                                     {.node = caller, .start = 20},
                                     {.node = caller, .start = 0},
                                     {.node = caller, .start = 101}};
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
        assert_int_equal(call_tree_add_open(tree, open[i]), 0);
    call_tree_finish(tree, 100);
    assert_int_equal(tree->node[callee].inclusive, 40);
    assert_int_equal(tree->node[callee].largest, 30);
    assert_int_equal(tree->node[callee].timed, 3);
    assert_int_equal(tree->node[caller].inclusive, 80);
    assert_int_equal(tree->node[caller].exclusive, 40);
    assert_int_equal(tree->late, 1);
}

TEST(sums_stay_at_the_largest_number)
{
    struct call_tree *tree = *state;
    const struct call_node huge = {.calls = UINT64_MAX, .inclusive = UINT64_MAX};
    uint32_t caller = add(tree, 0, 1, huge);
    add(tree, 0, 1, huge);
    add(tree, caller, 2, huge);
    add(tree, caller, 3, huge);
    call_tree_finish(tree, 0);
    assert_true(tree->node[caller].calls == UINT64_MAX);
    assert_true(tree->node[caller].exclusive == 0);
    assert_true(tree->node[0].inclusive == UINT64_MAX);
}

TEST(a_child_of_no_node_is_refused)
{
    struct call_tree *tree = *state;
    uint32_t index;
    const struct child_key key = {.what = 1, .space = 1, .parent = 1};
    assert_int_equal(call_tree_child(tree, key, &index), -EINVAL);
}

EACH(begin, end)
