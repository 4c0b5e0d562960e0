/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A link becomes its file's owner's, in its name and in its text.
 */
#include "conf/base/crc.h"
#include "submit/hand_in/hand_in_read.h"
#include "test/unit/fixture/cases.h"

#define UUID "019a9f00-1122-4abc-8def-0102030405ff"

TEST(the_name_of_a_link_gets_its_owners_name)
{
    static const char *const cases[][3] = {
        {"link.lab.a.root." UUID ".json", "alice", "link.lab.a.alice." UUID ".json"},
        {"link.lab.a.Alice." UUID ".json", "alice", "link.lab.a.alice." UUID ".json"},
        {"link.lab.a.x." UUID ".json", "jo.ann", "link.lab.a.jo_ann." UUID ".json"},
        {"link.lab.a.x." UUID ".json", "DOM\\jo", "link.lab.a.DOM_jo." UUID ".json"},
    };
    char adopted[RECORD_NAME_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!hand_in_adopt_name(cases[i][0], cases[i][1], adopted))
            fail_msg("%s is left", cases[i][0]);
        assert_string_equal(adopted, cases[i][2]);
    }
}

TEST(other_names_are_left)
{
    static const char *const names[] = {
        "link.lab.a.alice." UUID ".json",    /* hers already */
        "run.lab.a.root.zzz." UUID ".json",  /* no link */
        "coverage.lab.a.root." UUID ".json", /* nor this */
        "link.lab.a.root.x." UUID ".json",
        "link.lab.root." UUID ".json",
        "link.lab.a.root.json",
        "",
    };
    char adopted[RECORD_NAME_MAX], name[RECORD_NAME_MAX + 8];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (hand_in_adopt_name(names[i], "alice", adopted))
            fail_msg("%s becomes %s", names[i], adopted);
    /* a name for which there would be no room */
    snprintf(name, sizeof name, "link.lab.%0*d.x." UUID ".json",
             RECORD_NAME_MAX - 1 - (int)strlen("link.lab..x." UUID ".json"), 0);
    assert_int_equal(strlen(name), RECORD_NAME_MAX - 1);
    assert_false(hand_in_adopt_name(name, "alice", adopted));
}

/* What becomes of the text in alice's file. */
static void expect_text(const char *text, const char *expected)
{
    struct built_record record = {.text = strdup(text), .length = strlen(text)};
    assert_non_null(record.text);
    assert_int_equal(hand_in_adopt_text("alice", 1000, &record), 0);
    assert_string_equal(record.text, expected);
    assert_int_equal(record.length, strlen(expected));
    record_free(&record);
}

TEST(the_builder_becomes_the_owner)
{
    char expected[128] = "{\"crc\":\"0xFFFF\",\"resultT\":{\"build_user\":\"alice\"}}", crc[8];
    expect_text("{\"resultT\":{\"build_user\":\"root\",\"uuid\":\"" UUID "\"},\"linkA\":[]}",
                "{\"resultT\":{\"build_user\":\"alice\",\"uuid\":\"" UUID "\"},\"linkA\":[]}");
    expect_text(
        "{\"resultT\":{\"build_user\":\"alice\"},\"jobtrailT\":{\"uid\":0,\"wrapper\":\"\"}}",
        "{\"resultT\":{\"build_user\":\"alice\"},\"jobtrailT\":{\"uid\":1000,\"wrapper\":\"\"}}");
    expect_text("{\"resultT\":{\"build_user\":\"alice\\u0000\"}}",
                "{\"resultT\":{\"build_user\":\"alice\"}}");
    /* a CRC is made again, and where there was none there is none */
    snprintf(crc, sizeof crc, "0x%04X", crc16(expected, strlen(expected)));
    memcpy(expected + 8, crc, 6);
    expect_text("{\"crc\":\"0x0000\",\"resultT\":{\"build_user\":\"root\"}}", expected);
}

/* The check after this refuses what is no link; it is not to be mended here. */
TEST(other_texts_are_left)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"resultT\":[]}",
        "{\"resultT\":{\"build_user\":7}}",
        "{\"resultT\":{\"build_user\":[\"root\"]}}",
        "{\"resultT\":{\"uuid\":\"root\"}}",
        "{\"build_user\":\"root\"}",
        "{\"resultT\":{\"build_user\":\"root\"}",
        "{\"resultT\":{\"build_user\":\"root\"}}{}",
        "{\"resultT\":{\"build_user\":\"alice\"},\"crc\":\"0x0000\"}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_text(texts[i], texts[i]);
}
