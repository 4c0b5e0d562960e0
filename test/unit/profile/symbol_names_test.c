/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/symbol_names.h"

#include <limits.h>

#include "test/unit/fixture/cases.h"

TEST(a_function_of_no_symbol_has_the_name_of_the_file)
{
    struct symbol_names names = {.debug = "/nowhere"};
    const struct profiled_object object = {.path = (char[]){"/nowhere/program"}};
    assert_string_equal(symbol_name(&names, &object, 0x1f0), "program+0x1f0");
    assert_string_equal(symbol_name(&names, NULL, 0x1f0), "?+0x1f0");
    symbol_names_free(&names);
}

/* Each function of a hostile program has such a name. */
TEST(no_name_is_longer_than_that_of_a_file)
{
    static char path[8000];
    struct symbol_names names = {.debug = "/nowhere"};
    const struct profiled_object object = {.path = path};
    path[0] = '/';
    memset(path + 1, 'x', sizeof path - 2);
    assert_int_equal(strlen(symbol_name(&names, &object, 0x1f0)), NAME_MAX + strlen("+0x1f0"));
    symbol_names_free(&names);
}
