/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parts of records that are kept with their text, and let go without it: json-c 0.19 frees the user
 * data of a container twice, so that none that has any may ever be freed.
 */
#include "submit/record/run_source.h"
#include "test/unit/fixture/cases.h"

enum { PARTS = 500 }; /* more than there are places */

static struct json_memo_key key_of(int number)
{
    struct json_memo_key key;
    json_memo_start(&key, "part");
    json_memo_add(&key, &number, sizeof number);
    return key;
}

/* [NUMBER] */
static struct json_object *make(int number)
{
    struct json_object *part = json_object_new_array();
    json_object_array_add(part, json_object_new_int(number));
    return part;
}

static struct json_object *keep(struct json_memo *memo, int number)
{
    struct json_memo_key key = key_of(number);
    return json_memo_keep(memo, &key, make(number));
}

TEST(a_part_is_found_with_its_text)
{
    struct json_memo *memo = json_memo_new();
    struct json_object *part = keep(memo, 7);
    struct json_memo_key same = key_of(7), other = key_of(8);
    struct json_object *found = json_memo_find(memo, &same);
    assert_ptr_equal(found, part);
    assert_non_null(json_object_get_userdata(part));
    assert_null(json_memo_find(memo, &other));
    json_object_put(found);
    json_object_put(part);
    json_memo_free(memo);
}

TEST(a_part_that_is_forgotten_has_no_user_data)
{
    struct json_memo *memo = json_memo_new();
    struct json_object *part[PARTS];
    int kept = 0;
    for (int i = 0; i < PARTS; i++)
        part[i] = keep(memo, i);
    for (int i = 0; i < PARTS; i++)
        kept += json_object_get_userdata(part[i]) != NULL;
    assert_true(kept >= 1 && kept < PARTS); /* the others had to make room */
    json_memo_free(memo);
    for (int i = 0; i < PARTS; i++) {
        assert_null(json_object_get_userdata(part[i]));
        assert_int_equal(json_object_get_int(json_object_array_get_idx(part[i], 0)), i);
        assert_string_not_equal(json_object_to_json_string(part[i]), "");
        assert_int_equal(json_object_put(part[i]), 1); /* ours was the last reference */
    }
}
