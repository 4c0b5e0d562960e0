/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a capture says of routines, sound and damaged.
 */
#include "submit/evidence/ledger_fields.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_ledger.h"

static struct made_fields inner, content;
static struct capture_library library[CAPTURE_ROUTINE_LIBRARIES_MAX];
static struct capture_routine routine[CAPTURE_ROUTINES_MAX];

static int start(void **state)
{
    (void)state;
    inner.size = 0;
    return 0;
}

/* Returns its number. */
static uint32_t put_library(const char *path)
{
    char bytes[64] = "\2\xab\xcd";
    uint32_t number = (uint32_t)inner.size;
    strcpy(bytes + 3, path);
    made_field(&inner, LEDGER_LIBRARY, 0, bytes, 3 + strlen(path));
    return number;
}

static void put_routine(const struct ledger_routine *head, const char *name)
{
    char bytes[sizeof *head + 512];
    memcpy(bytes, head, sizeof *head);
    strcpy(bytes + sizeof *head, name);
    made_field(&inner, LEDGER_ROUTINE, 0, bytes, sizeof *head + strlen(name));
}

/* The first `size` bytes of the field's content, which says that it has `bytes`. */
static struct capture read_bytes(size_t size, uint32_t bytes)
{
    struct capture capture = {.routine_libraries = library, .routines = routine};
    const struct ledger_routines head = {
        .bytes = bytes, .watched = 5, .missed = 7, .flags = LEDGER_ROUTINES_COUNTED};
    memcpy(content.bytes, &head, sizeof head);
    memcpy(content.bytes + sizeof head, inner.bytes, inner.size);
    ledger_routines(&capture, (const char *)content.bytes, size);
    return capture;
}

static struct capture read_whole(void)
{
    return read_bytes(sizeof(struct ledger_routines) + inner.size, (uint32_t)inner.size);
}

static void assert_text(struct capture_bytes bytes, const char *text)
{
    assert_int_equal(bytes.size, strlen(text));
    assert_memory_equal(bytes.at, text, bytes.size);
}

TEST(routines_belong_to_libraries)
{
    uint32_t first = put_library("/lib/a"), second = put_library("/lib/b");
    put_routine(&(struct ledger_routine){.first_ns = 5, .calls = 9, .library = second}, "sin");
    made_field(&inner, LEDGER_NOTHING, 0, "never finished", 14);
    put_routine(&(struct ledger_routine){.first_ns = LEDGER_TIME_UNKNOWN,
                                         .library = first,
                                         .flags = LEDGER_ROUTINE_AT_LEAST},
                "cos");
    struct capture capture = read_whole();
    assert_true(capture.has_routines && capture.routines_counted && capture.keep);
    assert_int_equal(capture.routines_watched, 5);
    assert_int_equal(capture.routines_missed, 7);
    assert_int_equal(capture.routine_library_count, 2);
    assert_text(capture.routine_libraries[1].path, "/lib/b");
    assert_int_equal(capture.routine_libraries[1].build_id.size, 2);
    assert_int_equal(capture.routine_count, 2);
    assert_text(routine[0].name, "sin");
    assert_true(routine[0].library == 1 && routine[0].first_ns == 5 && routine[0].calls == 9 &&
                !routine[0].is_at_least);
    assert_true(routine[1].library == 0 && routine[1].first_ns == 0 && routine[1].is_at_least);
}

TEST(a_run_that_called_nothing_may_be_sampled_out)
{
    uint32_t number = put_library("/lib/a");
    put_routine(&(struct ledger_routine){.library = number, .flags = LEDGER_ROUTINE_MISSED}, "cos");
    struct capture capture = read_whole();
    assert_true(capture.has_routines && !capture.keep);
    assert_true(capture.routine_count == 1 && routine[0].is_missed);
}

TEST(what_is_not_valid_is_counted)
{
    char long_name[CAPTURE_ROUTINE_NAME_MAX + 2] = "";
    memset(long_name, 'x', sizeof long_name - 1);
    put_routine(&(struct ledger_routine){.library = 0}, "before");
    uint32_t number = put_library("/lib/a");
    put_routine(&(struct ledger_routine){.library = number + 8}, "beyond");
    put_routine(&(struct ledger_routine){.library = UINT32_MAX}, "far");
    put_routine(&(struct ledger_routine){.library = number}, "");
    put_routine(&(struct ledger_routine){.library = number}, long_name);
    made_field(&inner, LEDGER_ROUTINE, 0, "short", 5);
    made_field(&inner, LEDGER_EXEC, 0, "/bin/x", 6);
    put_routine(&(struct ledger_routine){.library = number}, long_name + 1);
    struct capture capture = read_whole();
    assert_int_equal(capture.routine_count, 1);
    assert_int_equal(capture.routines_missed, 7 + 7);
}

TEST(no_more_are_kept_than_there_is_room_for)
{
    for (int i = 0; i < CAPTURE_ROUTINE_LIBRARIES_MAX + 1; i++)
        put_library("/lib/a");
    for (int i = 0; i < 3000; i++)
        put_routine(&(struct ledger_routine){.library = 0}, "a");
    struct capture capture = read_whole();
    assert_int_equal(capture.routine_library_count, CAPTURE_ROUTINE_LIBRARIES_MAX);
    assert_int_equal(capture.routines_missed, 7 + 1);
}

/* Wherever the bytes end, and however many they are said to be, none behind them is looked at. */
TEST(no_byte_behind_the_end_is_read)
{
    put_library("/lib/a");
    put_routine(&(struct ledger_routine){.library = 0}, "sin");
    put_routine(&(struct ledger_routine){.library = 0}, "cos");
    for (size_t size = 0; size <= sizeof(struct ledger_routines) + inner.size; size++) {
        struct capture capture = read_bytes(size, UINT32_MAX);
        assert_true(capture.routine_count <= 2);
        assert_int_equal(capture.has_routines, size >= sizeof(struct ledger_routines));
        for (size_t i = 0; i < capture.routine_count; i++)
            assert_true(routine[i].name.at + routine[i].name.size <=
                        (const char *)content.bytes + size);
    }
    assert_int_equal(read_bytes(sizeof(struct ledger_routines) + inner.size, 0).routine_count, 0);
}

EACH(start, NULL)
