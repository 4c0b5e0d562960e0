/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The check sum that a record carries about itself: {"crc":"0x29B1", ...
 *
 * CRC-16/CCITT-FALSE (polynomial 0x1021, initial 0xFFFF, not reflected, no final xor; its check
 * value over "123456789" is 0x29B1) over the JSON text in which the six bytes of the value read
 * 0xFFFF. A newline after the closing brace does not count.
 */
#ifndef JOBTRAIL_CRC_H
#define JOBTRAIL_CRC_H

#include <stddef.h>
#include <stdint.h>

#include "load_reason.h"

#define CRC16_INITIAL UINT16_C(0xFFFF)

/* Continues `crc` (CRC16_INITIAL at first) over `size` bytes at `data`. */
uint16_t crc16(uint16_t crc, const void *data, size_t size);

/* Returns 0 when the record's text agrees with its check sum or does not start with one, as XALT
 * and jobtrail write it; -EBADMSG with `*reason` otherwise. */
int crc_check(const char *text, size_t size, struct load_reason *reason);

#endif
