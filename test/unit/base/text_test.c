/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bytes as text, and text as ASCII.
 */
#include "conf/base/text.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_random.h"

/* The escape of one byte: U+EF80..U+EFFF, in UTF-8. */
#define X80 "\xee\xbe\x80"
#define XBF "\xee\xbe\xbf"
#define XC0 "\xee\xbf\x80"
#define XFF "\xee\xbf\xbf"

struct text_case {
    const char *bytes, *text;
};

static const struct text_case texts[] = {
    {"", ""},
    {"plain /path", "plain /path"},
    {"\x01\x1f\x7f", "\x01\x1f\x7f"},
    /* valid UTF-8 of two to four bytes, first and last of each (RFC 3629, section 4) */
    {"\xc2\x80\xdf\xbf", "\xc2\x80\xdf\xbf"},
    {"\xe0\xa0\x80\xef\xbf\xbf", "\xe0\xa0\x80\xef\xbf\xbf"},
    {"\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80"},
    {"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
    /* stray bytes */
    {"\x80", X80},
    {"\xff", XFF},
    {"a\xbfz", "a" XBF "z"},
    {"\xfe\xff", "\xee\xbf\xbe" XFF},
    /* sequences that end early, at the end and before something else */
    {"\xc3", "\xee\xbf\x83"},
    {"\xc3(", "\xee\xbf\x83("},
    {"\xe2\x82", "\xee\xbf\xa2\xee\xbe\x82"},
    {"\xe2\x82x", "\xee\xbf\xa2\xee\xbe\x82x"},
    {"\xf0\x9f\x98", "\xee\xbf\xb0\xee\xbe\x9f\xee\xbe\x98"},
    {"\xc3\xc3\xa9", "\xee\xbf\x83\xc3\xa9"},
    /* overlong forms */
    {"\xc0\x80", XC0 X80},
    {"\xc1\xbf", "\xee\xbf\x81" XBF},
    {"\xe0\x9f\xbf", "\xee\xbf\xa0\xee\xbe\x9f" XBF},
    {"\xf0\x8f\xbf\xbf", "\xee\xbf\xb0\xee\xbe\x8f" XBF XBF},
    /* surrogates, and beyond Unicode */
    {"\xed\xa0\x80", "\xee\xbf\xad\xee\xbe\xa0" X80},
    {"\xed\xbf\xbf", "\xee\xbf\xad" XBF XBF},
    {"\xf4\x90\x80\x80", "\xee\xbf\xb4\xee\xbe\x90" X80 X80},
    {"\xf5\x80\x80\x80", "\xee\xbf\xb5" X80 X80 X80},
    /* the escapes themselves, and their neighbours U+EF7F and U+F000 */
    {X80, "\xee\xbf\xae\xee\xbe\xbe" X80},
    {XFF, "\xee\xbf\xae" XBF XBF},
    {"\xee\xbd\xbf\xef\x80\x80", "\xee\xbd\xbf\xef\x80\x80"},
};

TEST(bytes_become_their_one_text)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t length = 12345;
        char *text = text_from_bytes(texts[i].bytes, strlen(texts[i].bytes), &length);
        assert_non_null(text);
        if (strcmp(text, texts[i].text) != 0 || length != strlen(texts[i].text))
            fail_msg("case %zu: %zu bytes", i, length);
        free(text);
    }
}

TEST(a_nul_among_the_bytes_is_kept)
{
    size_t length;
    char *text = text_from_bytes("a\0b", 3, &length);
    assert_int_equal(length, 3);
    assert_memory_equal(text, "a\0b", 4);
    free(text);
}

/* Reads one character of text that is known to be valid. */
static const unsigned char *character(const unsigned char *at, uint32_t *value)
{
    int more = at[0] < 0x80 ? 0 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : 3;
    *value = more == 0 ? at[0] : at[0] & (0x3fu >> more);
    for (at++; more > 0; more--, at++) {
        assert_int_equal(*at & 0xc0, 0x80);
        *value = *value << 6 | (*at & 0x3f);
    }
    return at;
}

/* The reverse of text_from_bytes(), as text.h promises it. */
static size_t bytes_of(const char *text, size_t length, char *bytes)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    size_t size = 0;
    while (at < end) {
        uint32_t value;
        const unsigned char *next = character(at, &value);
        assert_false(value >= 0xd800 && value <= 0xdfff);
        assert_true(value <= 0x10ffff);
        if (value >= 0xef80 && value <= 0xefff) {
            bytes[size++] = (char)(value & 0xff);
        } else {
            memcpy(bytes + size, at, (size_t)(next - at));
            size += (size_t)(next - at);
        }
        at = next;
    }
    return size;
}

TEST(any_bytes_can_be_had_back)
{
    /* Random bytes are hardly ever UTF-8: half of them are pieces of it. */
    static const char *const pieces[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", X80,
                                         XFF,        "\xee\xbe",     "\xed\xa0\x80",     "a",
                                         "\xee",     "\xef"};
    uint64_t random = 7;
    for (int round = 0; round < 20000; round++) {
        char bytes[64], back[64];
        size_t size = 0, length;
        while (size < 56 && made_random(&random) % 20 != 0) {
            if (made_random(&random) % 2 == 0) {
                bytes[size++] = (char)made_random(&random);
            } else {
                const char *piece =
                    pieces[made_random(&random) % (sizeof pieces / sizeof pieces[0])];
                memcpy(bytes + size, piece, strlen(piece));
                size += strlen(piece);
            }
        }
        char *text = text_from_bytes(bytes, size, &length);
        assert_true(length <= 3 * size);
        assert_int_equal(bytes_of(text, length, back), size);
        assert_memory_equal(back, bytes, size);
        free(text);
    }
}

TEST(text_becomes_ascii_with_surrogate_pairs)
{
    static const struct text_case cases[] = {
        {"", ""},
        {"{\"a\":1}\x7f", "{\"a\":1}\x7f"},
        {"\xc2\x80", "\\u0080"},
        {"caf\xc3\xa9", "caf\\u00e9"},
        {"\xe2\x82\xac", "\\u20ac"},
        {"\xef\xbf\xbf", "\\uffff"},
        {"\xf0\x90\x80\x80", "\\ud800\\udc00"},
        {"\xf0\x9f\x98\x80", "\\ud83d\\ude00"},
        {"\xf4\x8f\xbf\xbf", "\\udbff\\udfff"},
        {XFF, "\\uefff"},
        {"a\xff"
         "b",
         "a\\ufffdb"},
        {" V:4 ", " \\u0056:4 "},
        {"\xc3\xa9 V:12 V:3", "\\u00e9 \\u0056:12 \\u0056:3"},
        {" V:x V: V:", " V:x V: V:"},
        {"V:1 XV:1 v:1 V :1", "V:1 XV:1 v:1 V :1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *ascii = text_ascii_json(cases[i].bytes);
        assert_string_equal(ascii, cases[i].text);
        assert_true(text_is_ascii_json(ascii, strlen(ascii)));
        free(ascii);
    }
}

TEST(bytes_that_are_never_written_are_known)
{
    static const char *const never[] = {"\xc3\xa9", "\n", "\x1f", "\x80", " V:0", "\xff V:0"};
    char text[64];
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        for (size_t before = 0; before < 20; before++) {
            snprintf(text, sizeof text, "%.*s%s~ ~ ~ ~ ~ ~", (int)before, "\x7f~ ~ ~ ~ ~ ~ ~ ~ ~ ~",
                     never[i]);
            assert_false(text_is_ascii_json(text, strlen(text)));
            assert_false(text_is_ascii_json(text, before + strlen(never[i])));
            assert_true(text_is_ascii_json(text, before));
        }
    assert_false(text_is_ascii_json("{}", 3));
}
