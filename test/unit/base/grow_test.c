/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/grow.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct element {
    uint64_t number[3];
};

static void every_element_added_is_kept(void **state)
{
    struct element *elements = NULL;
    uint32_t count = 0;
    (void)state;
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

static void room_doubles_or_is_what_is_needed(void **state)
{
    struct element *elements = NULL;
    size_t room = 0;
    (void)state;
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

static void more_than_memory_holds_changes_nothing(void **state)
{
    struct element *elements = calloc(1, sizeof *elements);
    const struct element *before = elements;
    size_t room = 1;
    (void)state;
    assert_int_equal(GROW_TO(elements, room, SIZE_MAX), -ENOMEM);
    assert_int_equal(room, 1);
    assert_int_equal(GROW(elements, SIZE_MAX / 2 + 1), -ENOMEM);
    assert_int_equal(GROW(elements, (SIZE_MAX >> 2) + 1), -ENOMEM);
    assert_ptr_equal(elements, before);
    free(elements);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_added_is_kept),
        cmocka_unit_test(room_doubles_or_is_what_is_needed),
        cmocka_unit_test(more_than_memory_holds_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
