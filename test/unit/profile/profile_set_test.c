/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/profile_set.h"

#include <sys/mman.h>

#include "contrib/profile/set_file.h"
#include "contrib/profile/set_order.h"
#include "test/unit/fixture/cases.h"

static uint32_t add_stack(struct profile_set *set, uint32_t caller, const char *text)
{
    uint32_t name, stack;
    assert_int_equal(name_table_add(&set->names, text, &name), 0);
    assert_int_equal(profile_set_stack(set, caller, name, &stack), 0);
    return stack;
}

/* A rank that was `ns` in init, and so long in each of the stacks of one chain. */
static void add_rank(struct profile_set *set, uint32_t task, const uint32_t *stacks, size_t count,
                     uint64_t ns)
{
    const struct profile_rank rank = {.node = "n1", .task = task, .where = stacks[count - 1]};
    struct set_table table = {calloc(count, sizeof *table.entry), count};
    assert_non_null(table.entry);
    for (size_t i = 0; i < count; i++)
        table.entry[i] = (struct set_entry){
            .calls = (i + 1) & INT64_MAX, .inclusive_ns = (count - i) * ns, .stack = stacks[i]};
    assert_int_equal(profile_set_add(set, &rank, table), 0);
}

TEST(ranks_with_equal_profiles_share_a_table)
{
    struct profile_set set;
    assert_int_equal(profile_set_begin(&set), 0);
    const uint32_t stacks[] = {0, add_stack(&set, 0, "main")};
    add_rank(&set, 0, stacks, 2, 10);
    add_rank(&set, 1, stacks, 2, 10);
    add_rank(&set, 2, stacks, 2, 11);
    assert_int_equal(set.rank_count, 3);
    assert_int_equal(set.table_count, 2);
    assert_int_equal(set.ranks[1].table, 0);
    assert_int_equal(set.ranks[2].table, 1);
    profile_set_free(&set);
}

/* The set of a node whose ranks came upon the functions in another order. */
static struct profile_set make_node(const char *first, const char *second, uint32_t task)
{
    struct profile_set set;
    assert_int_equal(profile_set_begin(&set), 0);
    uint32_t main_stack = add_stack(&set, 0, "main");
    uint32_t bar = add_stack(&set, main_stack, first);
    add_stack(&set, main_stack, second);
    const uint32_t stacks[] = {0, main_stack, bar, add_stack(&set, bar, "foo")};
    add_rank(&set, task, stacks, 4, 5);
    return set;
}

TEST(merged_sets_have_each_stack_once)
{
    struct profile_set set = make_node("bar", "baz", 0), other = make_node("baz", "bar", 1);
    assert_int_equal(profile_set_merge(&set, &other), 0);
    assert_int_equal(set.stacks.count, 6);
    assert_int_equal(set.rank_count, 2);
    char text[64];
    set_stack_text(&set, set.ranks[0].where, text, sizeof text);
    assert_string_equal(text, "foo<bar<main<init");
    set_stack_text(&set, set.ranks[1].where, text, sizeof text);
    assert_string_equal(text, "foo<baz<main<init");
    const struct set_table *table = &set.tables[set.ranks[1].table];
    assert_int_equal(table->count, 4);
    for (size_t i = 1; i < table->count; i++)
        assert_true(table->entry[i - 1].stack < table->entry[i].stack);
    profile_set_free(&set);
    profile_set_free(&other);
}

TEST(equal_tables_are_found_across_nodes)
{
    struct profile_set set = make_node("bar", "baz", 0), other = make_node("bar", "baz", 1);
    assert_int_equal(profile_set_merge(&set, &other), 0);
    assert_int_equal(set.rank_count, 2);
    assert_int_equal(set.table_count, 1);
    profile_set_free(&set);
}

TEST(ids_do_not_depend_on_the_order_of_nodes)
{
    struct profile_set one = make_node("bar", "baz", 0), other = make_node("baz", "bar", 1);
    struct profile_set two = make_node("baz", "bar", 1), another = make_node("bar", "baz", 0);
    struct set_order first, second;
    char left[64], right[64];
    assert_int_equal(profile_set_merge(&one, &other), 0);
    assert_int_equal(profile_set_merge(&two, &another), 0);
    assert_int_equal(set_order_make(&one, &first), 0);
    assert_int_equal(set_order_make(&two, &second), 0);
    assert_int_equal(one.stacks.count, two.stacks.count);
    for (size_t i = 0; i < one.stacks.count; i++) {
        set_stack_text(&one, first.stack[i], left, sizeof left);
        set_stack_text(&two, second.stack[i], right, sizeof right);
        assert_string_equal(left, right);
        assert_true(i == 0 || one.hash[first.stack[i]] > one.hash[first.stack[i - 1]]);
        assert_int_equal(first.id[first.stack[i]], i);
    }
    set_order_free(&first);
    set_order_free(&second);
    profile_set_free(&one);
    profile_set_free(&two);
}

/* Their texts are longer than what is hashed, and begin alike. */
TEST(stacks_with_equal_hashes_are_told_apart)
{
    struct profile_set set;
    struct set_order order;
    char name[SET_HASH_BYTES + 1];
    memset(name, 'x', SET_HASH_BYTES);
    name[SET_HASH_BYTES] = '\0';
    assert_int_equal(profile_set_begin(&set), 0);
    uint32_t left = add_stack(&set, add_stack(&set, 0, "left"), name);
    uint32_t right = add_stack(&set, add_stack(&set, 0, "right"), name);
    uint32_t deep = add_stack(&set, right, name);
    assert_int_equal(set_order_make(&set, &order), 0);
    assert_true(set.hash[left] == set.hash[right] && set.hash[left] == set.hash[deep]);
    assert_int_equal(order.id[right], order.id[left] + 1);
    assert_int_equal(order.id[deep], order.id[right] + 1);
    set_order_free(&order);
    profile_set_free(&set);
}

enum { SECOND = 1000000000 };

/* One of eight ranks on two nodes, whose step ended at 100 s. */
static void add_one_of(struct profile_set *set, const char *node, uint32_t step, uint32_t number,
                       uint64_t program)
{
    struct profile_rank rank = {.step = step,
                                .rank = number,
                                .size = 8,
                                .program = program,
                                .step_nodes = 2,
                                .end_ns = 100 * (uint64_t)SECOND};
    strcpy(rank.node, node);
    assert_int_equal(profile_set_add(set, &rank, (struct set_table){NULL, 0}), 0);
}

static void note_nodes(void *context, const struct missing_nodes *missing)
{
    struct missing_nodes *last = context;
    *last = *missing;
}

TEST(ids_are_provisional_until_all_nodes_are_there_or_a_day_is_over)
{
    const uint64_t over = UINT64_C(100) * SECOND, wait = (uint64_t)MISSING_NODES_WAIT_S * SECOND;
    struct missing_nodes told = {.there = 0};
    struct profile_set set;
    assert_int_equal(profile_set_begin(&set), 0);
    add_one_of(&set, "n1", 0, 0, 0);
    add_one_of(&set, "n1", 0, 1, 0);
    assert_int_equal(missing_nodes(&set, over + wait - 1, note_nodes, &told), 0);
    assert_true(told.there == 1 && told.nodes == 2 && told.is_awaited);
    assert_int_equal(missing_nodes(&set, over + wait, note_nodes, &told), 0);
    assert_true(told.there == 1 && told.nodes == 2 && !told.is_awaited);
    add_one_of(&set, "n2", 1, 0, 0); /* of another step */
    told.there = 0;
    add_one_of(&set, "n2", 0, 4, 0);
    assert_int_equal(missing_nodes(&set, over, note_nodes, &told), 0);
    assert_true(told.step == 1 && told.there == 1);
    profile_set_free(&set);
}

static void note_ranks(void *context, uint32_t step, uint32_t first, uint32_t last, uint32_t size)
{
    uint32_t *told = context;
    assert_int_equal(size, 8);
    told[0]++;
    told[1] = step;
    told[2] = first;
    told[3] = last;
}

TEST(ranks_of_a_program_in_two_steps_are_not_missing)
{
    uint32_t told[4] = {0};
    struct profile_set set;
    assert_int_equal(profile_set_begin(&set), 0);
    for (uint32_t i = 0; i < 8; i++)
        if (i != 6)
            add_one_of(&set, i < 4 ? "n1" : "n2", i < 4 ? 7 : 0, i, 99);
    assert_int_equal(missing_ranks(&set, NULL, note_ranks, told), 0);
    assert_true(told[0] == 1 && told[2] == 6 && told[3] == 6);
    for (uint32_t i = 0; i < 8; i++)
        add_one_of(&set, "n1", 7, i, 98); /* another program of the step */
    told[0] = 0;
    assert_int_equal(missing_ranks(&set, NULL, note_ranks, told), 0);
    assert_true(told[0] == 1 && told[2] == 6);
    profile_set_free(&set);
}

TEST(exclusive_times_add_up)
{
    struct profile_set set = make_node("bar", "baz", 0);
    uint64_t room[8] = {0}, exclusive[4];
    profile_set_exclusive(&set, &set.tables[0], room, exclusive);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(exclusive[i], 5);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(room[i], 0);
    profile_set_free(&set);
}

TEST(a_file_of_another_format_or_with_a_wrong_way_is_refused)
{
    struct profile_set set = {.damaged = 0}, read;
    const struct profile_rank rank = {.node = "n1", .way = PROFILE_WAYS};
    int fd = memfd_create("set", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(profile_set_begin(&set), 0);
    assert_int_equal(set_file_write(fd, &set), 0);
    assert_int_equal(set_file_read(fd, &read), 0);
    profile_set_free(&read);
    assert_int_equal(pwrite(fd, "2", 1, 7), 1);
    assert_int_equal(set_file_read(fd, &read), -EINVAL);
    /* a way in which no process ends */
    assert_int_equal(profile_set_add(&set, &rank, (struct set_table){NULL, 0}), 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(set_file_write(fd, &set), 0);
    assert_int_equal(set_file_read(fd, &read), -EINVAL);
    profile_set_free(&set);
    close(fd);
}
