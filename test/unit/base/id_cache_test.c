/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Digests, and ids under them.
 */
#include "conf/base/hash.h"

#include "test/unit/fixture/cases.h"

static struct digest digest_of(uint32_t number)
{
    struct digest digest;
    hash_bytes(&number, sizeof number, &digest);
    return digest;
}

/* SHA-1's vector for "abc" (FIPS 180). */
TEST(a_digest_is_sha1)
{
    struct digest made, pieces;
    hash_bytes("abc", 3, &made);
    assert_memory_equal(
        &made, "\xa9\x99\x3e\x36\x47\x06\x81\x6a\xba\x3e\x25\x71\x78\x50\xc2\x6c\x9c\xd0\xd8\x9d",
        sizeof made);
    hash_bytes("a\0bc", 4, &made);
    hash_pieces((const void *[]){"a", "bc"}, (size_t[]){1, 2}, 2, &pieces);
    assert_memory_equal(&made, &pieces, sizeof made);
}

TEST(each_id_is_found_again)
{
    struct id_cache cache = {0};
    struct digest digest = digest_of(0);
    assert_int_equal(id_cache_find(&cache, &digest), 0);
    for (uint32_t i = 0; i < 5000; i++) {
        digest = digest_of(i);
        id_cache_add(&cache, &digest, (int64_t)i + 1);
    }
    digest = digest_of(7);
    id_cache_add(&cache, &digest, -9);
    for (uint32_t i = 0; i < 5000; i++) {
        digest = digest_of(i);
        assert_int_equal(id_cache_find(&cache, &digest), i == 7 ? -9 : (int64_t)i + 1);
    }
    digest = digest_of(5000);
    assert_int_equal(id_cache_find(&cache, &digest), 0);
    id_cache_clear(&cache);
    digest = digest_of(3);
    assert_int_equal(id_cache_find(&cache, &digest), 0);
    id_cache_free(&cache);
}
