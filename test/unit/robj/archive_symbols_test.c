/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/archive_symbols.h"

#include "test/unit/fixture/cases.h"

enum { MANY = 400000 };

/* Each member refers to memcpy, and a link asks for it once for each of its files: a walk over all
 * of them would not end in the time that a test has. */
TEST(a_name_that_all_members_have_is_found_as_often_as_asked)
{
    static const struct archive_symbol before = {.name = "free"}, one = {.name = "memcpy"},
                                       after = {.name = "puts"};
    const struct archive_symbol **by_name = calloc(MANY + 2, sizeof(struct archive_symbol *));
    assert_non_null(by_name);
    by_name[0] = &before;
    for (size_t i = 1; i <= MANY; i++)
        by_name[i] = &one;
    by_name[MANY + 1] = &after;
    const struct archive_symbols symbols = {.count = MANY + 2, .by_name = by_name};
    size_t count, wrong = 0;
    for (size_t i = 0; i < MANY; i++)
        wrong += archive_symbols_find(&symbols, "memcpy", &count) != 1 || count != MANY;
    assert_int_equal(wrong, 0);
    assert_int_equal(archive_symbols_find(&symbols, "puts", &count), MANY + 1);
    assert_int_equal(count, 1);
    assert_int_equal(archive_symbols_find(&symbols, "malloc", &count), 1);
    assert_int_equal(count, 0);
    free(by_name);
}
