/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "crc.h"

#include <stdlib.h>
#include <string.h>

#define CRC_OPENING "{\"crc\":\""
#define CRC_NEUTRAL "0xFFFF"

uint16_t crc16(uint16_t crc, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++) {
        /* Ross Williams' four-shift form of one table step, for this polynomial alone. */
        unsigned step = (unsigned)(crc >> 8) ^ byte[i];
        step ^= step >> 4;
        crc = (uint16_t)(((unsigned)crc << 8) ^ (step << 12) ^ (step << 5) ^ step);
    }
    return crc;
}

/* The value "0xNNNN" at `text`; -1 when it is not one. */
static long value_of(const char *text)
{
    if (strncmp(text, "0x", 2) != 0 || strspn(text + 2, "0123456789abcdefABCDEF") != 4)
        return -1;
    return strtol(text + 2, NULL, 16);
}

int crc_check(const char *text, size_t size, struct load_reason *reason)
{
    const size_t opening = strlen(CRC_OPENING), value = strlen(CRC_NEUTRAL);
    if (size < opening + value || memcmp(text, CRC_OPENING, opening) != 0)
        return 0;
    if (text[size - 1] == '\n')
        size--;

    uint16_t found = crc16(CRC16_INITIAL, text, opening);
    found = crc16(found, CRC_NEUTRAL, value);
    found = crc16(found, text + opening + value, size - opening - value);

    long stated = value_of(text + opening);
    if (stated < 0)
        return load_refuse(reason, "crc is not of the form 0xNNNN");
    if (stated != found)
        return load_refuse(reason, "crc is 0x%04lX but the text's is 0x%04X", (unsigned long)stated,
                           (unsigned)found);
    return 0;
}
