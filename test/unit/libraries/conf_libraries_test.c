/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which line of [libraries] decides about a file and about a library.
 */
#include "contrib/libraries/conf_libraries.h"
#include "test/unit/fixture/cases.h"

#define LINES(array)                                                                               \
    {                                                                                              \
        array, sizeof(array) / sizeof *(array)                                                     \
    }

static struct conf_line trees[] = {{(char *)"", (char *)"/opt/my libs", 2},
                                   {(char *)"", (char *)"/sw", 3}},
                        names[] = {{(char *)"imsl", (char *)"/sw/imsl*", 4},
                                   {(char *)"other", (char *)"*", 5}},
                        groups[] = {{(char *)"math", (char *)"imsl", 6}};

static const struct conf conf = {
    .library_trees = LINES(trees), .library_names = LINES(names), .library_groups = LINES(groups)};

TEST(a_tree_holds_what_lies_below_it)
{
    assert_string_equal(conf_library_tree(&conf, "/opt/my libs/x.so")->text, "/opt/my libs");
    assert_string_equal(conf_library_tree(&conf, "/sw")->text, "/sw");
    assert_null(conf_library_tree(&conf, "/opt/my libsx/x.so"));
}

TEST(the_first_line_that_matches_names_a_library_and_its_group)
{
    assert_string_equal(conf_library_name(&conf, "/sw/imsl2/lib/a.so")->name, "imsl");
    assert_string_equal(conf_library_name(&conf, "/sw/x")->name, "other");
    assert_string_equal(conf_library_group(&conf, "imsl")->name, "math");
    assert_null(conf_library_group(&conf, "other"));
}
