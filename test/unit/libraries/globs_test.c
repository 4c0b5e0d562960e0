/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/globs.h"

#include <fnmatch.h>

#include "test/unit/fixture/cases.h"

static bool matches(const char *patterns, const char *name)
{
    struct globs *globs;
    assert_int_equal(globs_read(patterns, &globs), 0);
    bool result = globs_match(globs, name);
    globs_free(globs);
    return result;
}

TEST(each_form_matches_as_fnmatch_does)
{
    static const char *const patterns[] = {"*.so", "*.so.*", "lib*",  "libx.so", "*",        "**",
                                           "?",    "a*b",    "[ab]*", "\\*",     "*;[0-9]*", "*x*"};
    static const char *const names[] = {"libx.so", "libx.so.1", "x.so",  ".so", "so", "lib",
                                        "a",       "ab",        "a*b",   "*",   "\\", "x;5f",
                                        "x",       "b.so.",     ".so.x", ""};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (matches(patterns[i], names[k]) != (fnmatch(patterns[i], names[k], 0) == 0))
                fail_msg("%s and %s", patterns[i], names[k]);
}

TEST(one_of_several_is_enough)
{
    assert_true(matches("  *.a\t*.mod ", "x.mod"));
    assert_true(matches("*.a *.mod", "x.a"));
    assert_false(matches("*.a *.mod", "x.so"));
    assert_false(matches("", "x.so"));
    assert_false(matches("", ""));
}
