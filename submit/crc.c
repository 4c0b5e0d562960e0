/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "crc.h"

uint16_t crc16(const char *bytes, size_t size)
{
    uint32_t crc = 0xffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= (uint32_t)(unsigned char)bytes[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1 & 0xffff;
    }
    return (uint16_t)crc;
}
