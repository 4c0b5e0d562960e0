/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/journal_words.h"

#include "test/unit/fixture/cases.h"

TEST(a_node_has_its_place)
{
    static const struct {
        const char *list, *node;
        long place;
    } cases[] = {
        {"n1", "n1", 0},
        {"n1,n2", "n2", 1},
        {"n[1-3,7],gpu5", "n3", 2},
        {"n[1-3,7],gpu5", "n7", 3},
        {"n[1-3,7],gpu5", "gpu5", 4},
        {"n[1-3,7],gpu5", "n5", -1},
        {"n[08-10]", "n08", 0},
        {"n[08-10]", "n10", 2},
        {"n[08-10]", "n8", -1},
        {"n[8-10]", "n08", -1},
        {"n[001-200,0201]", "n0201", 200},
        {"r[0-1]n[0-3]", "r1n2", 6},
        {"r[0-1]n[0-3],x", "x", 8},
        {"r[0-1]n[0-3]", "r1n4", -1},
        {"r[0-1]n[0-3]", "r1n", -1},
        {"a[1-2]b,c", "a2b", 1},
        {"a[1-2]b,c", "c", 2},
        {"n1,n10", "n10", 1},
        {"n10,n1", "n1", 1},
        {"n[1-999999]", "n999999", 999998},
        {"node-a.x,node-b.x", "node-b.x", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        long place = node_list_find(cases[i].list, cases[i].node);
        if (place != cases[i].place)
            fail_msg("%s in %s: %ld", cases[i].node, cases[i].list, place);
    }
}

TEST(a_list_has_as_many_nodes_as_it_names)
{
    static const struct {
        const char *list;
        long count;
    } cases[] = {
        {"n1", 1},       {"n1,n2", 2},          {"n[1-3,7],gpu5", 5},
        {"n[08-10]", 3}, {"r[0-1]n[0-3],x", 9}, {"n[1-999999]", 999999},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (node_list_count(cases[i].list) != cases[i].count)
            fail_msg("%s: %ld", cases[i].list, node_list_count(cases[i].list));
}

TEST(what_is_no_list_has_no_nodes)
{
    static const char *const lists[] = {
        "",
        ",",
        ",n1",
        "n[",
        "n[1",
        "n[1-",
        "n[1-]",
        "n[]",
        "n[2-1]",
        "n]",
        "n[1]]",
        "n[a-b]",
        "n[1-2",
        "n[1,",
        "n[1,]",
        "n[1-2-3",
        "m,,n1",
        "m,[n1]",
        "n[-1]",
        "n[1;2]",
        "m[0-99999999],n1",
        "n[1[2",
        "n[1-2[",
        "m],n1",
        "x[y,n1",
        "n[12345678901]",
        "m[0-9999][0-9999],n1",
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (node_list_find(lists[i], "n1") != -1 || node_list_find(lists[i], "") != -1 ||
            node_list_count(lists[i]) != -1)
            fail_msg("found in %s", lists[i]);
}
