/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/terminal_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

/* What is not visible or changes the direction of text, whatever iswprint() says. Ascending:
 * Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt, ends of lines and paragraphs
 * (U+2028, U+2029), directions (U+202A to U+202E), annotations (U+FFF9 to U+FFFB), and format
 * controls of hieroglyphs (U+13430 to U+1343F). */
/* clang-format off */
static const struct { uint32_t first, last; } invisible[] = {
    {0x00ad, 0x00ad}, {0x034f, 0x034f}, {0x061c, 0x061c}, {0x115f, 0x1160}, {0x17b4, 0x17b5},
    {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
    {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};
/* clang-format on */

static bool is_invisible(wchar_t character)
{
    for (size_t i = 0; i < sizeof invisible / sizeof *invisible; i++)
        if ((uint32_t)character <= invisible[i].last)
            return (uint32_t)character >= invisible[i].first;
    return false;
}

/* How many bytes of a visible character begin at `at`; 0: none does. */
static size_t visible_at(const char *at, size_t size)
{
    wchar_t wide;
    mbstate_t state = {0};
    if (*at == '|' || *at == '\\')
        return 0;
    if (*at >= ' ' && *at <= '~') /* nearly all, and to convert them takes long */
        return 1;
    size_t taken = mbrtowc(&wide, at, size, &state);
    if (taken == (size_t)-1 || taken == (size_t)-2 || taken == 0)
        return 0;
    return iswprint((wint_t)wide) && !is_invisible(wide) ? taken : 0;
}

void terminal_text(const char *bytes, size_t size, char *text, size_t room)
{
    size_t length = 0;
    for (size_t i = 0; i < size;) {
        size_t taken = visible_at(bytes + i, size - i);
        if (length + (taken == 0 ? strlen("\\xHH") : taken) >= room)
            break;
        if (taken == 0) {
            length += (size_t)sprintf(text + length, "\\x%02x", (unsigned char)bytes[i++]);
        } else {
            memcpy(text + length, bytes + i, taken);
            length += taken;
            i += taken;
        }
    }
    text[length] = '\0';
}

const char *terminal_word(const char *word, char room[TERMINAL_WORD_SIZE])
{
    terminal_text(word, strlen(word), room, TERMINAL_WORD_SIZE);
    return room;
}
