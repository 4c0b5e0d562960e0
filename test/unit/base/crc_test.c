/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CRC of XALT's records.
 */
#include "conf/base/crc.h"
#include "test/unit/fixture/cases.h"

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

TEST(the_crc_is_that_of_the_vectors)
{
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        assert_int_equal(crc16(vectors[i].text, strlen(vectors[i].text)), vectors[i].crc);
}

TEST(any_length_and_split_gives_what_the_definition_gives)
{
    unsigned char bytes[300];
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

TEST(a_nul_counts)
{
    static const char all[] = "\0\xff\x80";
    assert_int_equal(crc16("\0", 1), 0xe1f0);
    assert_int_not_equal(crc16(all, 3), crc16(all, 2));
}
