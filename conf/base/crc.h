/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The CRC of XALT's records: CRC-16/CCITT-FALSE (polynomial 0x1021, initial value 0xFFFF, nothing
 * reflected or inverted), 0x29B1 for "123456789". */
uint16_t crc16(const char *bytes, size_t size);

/* The CRC of what gave `crc`, followed by these bytes. */
uint16_t crc16_continue(uint16_t crc, const char *bytes, size_t size);
