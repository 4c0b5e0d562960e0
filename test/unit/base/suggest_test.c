/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const words[] = {"scalar", "spool", "pool", "mpi"};

static void the_nearest_word_is_suggested(void **state)
{
    static const char *const typed[][2] = {
        {"scaler", "scalar"}, {"scalars", "scalar"}, {"scaar", "scalar"}, {"spol", "spool"},
        {"pol", "pool"},      {"tool", "pool"},      {"mpii", "mpi"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++)
        assert_string_equal(suggest(typed[i][0], words, 4), typed[i][1]);
}

static void nothing_is_suggested_for_another_word(void **state)
{
    static const char *const typed[] = {
        "", "x", "ab", "sampling", "averyveryverylongwordthatisnokeyatall",
    };
    (void)state;
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++)
        assert_null(suggest(typed[i], words, 4));
    assert_null(suggest("scalar", words, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_word_is_suggested),
        cmocka_unit_test(nothing_is_suggested_for_another_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
