/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Our directory in a user's PYTHONPATH, our option in PERL5OPT, and out of it again.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "spank/path_list.h"

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

static void our_directory_comes_first_and_goes_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char value[256];
        assert_int_equal(
            path_list_add(OURS, cases[i].separator, cases[i].user, value, sizeof value), 0);
        assert_string_equal(value, cases[i].value);
        path_list_remove(OURS, cases[i].separator, value);
        assert_string_equal(value, cases[i].user);
    }
}

static void a_list_that_has_it_stays_as_it_is(void **state)
{
    static const char *const lists[] = {OURS, OURS ":/a", "/a:" OURS, "/a:" OURS ":/b"};
    static const char *const without[] = {"", "/a", "/a", "/a:/b"};
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        char value[256];
        assert_int_equal(path_list_add(OURS, ':', lists[i], value, sizeof value), 0);
        assert_string_equal(value, lists[i]);
        path_list_remove(OURS, ':', value);
        assert_string_equal(value, without[i]);
    }
}

static void a_list_that_does_not_fit_is_refused(void **state)
{
    char value[64];
    size_t whole = strlen(OURS ":/a") + 1;
    (void)state;
    assert_int_equal(path_list_add(OURS, ':', "/a", value, whole), 0);
    assert_int_equal(path_list_add(OURS, ':', "/a", value, whole - 1), -ENAMETOOLONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_directory_comes_first_and_goes_again),
        cmocka_unit_test(a_list_that_has_it_stays_as_it_is),
        cmocka_unit_test(a_list_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests_name("spank_path_list", tests, NULL, NULL);
}
