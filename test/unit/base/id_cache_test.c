/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Digests, and ids under them.
 */
#include "conf/base/id_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct digest digest_of(uint32_t number)
{
    struct digest digest;
    assert_int_equal(hash_bytes(&number, sizeof number, &digest), 0);
    return digest;
}

/* SHA-1's vector for "abc" (FIPS 180). */
static void a_digest_is_sha1(void **state)
{
    struct digest made, expected, pieces;
    (void)state;
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

static void each_id_is_found_again(void **state)
{
    struct id_cache cache = {0};
    struct digest digest = digest_of(0);
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_digest_is_sha1),
        cmocka_unit_test(each_id_is_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
