/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_change.h"

#include "test/unit/fixture/cases.h"

static const struct library_file one = {
    .inode = 1, .size = 10, .modified_ns = 100, .changed_ns = 200, .sha1 = "aa"};

static void assert_kind(struct library_file is, enum library_change_kind kind)
{
    assert_int_equal(library_change_judge(&one, &is, true), kind);
}

TEST(content_and_inode_say_what_has_become_of_a_file)
{
    struct library_file is = one;
    assert_kind(is, LIBRARY_NONE);
    strcpy(is.sha1, "bb");
    assert_kind(is, LIBRARY_MODIFIED); /* whatever size and times are */
    is.inode = 2;
    assert_kind(is, LIBRARY_REPLACED);
    strcpy(is.sha1, "aa");
    assert_kind(is, LIBRARY_REPLACED);
}

TEST(times_count_whatever_their_order)
{
    struct library_file is = one;
    is.modified_ns = 99;
    assert_kind(is, LIBRARY_TOUCHED);
    is.modified_ns = INT64_MAX;
    assert_kind(is, LIBRARY_TOUCHED);
    is = one;
    is.changed_ns = 199;
    assert_kind(is, LIBRARY_TOUCHED);
    is.changed_ns = 0; /* it was read too shortly after a write */
    assert_kind(is, LIBRARY_NONE);
}

TEST(without_a_hash_size_and_time_tell)
{
    struct library_file is = one;
    is.sha1[0] = '\0';
    assert_kind(is, LIBRARY_NONE);
    is.changed_ns = 201;
    assert_kind(is, LIBRARY_TOUCHED);
    is.size = 11;
    assert_kind(is, LIBRARY_MODIFIED);
}

TEST(a_copy_on_another_file_system_is_no_change)
{
    struct library_file is = one;
    is.inode = 7;
    is.changed_ns = 500;
    assert_int_equal(library_change_judge(&one, &is, false), LIBRARY_NONE);
    strcpy(is.sha1, "bb");
    assert_int_equal(library_change_judge(&one, &is, false), LIBRARY_REPLACED);
}
