/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/record_crc.h"

#include <stdlib.h>
#include <string.h>

#include "conf/base/crc.h"

static const char opening[] = "{\"crc\":\"";
static const char neutral[] = "0xFFFF";

int record_crc_check(const char *text, size_t size, struct load_reason *reason)
{
    if (size < strlen(opening) + strlen(neutral) || memcmp(text, opening, strlen(opening)) != 0)
        return 0;
    const char *value = text + strlen(opening);
    if (strncmp(value, "0x", 2) != 0 || strspn(value + 2, "0123456789abcdefABCDEF") != 4)
        return load_refuse(reason, "crc is not of the form 0xNNNN");

    /* XALT's files of packages end in two newlines: pkgRecordTransmit in
     * src/libxalt/run_submission.c adds one to what it has read, and its loader takes all of them
     * off. */
    while (text[size - 1] == '\n')
        size--;
    unsigned long stated = strtoul(value + 2, NULL, 16);
    uint16_t crc = crc16(opening, strlen(opening));
    crc = crc16_continue(crc, neutral, strlen(neutral)); /* in the place of the value */
    crc = crc16_continue(crc, value + strlen(neutral),
                         (size_t)(text + size - value) - strlen(neutral));
    if (crc != stated)
        return load_refuse(reason, "crc is 0x%04lX but the text's is 0x%04X", stated,
                           (unsigned)crc);
    return 0;
}
