/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CRC of XALT's records, and what a record's file name says.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "conf/base/crc.h"
#include "submit/definition/record_name.h"

/* CRC-16/CCITT-FALSE: "123456789" is the catalogue's check value (Williams, "A painless guide to
 * CRC error detection algorithms"); the others are of that definition, bit by bit. The last is a
 * record with "0xFFFF" in the CRC's place, as XALT computes it. */
static const struct {
    const char *text;
    uint16_t crc;
} vectors[] = {
    {"", 0xffff},
    {"A", 0xb915},
    {"123456789", 0x29b1},
    {"The quick brown fox jumps over the lazy dog", 0x8fdd},
    {"{\"crc\":\"0xFFFF\",\"cmdlineA\":[\"a\"]}", 0x7243},
};

/* The definition, one bit at a time. */
static uint16_t by_bits(const unsigned char *at, size_t size)
{
    uint32_t crc = 0xffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= (uint32_t)at[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1 & 0xffff;
    }
    return (uint16_t)crc;
}

static void the_crc_is_that_of_the_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        assert_int_equal(crc16(vectors[i].text, strlen(vectors[i].text)), vectors[i].crc);
}

static void any_length_and_split_gives_what_the_definition_gives(void **state)
{
    unsigned char bytes[300];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 167 + 13);
    for (size_t size = 0; size < sizeof bytes; size++) {
        uint16_t expected = by_bits(bytes, size);
        size_t half = size / 3;
        assert_int_equal(crc16((const char *)bytes, size), expected);
        uint16_t first = crc16((const char *)bytes, half);
        assert_int_equal(crc16_continue(first, (const char *)bytes + half, size - half), expected);
    }
}

#define UUID "019a9f00-1122-7abc-8def-0102030405ff"

static void a_name_tells_kind_host_uuid_and_key(void **state)
{
    static const char *const names[][4] = {
        {"run.alpha.2024_11_20_10_00_00_0001.alice.zzz." UUID ".json", "run", "alpha",
         "run_fini_" UUID},
        {"run.alpha.2024_11_20_10_00_00_0001.alice.aaa." UUID ".json", "run", "alpha",
         "run_strt_" UUID},
        {"link.b.2024_11_20_10_00_00_0001.bob." UUID ".json", "link", "b", "link_" UUID},
        {"pkg.b.2024_11_20_10_00_00_0001.bob." UUID ".0123456789ab.json", "pkg", "b",
         "pkg_" UUID "_0123456789ab"},
        {"miss.b.x.u." UUID ".json", "miss", "b", "miss_" UUID},
    };
    struct record_name name;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(record_name_parse(names[i][0], &name), 0);
        assert_string_equal(name.kind, names[i][1]);
        assert_string_equal(name.syshost, names[i][2]);
        assert_string_equal(name.uuid, UUID);
        assert_string_equal(name.key, names[i][3]);
    }
}

static void what_is_no_name_of_a_record_is_refused(void **state)
{
    static const char *const names[] = {
        "",
        "x",
        "run." UUID ".json",
        "run.alpha.d.alice.zzz." UUID ".txt",
        "run.alpha.d.alice.zzz.019a9f00-1122-7abc-8def-0102030405f.json",
        "run.alpha.d.alice.zzz.019a9f00-1122-7abc-8def_0102030405ff.json",
        "run.alpha.d.alice.zzz.019a9f00-1122-7abc-8def-0102030405fg.json",
        "run..d.alice.zzz." UUID ".json",
        ".alpha.d.alice.zzz." UUID ".json",
        "a.b.c.d.e.f.g.h.i." UUID ".json",
        "pkg.b.d.bob." UUID ".0123456789abcdef0123456789abcdef01234567.json",
        "averyveryverylongkind.alpha.d.alice." UUID ".json",
    };
    struct record_name name;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (record_name_parse(names[i], &name) != -EINVAL)
            fail_msg("%s is taken", names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_crc_is_that_of_the_vectors),
        cmocka_unit_test(any_length_and_split_gives_what_the_definition_gives),
        cmocka_unit_test(a_name_tells_kind_host_uuid_and_key),
        cmocka_unit_test(what_is_no_name_of_a_record_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
