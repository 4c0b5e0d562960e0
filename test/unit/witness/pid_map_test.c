/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Places under pids.
 */
#include "contrib/witness/pid_map.h"

#include "test/unit/fixture/cases.h"

enum { PLACES = 100 };

TEST(each_pid_has_its_place_until_it_is_removed)
{
    struct pid_map map;
    uint32_t place[PLACES + 1];
    assert_int_equal(pid_map_new(PLACES, &map), 0);
    for (int32_t pid = 1; pid <= PLACES; pid++) {
        place[pid] = pid_map_add(&map, pid * 128);
        assert_true(place[pid] >= 1 && place[pid] <= PLACES);
    }
    assert_int_equal(pid_map_add(&map, 7), 0); /* all are used */
    for (int32_t pid = 1; pid <= PLACES; pid += 2)
        pid_map_remove(&map, place[pid]);
    for (int32_t pid = 1; pid <= PLACES; pid++)
        assert_int_equal(pid_map_find(&map, pid * 128), pid % 2 == 1 ? 0 : place[pid]);
    assert_int_equal(map.used, PLACES / 2);
    for (int32_t pid = 1; pid <= PLACES / 2; pid++)
        assert_int_not_equal(pid_map_add(&map, pid), 0);
    assert_int_equal(pid_map_add(&map, 7), 0);
    pid_map_free(&map);
}

TEST(of_several_places_the_oldest_is_found)
{
    struct pid_map map;
    assert_int_equal(pid_map_new(PLACES, &map), 0);
    uint32_t first = pid_map_add(&map, 5), second = pid_map_add(&map, 5);
    assert_int_equal(pid_map_find(&map, 5), first);
    pid_map_remove(&map, first);
    assert_int_equal(pid_map_find(&map, 5), second);
    pid_map_remove(&map, second);
    assert_int_equal(pid_map_find(&map, 5), 0);
    pid_map_free(&map);
}
