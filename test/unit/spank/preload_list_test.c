/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Our library in a user's LD_PRELOAD, and out of it again.
 */
#include "spank/path_list.h"
#include "test/unit/fixture/cases.h"

#define OURS "/usr/$PLATFORM/libjobtrail.so"

TEST(our_library_comes_first_and_once)
{
    static const char *const cases[][2] = {
        {"", OURS},
        {"/a.so", OURS ":/a.so"},
        {"/a.so:/b.so", OURS ":/a.so:/b.so"},
        {"/a.so /b.so", OURS ":/a.so /b.so"},
        {":", OURS "::"},
        /* it is there already: nothing changes, not even the order */
        {OURS, OURS},
        {OURS ":/a.so", OURS ":/a.so"},
        {"/a.so:" OURS, "/a.so:" OURS},
        {"/a.so " OURS " /b.so", "/a.so " OURS " /b.so"},
        {" :" OURS ": ", " :" OURS ": "},
        /* other libraries whose names are alike */
        {OURS ".1", OURS ":" OURS ".1"},
        {"/x" OURS, OURS ":/x" OURS},
        {"libjobtrail.so", OURS ":libjobtrail.so"},
        {"/usr/$PLATFORM/libjobtrail.s", OURS ":/usr/$PLATFORM/libjobtrail.s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char value[256];
        assert_int_equal(preload_list_add(OURS, cases[i][0], value, sizeof value), 0);
        assert_string_equal(value, cases[i][1]);
    }
}

TEST(a_list_that_does_not_fit_is_refused)
{
    char value[64];
    size_t whole = strlen(OURS ":/a.so") + 1;
    assert_int_equal(preload_list_add(OURS, "/a.so", value, whole), 0);
    assert_int_equal(preload_list_add(OURS, "/a.so", value, whole - 1), -ENAMETOOLONG);
    assert_int_equal(preload_list_add(OURS, "", value, strlen(OURS)), -ENAMETOOLONG);
    assert_int_equal(preload_list_add(OURS, OURS, value, strlen(OURS)), -ENAMETOOLONG);
}

TEST(our_library_is_taken_out_wherever_it_is)
{
    static const char *const cases[][2] = {
        {"", ""},
        {OURS, ""},
        {OURS ":", ""},
        {OURS ":/a.so", "/a.so"},
        {OURS " /a.so", "/a.so"},
        {"/a.so:" OURS, "/a.so"},
        {"/a.so:" OURS ":/b.so", "/a.so:/b.so"},
        {"/a.so " OURS " /b.so", "/a.so /b.so"},
        {OURS ":" OURS ":/a.so:" OURS, "/a.so"},
        {"/a.so", "/a.so"},
        {"/a.so:/b.so", "/a.so:/b.so"},
        {OURS ".1", OURS ".1"},
        {"/x" OURS ":" OURS, "/x" OURS},
        {":" OURS, ""},
        {"::/a.so", "::/a.so"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char list[256];
        strcpy(list, cases[i][0]);
        preload_list_remove(OURS, list);
        if (strcmp(list, cases[i][1]) != 0)
            fail_msg("%s becomes %s, not %s", cases[i][0], list, cases[i][1]);
    }
}

TEST(what_was_added_can_be_taken_out)
{
    static const char *const users[] = {"", "/a.so", "/a.so:/b.so", "/a.so /b.so", "/x" OURS};
    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++) {
        char value[256];
        assert_int_equal(preload_list_add(OURS, users[i], value, sizeof value), 0);
        preload_list_remove(OURS, value);
        assert_string_equal(value, users[i]);
    }
}
