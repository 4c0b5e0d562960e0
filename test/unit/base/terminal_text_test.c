/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/text.h"

#include <limits.h>
#include <locale.h>
#include <wchar.h>

#include "test/unit/fixture/cases.h"

static void assert_shown(const char *bytes, const char *expected)
{
    char text[256];
    terminal_text(bytes, strlen(bytes), text, sizeof text);
    assert_string_equal(text, expected);
}

TEST(test_visible_text_stays)
{
    assert_shown("", "");
    assert_shown("/usr/bin/python3 -c", "/usr/bin/python3 -c");
    assert_shown("/home/m\u00fcller/\u8a08\u7b97/\u05d0\u05d1",
                 "/home/m\u00fcller/\u8a08\u7b97/\u05d0\u05d1");
}

TEST(test_controls_bars_and_other_bytes_are_escaped)
{
    assert_shown("s\033[2J|\xff\\\n", "s\\x1b[2J\\x7c\\xff\\x5c\\x0a");
    assert_shown("\xc2\x9b"
                 "2J",
                 "\\xc2\\x9b"
                 "2J");
    assert_shown("\xe2\x80", "\\xe2\\x80");
    char text[32];
    terminal_text("a\0b", 3, text, sizeof text);
    assert_string_equal(text, "a\\x00b");
}

TEST(test_what_hides_or_turns_text_is_escaped)
{
    static const wchar_t hidden[] = {
        0xad,   0x34f,  0x61c,  0x115f,  0x180e,  0x200b,  0x200d,  0x200f, 0x2028,
        0x202a, 0x202e, 0x2060, 0x2066,  0x2069,  0x206f,  0x3164,  0xfe0f, 0xfeff,
        0xffa0, 0xfff9, 0xfffb, 0x1d173, 0xe0001, 0xe007f, 0xe01ef,
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        char bytes[MB_LEN_MAX], text[64];
        mbstate_t begin = {0};
        size_t size = wcrtomb(bytes, hidden[i], &begin);
        assert_true(size >= 2 && size <= 4);
        terminal_text(bytes, size, text, sizeof text);
        assert_int_equal(strlen(text), 4 * size);
        assert_int_equal(strncmp(text, "\\x", 2), 0);
    }
    assert_shown("gnp\u200b.exe", "gnp\\xe2\\x80\\x8b.exe");
    assert_shown("\u00ac\u00ae\u2010\u2027\u2030\u2070\ufffd",
                 "\u00ac\u00ae\u2010\u2027\u2030\u2070\ufffd");
}

TEST(test_what_does_not_fit_is_left_out_whole)
{
    char text[9];
    memset(text, 'x', sizeof text);
    terminal_text("abcd\033\033", 6, text, 8);
    assert_string_equal(text, "abcd");
    terminal_text("abcdef\u8a08", 9, text, 8);
    assert_string_equal(text, "abcdef");
    terminal_text("abc\033d", 5, text, 8);
    assert_string_equal(text, "abc\\x1b");
    assert_int_equal(text[8], 'x');
}

static int use_utf8(void **state)
{
    (void)state;
    return setlocale(LC_CTYPE, "C.UTF-8") == NULL;
}

ALL(use_utf8, NULL)
