/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Our directory in a user's PYTHONPATH, our option in PERL5OPT, and out of it again.
 */
#include "spank/path_list.h"
#include "test/unit/fixture/cases.h"

#define OURS "/opt/hooks/python"

static const struct {
    char separator;
    const char *user, *value;
} cases[] = {
    {':', "", OURS},
    {':', "/a", OURS ":/a"},
    {':', "/a b:/c", OURS ":/a b:/c"},
    /* an empty entry is the working directory */
    {':', ":/a", OURS "::/a"},
    {':', "/a:", OURS ":/a:"},
    {':', "/a::/b", OURS ":/a::/b"},
    /* others whose names are alike */
    {':', OURS "/x", OURS ":" OURS "/x"},
    {':', "/x" OURS, OURS ":/x" OURS},
    {' ', "", OURS},
    {' ', "-w -Mstrict", OURS " -w -Mstrict"},
    {' ', " -w  -W ", OURS "  -w  -W "},
    {' ', "/a:/b", OURS " /a:/b"},
};

TEST(our_directory_comes_first_and_goes_again)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char value[256];
        assert_int_equal(
            path_list_add(OURS, cases[i].separator, cases[i].user, value, sizeof value), 0);
        assert_string_equal(value, cases[i].value);
        path_list_remove(OURS, cases[i].separator, value);
        assert_string_equal(value, cases[i].user);
    }
}

TEST(a_list_that_has_it_stays_as_it_is)
{
    static const char *const lists[] = {OURS, OURS ":/a", "/a:" OURS, "/a:" OURS ":/b"};
    static const char *const without[] = {"", "/a", "/a", "/a:/b"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        char value[256];
        assert_int_equal(path_list_add(OURS, ':', lists[i], value, sizeof value), 0);
        assert_string_equal(value, lists[i]);
        path_list_remove(OURS, ':', value);
        assert_string_equal(value, without[i]);
    }
}

TEST(a_list_that_does_not_fit_is_refused)
{
    char value[64];
    size_t whole = strlen(OURS ":/a") + 1;
    assert_int_equal(path_list_add(OURS, ':', "/a", value, whole), 0);
    assert_int_equal(path_list_add(OURS, ':', "/a", value, whole - 1), -ENAMETOOLONG);
}
