/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Characters that json-c misreads when they are written as a surrogate pair.
 */
#include "conf/base/json_end.h"

#include "test/unit/fixture/cases.h"

TEST(pairs_that_are_misread_become_utf8)
{
    static const char *const texts[][2] = {
        {"\"\\ud836\\udc00\"", "\"\xf0\x9d\xa0\x80\""}, /* U+1D800 */
        {"a\\ud836\\udc00b\\uD836\\uDFFFc", "a\xf0\x9d\xa0\x80"
                                            "b\xf0\x9d\xaf\xbf"
                                            "c"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        strcpy(text, texts[i][0]);
        assert_true(json_pairs_are_misread(text, strlen(text)));
        assert_int_equal(json_pairs_join(text, strlen(text)), strlen(texts[i][1]));
        assert_string_equal(text, texts[i][1]);
        assert_false(json_pairs_are_misread(text, strlen(text)));
    }
}

TEST(all_else_stays)
{
    static const char *const texts[] = {
        "",
        "\"\\ud83d\\ude00\"",   /* U+1F600 */
        "\"\\\\ud836\\udc00\"", /* a backslash, and half a pair */
        "\"\\ud836\"",
        "\"\\ud836\\u0041\"",
        "\"\\ud836\\udc0\"",
        "\\",
        "\"\\n\\ud836",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[64];
        strcpy(text, texts[i]);
        assert_false(json_pairs_are_misread(text, strlen(text)));
        assert_int_equal(json_pairs_join(text, strlen(text)), strlen(texts[i]));
        assert_string_equal(text, texts[i]);
    }
}

TEST(a_code_unit_has_four_digits)
{
    static const char text[] = "\\u0aF9";
    assert_int_equal(json_code_unit(text, text + 6), 0x0af9);
    assert_int_equal(json_code_unit(text, text + 5), -1);
    assert_int_equal(json_code_unit(text + 1, text + 6), -1);
}
