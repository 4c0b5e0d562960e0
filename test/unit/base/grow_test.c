/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/grow.h"

#include "test/unit/fixture/cases.h"

struct element {
    uint64_t number[3];
};

TEST(every_element_added_is_kept)
{
    struct element *elements = NULL;
    uint32_t count = 0;
    for (; count < 1000; count++) {
        assert_int_equal(GROW(elements, count), 0);
        elements[count] = (struct element){{count, ~count, 7}};
    }
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(elements[i].number[0], i);
    count = 37; /* as if some were removed */
    for (; count < 500; count++) {
        assert_int_equal(GROW(elements, count), 0);
        elements[count] = (struct element){{count, 0, 0}};
    }
    assert_int_equal(elements[36].number[0], 36);
    free(elements);
}

TEST(room_doubles_or_is_what_is_needed)
{
    struct element *elements = NULL;
    size_t room = 0;
    assert_int_equal(GROW_TO(elements, room, 5), 0);
    assert_int_equal(room, 5);
    elements[4] = (struct element){{4}};
    assert_int_equal(GROW_TO(elements, room, 6), 0);
    assert_int_equal(room, 10);
    const struct element *before = elements;
    assert_int_equal(GROW_TO(elements, room, 10), 0);
    assert_ptr_equal(elements, before);
    assert_int_equal(GROW_TO(elements, room, 50), 0);
    assert_int_equal(room, 50);
    assert_int_equal(elements[4].number[0], 4);
    free(elements);
}

TEST(more_than_memory_holds_changes_nothing)
{
    struct element *elements = calloc(1, sizeof *elements);
    const struct element *before = elements;
    size_t room = 1;
    assert_int_equal(GROW_TO(elements, room, SIZE_MAX), -ENOMEM);
    assert_int_equal(room, 1);
    assert_int_equal(GROW(elements, SIZE_MAX / 2 + 1), -ENOMEM);
    assert_int_equal(GROW(elements, (SIZE_MAX >> 2) + 1), -ENOMEM);
    assert_ptr_equal(elements, before);
    free(elements);
}
