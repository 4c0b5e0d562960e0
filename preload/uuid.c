/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/uuid.h"

#include "preload/memory.h"
#include "preload/system.h"

/* splitmix64 (Steele, Lea, Flood 2014): only where getrandom(2) is refused. */
static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

uint64_t uuid_make(uint64_t now_ns, uint64_t salt, uint8_t uuid[16])
{
    const long nonblock = 1;
    uint64_t random[3];
    if (system_call6(SYS_getrandom, (long)random, sizeof random, nonblock, 0, 0, 0) !=
        (long)sizeof random) {
        random[0] = mix(now_ns ^ salt);
        random[1] = mix(random[0] ^ salt);
        random[2] = mix(random[1] ^ now_ns);
    }
    memcpy(uuid, random, 16);
    uint64_t milliseconds = now_ns / 1000000;
    for (int i = 0; i < 6; i++)
        uuid[i] = (uint8_t)(milliseconds >> (40 - 8 * i));
    uuid[6] = (uint8_t)(0x70 | (uuid[6] & 0x0f));
    uuid[8] = (uint8_t)(0x80 | (uuid[8] & 0x3f));
    return random[2];
}
