/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/kernel_rings.h"

#include "test/unit/fixture/cases.h"

TEST(few_cpus_have_more_room_each_and_all_have_a_bound)
{
    static const struct {
        size_t cpus, kib;
    } cases[] = {{1, 4096}, {16, 4096}, {17, 2048}, {64, 1024}, {128, 512}, {256, 256}, {512, 256}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(kernel_rings_size(cases[i].cpus), cases[i].kib << 10);
}
