/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/uuid7.h"

#include "test/unit/fixture/cases.h"

/* The time of RFC 9562's example of version 7 (its appendix A.6), in ms. */
static const uint64_t example_ns = UINT64_C(0x017f22e279b0) * 1000000u + 999999u;

TEST(it_begins_with_the_time_and_says_its_version)
{
    uuid_t random, other, of_bytes;
    char text[UUID_STR_LEN];
    uuid7_random(example_ns, random);
    uuid7_random(example_ns, other);
    uuid7_of(example_ns, "run", 3, of_bytes);
    unsigned char *const all[] = {random, other, of_bytes};
    for (size_t i = 0; i < 3; i++) {
        uuid_unparse_lower(all[i], text);
        assert_memory_equal(text, "017f22e2-79b0-7", 15);
        assert_non_null(strchr("89ab", text[19]));
        assert_int_equal(uuid_variant(all[i]), UUID_VARIANT_DCE);
    }
    assert_int_not_equal(uuid_compare(random, other), 0);
}

/* The first bytes of SHA-256 of "run", but for time, version and variant: of sha256sum(1). */
TEST(the_same_time_and_bytes_give_the_same)
{
    uuid_t one, same, other;
    char text[UUID_STR_LEN];
    uuid7_of(example_ns, "run", 3, one);
    uuid7_of(example_ns, "run", 3, same);
    uuid7_of(example_ns, "ru", 2, other);
    assert_int_equal(uuid_compare(one, same), 0);
    assert_int_not_equal(uuid_compare(one, other), 0);
    uuid_unparse_lower(one, text);
    assert_string_equal(text, "017f22e2-79b0-780b-96fc-3ccd14c65be5");
}

TEST(what_is_no_uuid_is_told_from_one)
{
    static const char *const texts[] = {
        "",
        "019a9f00-1122-7abc-8def-0102030405f",
        "019a9f00-1122-7abc-8def-0102030405fff",
        "019a9f00-1122-7abc-8def-0102030405fg",
        "019a9f00-1122-7abc-8def_0102030405ff",
        "019a9f0-01122-7abc-8def-0102030405ff",
        "019a9f0011227abc8def0102030405ff",
        "{019a9f00-1122-7abc-8def-010203040500}",
        " 19a9f00-1122-7abc-8def-0102030405ff",
        "019a9f00-1122-7abc-8def-0102030405f\n",
        "0x9a9f00-1122-7abc-8def-0102030405ff",
    };
    assert_true(uuid_is_text("019a9f00-1122-7abc-8def-0102030405ff"));
    assert_true(uuid_is_text("019A9F00-1122-7ABC-8DEF-0102030405FF"));
    assert_false(uuid_is_text(NULL));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (uuid_is_text(texts[i]))
            fail_msg("%s is taken", texts[i]);
}
