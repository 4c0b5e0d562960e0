/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The list of routines, as processes write it at once, into a field that may hold noise.
 */
#include <pthread.h>

#include "preload/routines/routine_list.h"
#include "test/unit/fixture/cases.h"

enum { ROOM = 8 << 10, AROUND = 256, NOISE_ROUNDS = 20000, THREADS = 8, NAMES = 40 };

/* The field's content, and bytes around it that belong to somebody else. */
static struct {
    unsigned char before[AROUND];
    struct ledger_routines head;
    unsigned char fields[ROOM];
    unsigned char behind[AROUND];
} memory;

static struct routine_list list = {.head = &memory.head, .room = ROOM};

static int start(void **state)
{
    (void)state;
    memset(&memory, 0, sizeof memory);
    list.room = ROOM;
    return 0;
}

static struct ledger_routine *call(const char *name, uint32_t library, uint64_t now_ns)
{
    const struct routine_call called = {
        .name = name, .length = (uint32_t)strlen(name), .library = library};
    return routine_list_call(&list, &called, now_ns);
}

/* How many fields of this kind there are. */
static int count(enum ledger_field_kind kind)
{
    struct ledger_field field;
    int found = 0;
    for (uint32_t at = 0; at < memory.head.bytes && at < list.room;
         at += (uint32_t)sizeof field + ((field.length + 7) & ~7u)) {
        memcpy(&field, memory.fields + at, sizeof field);
        found += field.kind == kind;
    }
    return found;
}

TEST(a_routine_is_there_once_for_each_library)
{
    const unsigned char id[2] = {1, 2};
    uint32_t first = routine_list_library(&list, (struct image_bytes){id, 2}, "/lib/a");
    uint32_t second = routine_list_library(&list, (struct image_bytes){NULL, 0}, "/lib/b");
    struct ledger_routine *sine = call("sin", first, 5);
    assert_int_not_equal(first, second);
    assert_non_null(sine);
    assert_ptr_equal(call("sin", first, 9), sine);
    assert_int_equal(sine->first_ns, 5);
    assert_int_equal(sine->library, first);
    assert_ptr_not_equal(call("sin", second, 9), sine);
    assert_ptr_not_equal(call("sinh", first, 9), sine);
    assert_int_equal(count(LEDGER_LIBRARY), 2);
    assert_int_equal(count(LEDGER_ROUTINE), 3);
}

TEST(what_finds_no_room_is_counted)
{
    char name[16];
    int taken = 0;
    list.room = 3 * routine_list_size(4) + 8;
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "f%03d", i);
        taken += call(name, 0, 1) != NULL;
    }
    assert_int_equal(taken, 3);
    assert_int_equal(memory.head.missed, 3);
    assert_int_equal(routine_list_library(&list, (struct image_bytes){NULL, 0}, "/lib/a"),
                     ROUTINE_LIST_FULL);
    assert_non_null(call("f001", 0, 1));
}

static void *call_all(void *unused)
{
    char name[16];
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "routine_%d", i);
        struct ledger_routine *routine = call(name, 0, 7);
        if (routine == NULL)
            return &list;
        __atomic_fetch_add(&routine->calls, 1, __ATOMIC_RELAXED);
    }
    return unused;
}

TEST(threads_add_at_once)
{
    pthread_t thread[THREADS];
    void *failed = NULL;
    uint64_t calls = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, call_all, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        failed = result != NULL ? result : failed;
    }
    /* where several were first, the routine is there several times */
    for (uint32_t at = 0; at < memory.head.bytes && at < list.room;) {
        struct ledger_field field;
        struct ledger_routine routine;
        memcpy(&field, memory.fields + at, sizeof field);
        memcpy(&routine, memory.fields + at + sizeof field, sizeof routine);
        assert_int_equal(field.kind, LEDGER_ROUTINE);
        calls += routine.calls;
        at += (uint32_t)sizeof field + ((field.length + 7) & ~7u);
    }
    assert_true(failed != NULL || calls == THREADS * NAMES);
    assert_true(count(LEDGER_ROUTINE) >= NAMES);
}

static uint32_t noise(void)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* Whatever others write there, nothing outside of the field is written to, and no call takes for
 * ever. */
TEST(noise_leads_nowhere)
{
    static unsigned char around[AROUND];
    memset(around, 0xaa, sizeof around);
    memcpy(memory.before, around, sizeof around);
    memcpy(memory.behind, around, sizeof around);
    for (int round = 0; round < NOISE_ROUNDS; round++) {
        for (size_t i = 0; i < 64; i++)
            memory.fields[i] = (unsigned char)(noise() % 4 == 0 ? noise() : 0);
        memory.head.bytes = noise() % 2 == 0 ? noise() % (ROOM + 64) : noise() << 8;
        list.room = noise() % (ROOM / 8) * 8;
        call("some_routine", noise() % 64, 5);
        routine_list_library(&list, (struct image_bytes){around, 20}, "/lib/x");
        assert_memory_equal(memory.before, around, sizeof around);
        assert_memory_equal(memory.behind, around, sizeof around);
    }
}

EACH(start, NULL)
