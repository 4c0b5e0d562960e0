/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/uuid.h"

#include "preload/memory.h"
#include "preload/system.h"

enum { KEY_BYTES = 16 };

static uint64_t rotated(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

static void rounds(uint64_t v[4], int count)
{
    while (count-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotated(v[1], 13) ^ v[0];
        v[3] = rotated(v[3], 16) ^ v[2];
        v[0] = rotated(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotated(v[1], 17) ^ v[2];
        v[3] = rotated(v[3], 21) ^ v[0];
        v[2] = rotated(v[2], 32);
    }
}

/* SipHash-2-4 (Aumasson, Bernstein 2012) of three words. */
static uint64_t sip(const uint64_t key[2], uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t words[] = {a, b, c, (uint64_t)24 << 56};
    uint64_t v[4] = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                     key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        v[3] ^= words[i];
        rounds(v, 2);
        v[0] ^= words[i];
    }
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The kernel gives each program that it starts 16 random bytes. libc makes its stack canary and its
 * pointer guard of them, so they are the key of a function that cannot be inverted: who reads a
 * uuid learns nothing about them. */
static void find_key(const unsigned char *random, uint64_t key[2])
{
    const long nonblock = 1;
    key[0] = key[1] = 0;
    if (random != NULL)
        memcpy(key, random, KEY_BYTES);
    if (key[0] == 0 && key[1] == 0)
        system_call6(SYS_getrandom, (long)key, KEY_BYTES, nonblock, 0, 0, 0);
}

uint64_t uuid_make(const unsigned char *random, uint64_t now_ns, uint64_t salt, uint8_t uuid[16])
{
    uint64_t key[2];
    find_key(random, key);
    const uint64_t words[2] = {sip(key, now_ns, salt, 0), sip(key, now_ns, salt, 1)};
    memcpy(uuid, words, 16);
    uint64_t milliseconds = now_ns / 1000000;
    for (int i = 0; i < 6; i++)
        uuid[i] = (uint8_t)(milliseconds >> (40 - 8 * i));
    uuid[6] = (uint8_t)(0x70 | (uuid[6] & 0x0f));
    uuid[8] = (uint8_t)(0x80 | (uuid[8] & 0x3f));
    return sip(key, now_ns, salt, 2);
}
