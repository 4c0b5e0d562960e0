/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is a record that a user may hand in.
 */
#include "submit/hand_in/hand_in_check.h"
#include "test/unit/fixture/cases.h"

#define UUID "019a9f00-1122-4abc-8def-0102030405ff"

static int is_taken(const char *text)
{
    struct json_object *record = hand_in_parse(text);
    json_object_put(record);
    return record != NULL;
}

/* The parser takes some of them for half of one: whoever has such a character in a path would have
 * all his records of it refused. */
TEST(every_surrogate_pair_is_taken_and_no_half)
{
    char text[64];
    for (unsigned high = 0xd800; high <= 0xdbff; high++)
        for (unsigned low = 0xdc00; low <= 0xdfff; low += 31) {
            snprintf(text, sizeof text, "[\"\\u%04x\\u%04x\\nx\\\\ud836\"]", high, low);
            if (!is_taken(text))
                fail_msg("refused: %s", text);
        }
    assert_false(is_taken("[\"\\ud836\"]"));
    assert_false(is_taken("[\"\\udc00\\ud836\"]"));
    assert_false(is_taken("[\"\\ud836\\ud836\\udc00\"]"));
    assert_false(is_taken("[\"\\ud836\\\\udc00\"]"));
}

/* The record of a link, as far as a flush looks at it. */
static const char *link_of(const char *user)
{
    static char text[512];
    snprintf(text, sizeof text, "{\"resultT\":{\"build_user\":\"%s\",\"uuid\":\"" UUID "\"}}",
             user);
    return text;
}

static bool is_named(const char *name, const char *user_name)
{
    const struct record_view record = record_view(name, "", 0);
    return hand_in_name_fits(&record, user_name);
}

static bool text_is_taken(const char *name, const char *user_name, const char *text)
{
    const struct record_view record = record_view(name, text, strlen(text));
    return hand_in_text_fits(&record, user_name, 1000);
}

TEST(a_user_with_a_dot_in_his_name_has_records)
{
    assert_true(is_named("link.lab.a.jo_ann." UUID ".json", "jo.ann"));
    assert_true(is_named("link.lab.a.DOM_jo." UUID ".json", "DOM\\jo"));
    assert_true(text_is_taken("link.lab.a.jo_ann." UUID ".json", "jo.ann", link_of("jo.ann")));
    assert_false(text_is_taken("link.lab.a.jo_ann." UUID ".json", "jo.ann", link_of("jo_ann")));
}
