/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/uuid7.h"

void uuid7_set(uint64_t time_ns, uuid_t uuid)
{
    const uint64_t ms = time_ns / 1000000u;
    for (int i = 0; i < 6; i++)
        uuid[i] = (uint8_t)(ms >> (40 - 8 * i));
    uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x70);
    uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

void uuid7_random(uint64_t time_ns, uuid_t uuid)
{
    uuid_generate_random(uuid);
    uuid7_set(time_ns, uuid);
}

bool uuid_is_text(const char *text)
{
    uuid_t uuid;
    return text != NULL && uuid_parse(text, uuid) == 0;
}
