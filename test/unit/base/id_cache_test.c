/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Digests, and ids under them.
 */
#include "conf/base/id_cache.h"

#include <string.h>

#include "test/unit/fixture/cases.h"

static struct digest digest_of(uint32_t number)
{
    struct digest digest;
    assert_int_equal(hash_bytes(&number, sizeof number, &digest), 0);
    return digest;
}

/* SHA-1's vector for "abc" (FIPS 180). */
TEST(a_digest_is_sha1)
{
    struct digest made, expected, pieces;
    assert_int_equal(hash_bytes("abc", 3, &made), 0);
    assert_true(hash_from_hex("a9993e364706816aba3e25717850c26c9cd0d89d", &expected));
    assert_memory_equal(&made, &expected, sizeof made);
    assert_int_equal(hash_bytes("a\0bc", 4, &made), 0);
    assert_int_equal(hash_pieces((const void *[]){"a", "bc"}, (size_t[]){1, 2}, 2, &pieces), 0);
    assert_memory_equal(&made, &pieces, sizeof made);
    assert_false(hash_from_hex("a9993e364706816aba3e25717850c26c9cd0d89", &made));
    assert_false(hash_from_hex("a9993e364706816aba3e25717850c26c9cd0d89d0", &made));
    assert_false(hash_from_hex("g9993e364706816aba3e25717850c26c9cd0d89d", &made));
    hash_end_thread();
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
    hash_end_thread();
}
