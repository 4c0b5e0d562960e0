/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which rank records in a step with several programs.
 */
#include "spank/leader.h"
#include "test/unit/fixture/cases.h"

TEST(each_rank_has_the_first_of_its_program)
{
    static const struct {
        const char *text;
        uint32_t rank, leader;
    } cases[] = {
        {"0-3 ./a\n4-7 ./b\n", 3, 0},
        {"0-3 ./a\n4-7 ./b\n", 4, 4},
        {"0-3 ./a\n4-7 ./b\n", 7, 4},
        {"0,2 a\n1,3 b\n", 3, 1},
        {"0,2 a\n1,3 b", 2, 0},
        {"0 a x\n1 b\n2 a y\n", 2, 0},
        {"1,4-5 b\n* a\n", 0, 0},
        {"1,4-5 b\n* a\n", 3, 0},
        {"1,4-5 b\n* a\n", 5, 1},
        {"0-1,5 b\n* a\n", 4, 2},
        {"# made by hand\n\n  0\ta\n 1-2   b -x\n", 2, 1},
        {"0 ab\n1 a\n", 1, 1},
        /* no such configuration, or one that does not tell */
        {"", 1, 0},
        {"hello", 1, 0},
        {"1 2 3", 1, 0},
        {"0 a\nhello world\n", 1, 0},
        {"0-1\n", 1, 0},
        {"0 a\n", 5, 0},
        {"3-1 a\n", 2, 0},
        {"0 a\n*b", 1, 0},
        {"0 a\n99999999999999999999 b\n", 7, 0},
        {"* a\n", 4000000000u, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t found = leader_find(cases[i].text, cases[i].rank);
        if (found != cases[i].leader)
            fail_msg("case %zu: rank %u has %u, not %u", i, cases[i].rank, found, cases[i].leader);
    }
}

TEST(a_text_of_many_lines_is_bounded)
{
    static char text[1 << 16];
    size_t used = 0;
    for (unsigned i = 0; i < 1024; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%u program-%u\n", i, i);
    assert_int_equal(leader_find(text, 1023), 1023);
    snprintf(text + used, sizeof text - used, "1024 one-too-many\n");
    assert_int_equal(leader_find(text, 1023), 0);
}

TEST(each_rank_has_its_program)
{
    static const char text[] = "0-1 ./a 1 2\n2,4\tb\n* /c\n";
    static const char *const programs[] = {"./a", "./a", "b", "/c", "b", "/c"};
    char program[4] = "";
    for (uint32_t rank = 0; rank < 6; rank++) {
        assert_int_equal(leader_program(text, rank, program, sizeof program), 1);
        assert_string_equal(program, programs[rank]);
    }
    assert_int_equal(leader_program(text, 0, program, 3), 0); /* no room */
    assert_int_equal(leader_program("0 a\n", 1, program, sizeof program), 0);
    assert_int_equal(leader_program("hello\nworld\n", 0, program, sizeof program), 0);
}
