/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sixteen bytes a step: table[n][b] is what the byte b does to the CRC when n bytes follow it.
 */
#include "conf/base/crc.h"

#include <pthread.h>

enum { STEP = 16 };

static uint16_t table[STEP][256];

static void fill_table(void)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        uint16_t crc = (uint16_t)(byte << 8);
        for (int n = 0; n < STEP; n++) {
            for (int bit = 0; bit < 8; bit++)
                crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
            table[n][byte] = crc;
        }
    }
}

uint16_t crc16_continue(uint16_t crc, const char *bytes, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const unsigned char *at = (const unsigned char *)bytes;
    pthread_once(&once, fill_table);
    for (; size >= STEP; size -= STEP, at += STEP)
        crc = table[15][at[0] ^ crc >> 8] ^ table[14][at[1] ^ (crc & 0xff)] ^ table[13][at[2]] ^
              table[12][at[3]] ^ table[11][at[4]] ^ table[10][at[5]] ^ table[9][at[6]] ^
              table[8][at[7]] ^ table[7][at[8]] ^ table[6][at[9]] ^ table[5][at[10]] ^
              table[4][at[11]] ^ table[3][at[12]] ^ table[2][at[13]] ^ table[1][at[14]] ^
              table[0][at[15]];
    for (; size > 0; size--, at++)
        crc = (uint16_t)(crc << 8) ^ table[0][*at ^ crc >> 8];
    return crc;
}

uint16_t crc16(const char *bytes, size_t size)
{
    return crc16_continue(0xffff, bytes, size);
}
