/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_owners.h"

#include "test/unit/fixture/cases.h"

/* Debian's ids of daemon, and of nobody, whose group is nogroup. */
enum { DAEMON = 1, NOBODY = 65534, NAMELESS = 4000123 };

static void assert_believed(struct library_owners *owners, uid_t uid, const char *name)
{
    struct library_file file = {.owner = uid, .name = "libx"};
    assert_true(library_owners_believe(owners, &file) == !library_is_others(name));
    assert_string_equal(file.name, name);
    file.is_anyones = true;
    assert_false(library_owners_believe(owners, &file));
    assert_true(library_is_others(file.name));
}

TEST(root_the_trees_owner_and_whoever_is_named_are_believed)
{
    struct library_owners *owners;
    assert_int_equal(library_owners_new("", &owners), 0);
    assert_null(library_owners_unknown(owners));
    assert_believed(owners, 0, "libx");
    assert_believed(owners, DAEMON, "~daemon");
    assert_believed(owners, NAMELESS, "~4000123");
    assert_believed(owners, DAEMON, "~daemon");
    library_owners_tree(owners, DAEMON);
    assert_believed(owners, DAEMON, "libx");
    library_owners_tree(owners, 0);
    assert_believed(owners, DAEMON, "~daemon");
    library_owners_free(owners);
}

TEST(a_group_means_its_members)
{
    struct library_owners *owners;
    assert_int_equal(library_owners_new("no-such\t@nogroup  daemon @none", &owners), 0);
    assert_string_equal(library_owners_unknown(owners), "no-such");
    assert_believed(owners, NOBODY, "libx");
    assert_believed(owners, DAEMON, "libx");
    assert_believed(owners, NAMELESS, "~4000123");
    library_owners_free(owners);
}
