/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * XALT's note in a program.
 */
#include "submit/evidence/watermark.h"
#include "test/unit/fixture/cases.h"

struct taken {
    int count;
    char text[40000];
};

static void take(void *context, const char *key, const char *value)
{
    struct taken *taken = context;
    size_t used = strlen(taken->text);
    snprintf(taken->text + used, sizeof taken->text - used, "%s=%s;", key, value);
    taken->count++;
}

#define NOTE(text) text, sizeof text - 1

TEST(a_watermark_is_read_key_by_key)
{
    static const struct {
        const char *note;
        size_t size;
        const char *taken;
    } cases[] = {
        {NOTE("\2XALT_Link_Info\0Build_User%%alice%%\0Build_Epoch%%1.5%%\0XALT_Link_Info_End\0"),
         "Build_User=alice;Build_Epoch=1.5;"},
        /* as XALT 3.2.4 writes it; the zero bytes do not end it */
        {NOTE("\2XALT_Link_Info\0<Build_User>%%alice%%\0<Build_Epoch>%%1.5%%\0\0\0\0\0\0\0\0"
              "XALT_Link_Info_End\0"),
         "Build_User=alice;Build_Epoch=1.5;"},
        {NOTE("\2XALT_Link_Info\0\0\0\0\0\0\0\0<Build.User>%%a<b>%%\0"), "Build_User=a<b>;"},
        /* one bracket; none in the right place; nothing in them; what no key has */
        {NOTE("\2<K%%v%%\0K>%%v%%\0>K<%%v%%\0<<K>>%%v%%\0<>%%v%%\0< >%%v%%\0<L>%%w%%\0"), "L=w;"},
        {NOTE("\2<K\n>%%v%%\0<K\xc3\xa4>%%v%%\0<K\xff>%%v%%\0K\"%%v%%\0K K%%v%%\0<L>%%\xff%%\0"),
         "L=\xff;"},
        /* brackets in the value alone; a key without end */
        {NOTE("\2<K>%%<v>%%\0<K>%v%%\0<K\0<L>%%%%%%\0"), "K=<v>;L=%%;"},
        /* blanks */
        {NOTE("\2XALT_Link_Info\0K%%a_%_%_b_%_%__%_%_c%%\0XALT_Link_Info_End\0"), "K=a b  c;"},
        {NOTE("\2K%%_%_%%\0K2%%_%_%_%%\0"), "K=_%_;K2= ;"},
        /* an empty value; a value with percent signs */
        {NOTE("\2K%%%%\0L%%50%%%\0M%%a%%b%%\0"), "K=;L=50%;M=a%%b;"},
        /* the end is missing: cut */
        {NOTE("\2XALT_Link_Info\0K%%v%%\0"), "K=v;"},
        {NOTE("\2XALT_Link_Info\0K%%v%%"), "K=v;"},
        {NOTE("\2XALT_Link_Info\0K%%v%"), "K=v%;"},
        {NOTE("\2XALT_Link_Info\0K%%"), "K=;"},
        {NOTE("\2XALT_Link_Info\0K%"), ""},
        {NOTE("\2XALT_Link_Info\0K"), ""},
        /* what stands behind the end */
        {NOTE("\2K%%v%%\0XALT_Link_Info_End\0L%%w%%\0"), "K=v;"},
        /* no key, empty strings */
        {NOTE("\2%%v%%\0\0\0K%%v%%\0"), "K=v;"},
        /* no watermark */
        {NOTE(""), ""},
        {NOTE("\2"), ""},
        {NOTE("\2\0"), ""},
        {NOTE("\1XALT_Link_Info\0K%%v%%\0"), ""},
        {NOTE("\3XALT_Link_Info\0K%%v%%\0"), ""},
        {NOTE("\0\0\0\0"), ""},
        {NOTE("K%%v%%\0"), ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct taken taken = {0};
        /* Its own memory, so that AddressSanitizer knows the end. */
        char *memory = malloc(cases[i].size + 1);
        memcpy(memory + 1, cases[i].note, cases[i].size);
        int keys = watermark_read(memory + 1, cases[i].size, take, &taken);
        free(memory);
        if (strcmp(taken.text, cases[i].taken) != 0)
            fail_msg("case %zu: %s", i, taken.text);
        assert_int_equal(keys, taken.count);
    }
}

TEST(an_overlong_entry_is_left_out)
{
    enum { ENTRY_MAX = 32 << 10 }; /* with its NUL */
    for (size_t length = ENTRY_MAX - 2; length <= ENTRY_MAX + 1; length++) {
        static char note[ENTRY_MAX + 1000];
        struct taken taken = {0};
        memset(note, 0, sizeof note);
        memcpy(note, "\2A%%1%%", 7);
        memset(note + 8, '%', length);
        note[8] = 'B';
        memcpy(note + 9 + length, "C%%2%%", 6);
        assert_int_equal(watermark_read(note, sizeof note, take, &taken),
                         length < ENTRY_MAX ? 3 : 2);
        assert_memory_equal(taken.text, "A=1;", 4);
    }
}

TEST(a_note_of_a_thousand_keys_is_read_to_a_bound)
{
    struct taken taken = {0};
    char note[10000] = "\2";
    size_t size = 1;
    for (int i = 0; i < 1000; i++)
        size += (size_t)snprintf(note + size, sizeof note - size, "K%d%%%%%%%%", i % 10) + 1;
    assert_int_equal(watermark_read(note, size, take, &taken), WATERMARK_KEYS_MAX);
    assert_int_equal(taken.count, WATERMARK_KEYS_MAX);
}
