/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading ledgers, sound ones and such as a user may have written.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "ledger_read.h"
#include "submit_fixture.h"

enum { PAGES_MAX = 40 };

static struct made_ledger made;
static struct made_fields fields;

/* Each with a reader of its own, whose memory it points into. */
struct captures {
    struct capture capture[PAGES_MAX];
    struct ledger_reader reader[PAGES_MAX];
    size_t count, damaged;
    uint64_t dropped;
};

static struct captures read_file(int fd)
{
    struct captures found = {.count = 0};
    for (;;) {
        struct ledger_reader *reader = &found.reader[found.count];
        struct capture *capture = &found.capture[found.count];
        int result = 1;
        assert_true(found.count < PAGES_MAX);
        assert_int_equal(ledger_open(fd, reader), 0);
        for (size_t i = 0; i <= found.count && result == 1; i++)
            result = ledger_next(reader, capture);
        if (result == 0)
            break;
        assert_int_equal(result, 1);
        assert_int_equal(capture->offset % LEDGER_PAGE, 0);
        found.count++;
    }
    found.damaged = found.reader[found.count].damaged;
    found.dropped = found.reader[found.count].dropped;
    ledger_close(&found.reader[found.count]);
    return found;
}

static void captures_free(struct captures *captures)
{
    for (size_t i = 0; i < captures->count; i++)
        ledger_close(&captures->reader[i]);
    captures->count = 0;
}

static struct captures read_cut(size_t size)
{
    int fd = made_file(&made, size);
    struct captures captures = read_file(fd);
    close(fd);
    return captures;
}

static struct captures read_made(void)
{
    return read_cut(made.size);
}

static void assert_bytes(struct capture_bytes bytes, const void *expected, size_t size)
{
    assert_non_null(bytes.at);
    assert_int_equal(bytes.size, size);
    assert_memory_equal(bytes.at, expected, size);
}

static void assert_text(struct capture_bytes bytes, const char *expected)
{
    assert_bytes(bytes, expected, strlen(expected));
}

/* A ledger of one open capture of /bin/x; returns where it lies. */
static size_t one_capture(void)
{
    struct ledger_slot slot = made_slot(10, 5000);
    fields.size = 0;
    made_text(&fields, LEDGER_EXEC, "/bin/x");
    made_start(&made);
    return made_add(&made, &slot, 0, &fields);
}

static void a_capture_has_every_field(void **state)
{
    static const char object[] = "\x04\x01\x02\x03\x04/lib/libc.so", bare[] = "\0/lib/ld.so";
    static const char ancestor[] = "\x63\0\0\0bash\0/bin/bash\0bash\0-l\0";
    static const char argv[] = "x\0\0-a b\0";
    struct ledger_slot slot = made_slot(10, 5000);
    (void)state;
    slot.state = LEDGER_ENDED;
    slot.end_ns = 9000;
    slot.rank = 3;
    slot.size = 8;
    slot.flags = LEDGER_SLOT_CUT;
    slot.random = UINT64_MAX;
    slot.probability = 0.25;
    slot.signal = 15;
    slot.gpus = 2;
    fields.size = 0;
    made_text(&fields, LEDGER_EXEC, "/bin/x");
    made_text(&fields, LEDGER_CWD, "/home/alice");
    made_field(&fields, LEDGER_ARGV, LEDGER_FIELD_CUT, argv, sizeof argv - 1);
    made_field(&fields, LEDGER_ENV, 0, "A=1\0B=\0", 7);
    made_field(&fields, LEDGER_OBJECT, 0, object, sizeof object - 1);
    made_field(&fields, LEDGER_OBJECT, 0, bare, sizeof bare - 1);
    made_field(&fields, LEDGER_WATERMARK, 0, "\x02note", 5);
    made_field(&fields, LEDGER_ANCESTOR, 0, ancestor, sizeof ancestor - 1);
    made_field(&fields, LEDGER_BUILD_ID, 0, "\0\xff", 2);
    made_text(&fields, LEDGER_TASK, "4294967291.7.63");
    made_text(&fields, LEDGER_LOADED, "/lib/plugin.so");
    made_text(&fields, LEDGER_CONTAINER, "apptainer");
    made_field(&fields, (enum ledger_field_kind)99, 0, "future", 6);
    made_start(&made);
    made_add(&made, &slot, 0, &fields);

    struct captures captures = read_made();
    assert_int_equal(captures.count, 1);
    assert_int_equal(captures.damaged, 0);
    assert_int_equal(captures.dropped, 0);
    const struct capture *capture = &captures.capture[0];
    assert_int_equal(capture->pid, 10);
    assert_int_equal(capture->ppid, 1);
    assert_int_equal(capture->start_ticks, 1010);
    assert_int_equal(capture->start_ns, 5000);
    assert_int_equal(capture->end_ns, 9000);
    assert_memory_equal(capture->uuid, slot.uuid, 16);
    assert_int_equal(capture->rank, 3);
    assert_int_equal(capture->size, 8);
    assert_true(capture->step == 4294967291u);
    assert_int_equal(capture->task, 7);
    assert_int_equal(capture->task_pid, 63);
    assert_true(capture->random == UINT64_MAX);
    assert_true(capture->probability == 0.25);
    assert_int_equal(capture->signal, 15);
    assert_int_equal(capture->gpus, 2);
    assert_text(capture->container, "apptainer");
    assert_true(capture->cut);
    assert_text(capture->exec, "/bin/x");
    assert_false(capture->exec.cut);
    assert_text(capture->cwd, "/home/alice");
    assert_bytes(capture->argv, argv, sizeof argv - 1);
    assert_true(capture->argv.cut);
    assert_bytes(capture->env, "A=1\0B=\0", 7);
    assert_bytes(capture->watermark, "\x02note", 5);
    assert_bytes(capture->build_id, "\0\xff", 2);
    assert_int_equal(capture->object_count, 3);
    assert_text(capture->objects[2].path, "/lib/plugin.so");
    assert_null(capture->objects[2].build_id.at);
    assert_bytes(capture->objects[0].build_id, "\x01\x02\x03\x04", 4);
    assert_text(capture->objects[0].path, "/lib/libc.so");
    assert_int_equal(capture->objects[1].build_id.size, 0);
    assert_text(capture->objects[1].path, "/lib/ld.so");
    assert_int_equal(capture->ancestor_count, 1);
    assert_int_equal(capture->ancestors[0].pid, 0x63);
    assert_text(capture->ancestors[0].name, "bash");
    assert_text(capture->ancestors[0].path, "/bin/bash");
    assert_bytes(capture->ancestors[0].argv, "bash\0-l\0", 8);
    captures_free(&captures);
    assert_int_equal(captures.count, 0);
}

static void fields_that_are_missing_are_null(void **state)
{
    one_capture();
    struct captures captures = read_made();
    const struct capture *capture = &captures.capture[0];
    (void)state;
    assert_null(capture->cwd.at);
    assert_null(capture->argv.at);
    assert_null(capture->env.at);
    assert_null(capture->watermark.at);
    assert_null(capture->build_id.at);
    assert_null(capture->container.at);
    assert_int_equal(capture->task_pid, 0);
    assert_true(capture->probability == 0);
    assert_int_equal(capture->signal, 0);
    assert_int_equal(capture->object_count, 0);
    assert_int_equal(capture->ancestor_count, 0);
    assert_true(capture->name_space == 0);
    assert_true(capture->step == UINT32_MAX);
    assert_true(capture->task == UINT32_MAX);
    assert_false(capture->cut);
    captures_free(&captures);
}

static void only_an_ended_capture_has_an_end(void **state)
{
    size_t at = one_capture();
    (void)state;
    made_at(&made, at)->end_ns = 9000;
    struct captures captures = read_made();
    assert_int_equal(captures.capture[0].end_ns, 0);
    captures_free(&captures);
    made_at(&made, at)->state = LEDGER_ENDED;
    captures = read_made();
    assert_int_equal(captures.capture[0].end_ns, 9000);
    captures_free(&captures);
}

static void a_process_without_ranks_is_one_rank(void **state)
{
    size_t at = one_capture();
    (void)state;
    made_at(&made, at)->size = 0;
    struct captures captures = read_made();
    assert_int_equal(captures.capture[0].size, 1);
    captures_free(&captures);
}

static void numbers_that_cannot_be_are_taken_as_missing(void **state)
{
    static const double probabilities[] = {-1, -0.0, 1.0001, 1e300, NAN, INFINITY, -INFINITY};
    size_t at = one_capture();
    (void)state;
    made_at(&made, at)->signal = 128;
    for (size_t i = 0; i < sizeof probabilities / sizeof probabilities[0]; i++) {
        made_at(&made, at)->probability = probabilities[i];
        struct captures captures = read_made();
        assert_true(captures.capture[0].probability == 0);
        assert_int_equal(captures.capture[0].signal, 0);
        captures_free(&captures);
    }
    made_at(&made, at)->probability = 1;
    made_at(&made, at)->signal = 127;
    struct captures captures = read_made();
    assert_true(captures.capture[0].probability == 1);
    assert_int_equal(captures.capture[0].signal, 127);
    captures_free(&captures);
}

static void slots_of_every_class_are_read_in_their_order(void **state)
{
    (void)state;
    made_start(&made);
    for (unsigned class = 0; class < LEDGER_CLASSES; class ++) {
        static char argv[LEDGER_SLOT_MAX];
        struct ledger_slot slot = made_slot(10 + (int32_t) class, 5000);
        size_t room = (LEDGER_PAGE << class) - sizeof slot;
        fields.size = 0;
        made_text(&fields, LEDGER_EXEC, "/bin/x"); /* 16 bytes with its head and padding */
        memset(argv, 'a' + (int)class, sizeof argv);
        made_field(&fields, LEDGER_ARGV, 0, argv, room - 16 - sizeof(struct ledger_field));
        assert_int_equal(fields.size, room); /* filled to the last byte */
        made_add(&made, &slot, class, &fields);
    }
    struct captures captures = read_made();
    assert_int_equal(captures.count, LEDGER_CLASSES);
    assert_int_equal(captures.damaged, 0);
    for (unsigned class = 0; class < LEDGER_CLASSES; class ++) {
        const struct capture *capture = &captures.capture[class];
        assert_int_equal(capture->pid, 10 + (int)class);
        assert_int_equal(capture->argv.size,
                         (LEDGER_PAGE << class) - sizeof(struct ledger_slot) - 24);
        assert_int_equal(capture->argv.at[capture->argv.size - 1], 'a' + (int)class);
    }
    captures_free(&captures);
}

static void freed_slots_and_holes_are_passed_over(void **state)
{
    size_t first = one_capture();
    struct ledger_slot slot = made_slot(11, 5000);
    (void)state;
    size_t freed = made_add(&made, &slot, 2, &fields);
    made_at(&made, freed)->state = LEDGER_FREE;
    slot.pid = 12;
    size_t hole = made_add(&made, &slot, 1, &fields);
    memset(made.bytes + hole, 0, 2 * LEDGER_PAGE);
    slot.pid = 13;
    made_add(&made, &slot, 0, &fields);
    assert_int_equal(first, LEDGER_PAGE);
    struct captures captures = read_made();
    assert_int_equal(captures.count, 2);
    assert_int_equal(captures.capture[0].pid, 10);
    assert_int_equal(captures.capture[1].pid, 13);
    assert_int_equal(captures.damaged, 0);
    captures_free(&captures);
}

static void what_found_no_room_is_summed(void **state)
{
    one_capture();
    (void)state;
    for (unsigned i = 0; i < LEDGER_DROPS; i++)
        made_header(&made)->dropped[i] = (uint64_t)1 << 8 * i;
    struct captures captures = read_made();
    assert_true(captures.dropped == 0x010101);
    captures_free(&captures);
}

static void what_is_no_ledger_is_refused(void **state)
{
    struct ledger_reader reader = {.damaged = 77};
    (void)state;
    one_capture();
    made.bytes[0] ^= 1;
    int fd = made_file(&made, made.size);
    assert_int_equal(ledger_open(fd, &reader), -EINVAL);
    close(fd);
    one_capture();
    for (size_t size = 0; size < sizeof(struct ledger_header); size++) {
        fd = made_file(&made, size);
        assert_int_equal(ledger_open(fd, &reader), -EINVAL);
        close(fd);
    }
    assert_int_equal(reader.damaged, 77);
    assert_int_equal(ledger_open(-1, &reader), -EBADF);
    fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(ledger_open(fd, &reader), -EISDIR);
    close(fd);
}

/* Damage done to the middle one of three slots; how many slots then count as damaged. */
static void wrong_magic(struct ledger_slot *slot)
{
    slot->magic++;
}

static void wrong_offset(struct ledger_slot *slot)
{
    slot->offset += LEDGER_PAGE;
}

static void no_bytes(struct ledger_slot *slot)
{
    slot->slot_bytes = 0;
}

static void too_many_bytes(struct ledger_slot *slot)
{
    slot->slot_bytes = LEDGER_SLOT_MAX * 2;
}

static void huge_bytes(struct ledger_slot *slot)
{
    slot->slot_bytes = UINT32_MAX;
}

static void odd_bytes(struct ledger_slot *slot)
{
    slot->slot_bytes = LEDGER_PAGE + 1;
}

static void three_pages(struct ledger_slot *slot)
{
    slot->slot_bytes = LEDGER_PAGE * 3;
}

static void unknown_state(struct ledger_slot *slot)
{
    slot->state = 3;
}

static void no_pid(struct ledger_slot *slot)
{
    slot->pid = 0;
}

static void negative_pid(struct ledger_slot *slot)
{
    slot->pid = -1;
}

static void no_start(struct ledger_slot *slot)
{
    slot->start_ns = 0;
}

static void fields_beyond_the_slot(struct ledger_slot *slot)
{
    slot->fields_bytes = slot->slot_bytes - (uint32_t)sizeof *slot + 1;
}

static void huge_fields(struct ledger_slot *slot)
{
    slot->fields_bytes = UINT32_MAX;
}

static void no_fields(struct ledger_slot *slot)
{
    slot->fields_bytes = 0;
}

static void half_a_field(struct ledger_slot *slot)
{
    slot->fields_bytes = 7;
}

static struct ledger_field *first_field(struct ledger_slot *slot)
{
    return (struct ledger_field *)(void *)(slot + 1);
}

static void length_beyond_the_fields(struct ledger_slot *slot)
{
    first_field(slot)->length = slot->fields_bytes;
}

static void huge_length(struct ledger_slot *slot)
{
    first_field(slot)->length = UINT32_MAX;
}

static void no_exec(struct ledger_slot *slot)
{
    first_field(slot)->kind = LEDGER_CWD;
}

static void an_empty_exec(struct ledger_slot *slot)
{
    first_field(slot)->length = 0;
    slot->fields_bytes = 8;
}

static void a_damaged_slot_is_counted_and_its_neighbours_are_read(void **state)
{
    static const struct {
        const char *name;
        void (*damage)(struct ledger_slot *);
    } cases[] = {
        {"wrong magic", wrong_magic},
        {"wrong offset", wrong_offset},
        {"no bytes", no_bytes},
        {"too many bytes", too_many_bytes},
        {"huge bytes", huge_bytes},
        {"odd bytes", odd_bytes},
        {"three pages", three_pages},
        {"unknown state", unknown_state},
        {"no pid", no_pid},
        {"negative pid", negative_pid},
        {"no start", no_start},
        {"fields beyond the slot", fields_beyond_the_slot},
        {"huge fields", huge_fields},
        {"no fields", no_fields},
        {"half a field", half_a_field},
        {"length beyond the fields", length_beyond_the_fields},
        {"huge length", huge_length},
        {"no exec", no_exec},
        {"an empty exec", an_empty_exec},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        one_capture();
        struct ledger_slot slot = made_slot(11, 5000);
        size_t middle = made_add(&made, &slot, 0, &fields);
        slot.pid = 12;
        made_add(&made, &slot, 0, &fields);
        cases[i].damage(made_at(&made, middle));
        struct captures captures = read_made();
        if (captures.count != 2 || captures.damaged != 1)
            fail_msg("%s: %zu read, %zu damaged", cases[i].name, captures.count, captures.damaged);
        assert_int_equal(captures.capture[0].pid, 10);
        assert_int_equal(captures.capture[1].pid, 12);
        captures_free(&captures);
    }
}

static void malformed_contents_are_left_out_of_a_sound_capture(void **state)
{
    static const char *const tasks[] = {"",
                                        "1",
                                        "1.",
                                        ".1",
                                        "1.x",
                                        "x.1",
                                        "1.2.x",
                                        "1.2.3 ",
                                        "1.2.3.4",
                                        "4294967296.0",
                                        "0.4294967296",
                                        "-1.0",
                                        "11111111111111111111111111111.1"};
    (void)state;
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        struct ledger_slot slot = made_slot(10, 5000);
        fields.size = 0;
        made_text(&fields, LEDGER_EXEC, "/bin/x");
        made_text(&fields, LEDGER_TASK, tasks[i]);
        made_field(&fields, LEDGER_OBJECT, 0, "", 0); /* not even a length */
        made_field(&fields, LEDGER_OBJECT, 0,
                   "\x05"
                   "abc",
                   4);                                        /* a build-id beyond the end */
        made_field(&fields, LEDGER_ANCESTOR, 0, "\1\0\0", 3); /* not even a pid */
        made_start(&made);
        made_add(&made, &slot, 0, &fields);
        struct captures captures = read_made();
        assert_int_equal(captures.count, 1);
        assert_int_equal(captures.capture[0].object_count, 0);
        assert_int_equal(captures.capture[0].ancestor_count, 0);
        if (captures.capture[0].step != UINT32_MAX || captures.capture[0].task != UINT32_MAX)
            fail_msg("%s is step %u, task %u", tasks[i], captures.capture[0].step,
                     captures.capture[0].task);
        captures_free(&captures);
    }
}

static void an_ancestor_may_end_early(void **state)
{
    static const char whole[] = "\x01\0\0\0sh\0/bin/sh\0sh\0";
    (void)state;
    for (size_t size = 4; size < sizeof whole; size++) {
        struct ledger_slot slot = made_slot(10, 5000);
        fields.size = 0;
        made_text(&fields, LEDGER_EXEC, "/bin/x");
        made_field(&fields, LEDGER_ANCESTOR, 0, whole, size);
        made_start(&made);
        made_add(&made, &slot, 0, &fields);
        struct captures captures = read_made();
        assert_int_equal(captures.capture[0].ancestor_count, 1);
        const struct capture_ancestor *ancestor = &captures.capture[0].ancestors[0];
        assert_int_equal(ancestor->name.size, size < 6 ? size - 4 : 2);
        assert_int_equal(ancestor->path.size, size < 7 ? 0 : size < 14 ? size - 7 : 7);
        assert_int_equal(ancestor->argv.size, size < 15 ? 0 : size - 15);
        captures_free(&captures);
    }
}

static void no_more_objects_and_ancestors_than_allowed_are_kept(void **state)
{
    struct ledger_slot slot = made_slot(10, 5000);
    (void)state;
    fields.size = 0;
    made_text(&fields, LEDGER_EXEC, "/bin/x");
    for (int i = 0; i < CAPTURE_OBJECTS_MAX + 5; i++)
        made_field(&fields, LEDGER_OBJECT, 0, "\0/x", 3);
    for (int i = 0; i < CAPTURE_ANCESTORS_MAX + 5; i++)
        made_field(&fields, LEDGER_ANCESTOR, 0, "\1\0\0\0", 4);
    made_start(&made);
    made_add(&made, &slot, 4, &fields);
    struct captures captures = read_made();
    assert_int_equal(captures.count, 1);
    assert_int_equal(captures.capture[0].object_count, CAPTURE_OBJECTS_MAX);
    assert_int_equal(captures.capture[0].ancestor_count, CAPTURE_ANCESTORS_MAX);
    captures_free(&captures);
}

static void used_bytes_beyond_the_file_are_not_read(void **state)
{
    static const uint64_t used[] = {MADE_LEDGER_MAX, UINT64_MAX, (uint64_t)INT64_MAX,
                                    (uint64_t)INT64_MAX + 1};
    (void)state;
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
        one_capture();
        made_header(&made)->used_bytes = used[i];
        struct captures captures = read_made();
        assert_int_equal(captures.count, 1);
        assert_int_equal(captures.damaged, 0);
        captures_free(&captures);
    }
}

static void what_lies_beyond_used_bytes_is_not_looked_at(void **state)
{
    one_capture();
    (void)state;
    made_header(&made)->used_bytes = LEDGER_PAGE;
    struct captures captures = read_made();
    assert_int_equal(captures.count, 0);
    captures_free(&captures);
    made_header(&made)->used_bytes = 0;
    captures = read_made();
    assert_int_equal(captures.count, 0);
    captures_free(&captures);
}

static void an_endless_file_is_read_to_a_bound(void **state)
{
    (void)state;
    one_capture();
    made_header(&made)->used_bytes = UINT64_MAX;
    int fd = made_file(&made, made.size);
    assert_int_equal(ftruncate(fd, (off_t)1 << 46), 0); /* 17 000 million pages */
    struct captures captures = read_file(fd);
    assert_int_equal(captures.count, 1);
    assert_int_equal(captures.damaged, 0);
    captures_free(&captures);
    close(fd);
}

static void a_capture_is_found_again_as_it_is_now(void **state)
{
    struct ledger_reader reader;
    struct capture capture;
    struct ledger_slot slot = made_slot(11, 5000);
    (void)state;
    one_capture();
    size_t second = made_add(&made, &slot, 1, &fields);
    int fd = made_file(&made, made.size);
    assert_int_equal(ledger_open(fd, &reader), 0);
    assert_int_equal(ledger_next(&reader, &capture), 1);
    assert_int_equal(ledger_at(&reader, second, &capture), 1);
    assert_int_equal(capture.pid, 11);
    assert_true(capture.offset == second);
    slot = *made_at(&made, second);
    slot.state = LEDGER_FREE;
    assert_int_equal(pwrite(fd, &slot, sizeof slot, (off_t)second), sizeof slot);
    assert_int_equal(ledger_at(&reader, second, &capture), 0);
    slot.state = 77;
    assert_int_equal(pwrite(fd, &slot, sizeof slot, (off_t)second), sizeof slot);
    assert_int_equal(ledger_at(&reader, second, &capture), -EINVAL);
    assert_int_equal(reader.damaged, 0);
    assert_int_equal(ledger_next(&reader, &capture), 0); /* where it was before */
    assert_int_equal(reader.damaged, 1);
    ledger_close(&reader);
    close(fd);
}

static void a_namespace_is_a_number_or_another_one_than_any(void **state)
{
    static const struct {
        const char *text;
        uint64_t found;
    } cases[] = {
        {"pid:[4026531836]", 4026531836u},
        {"pid:[1]", 1},
        {"pid:[0]", UINT64_MAX},
        {"pid:[]", UINT64_MAX},
        {"pid:[", UINT64_MAX},
        {"pid:[12", UINT64_MAX},
        {"pid:[12]]", UINT64_MAX},
        {"pid:[1x]", UINT64_MAX},
        {"net:[12]", UINT64_MAX},
        {"pid:[99999999999999999999999]", UINT64_MAX},
        {"", UINT64_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ledger_slot slot = made_slot(10, 5000);
        fields.size = 0;
        made_text(&fields, LEDGER_EXEC, "/bin/x");
        made_text(&fields, LEDGER_NAMESPACE, cases[i].text);
        made_start(&made);
        made_add(&made, &slot, 0, &fields);
        struct captures captures = read_made();
        if (captures.capture[0].name_space != cases[i].found)
            fail_msg("%s: %llu", cases[i].text, (unsigned long long)captures.capture[0].name_space);
        captures_free(&captures);
    }
}

static void a_file_cut_at_any_length_gives_the_whole_captures_before(void **state)
{
    one_capture();
    struct ledger_slot slot = made_slot(11, 5000);
    size_t second = made_add(&made, &slot, 0, &fields);
    size_t end = second + sizeof slot + fields.size;
    (void)state;
    for (size_t size = sizeof(struct ledger_header); size <= made.size; size++) {
        struct captures captures = read_cut(size);
        size_t expected = size >= end ? 2 : size >= end - LEDGER_PAGE ? 1 : 0;
        if (captures.count != expected)
            fail_msg("%zu bytes: %zu captures", size, captures.count);
        captures_free(&captures);
    }
}

/* A ledger with a bit of everything. */
static void full_ledger(void)
{
    made_start(&made);
    for (int i = 0; i < 6; i++) {
        struct ledger_slot slot = made_slot(10 + i, 5000);
        slot.state = i % 2 == 0 ? LEDGER_OPEN : LEDGER_ENDED;
        fields.size = 0;
        made_text(&fields, LEDGER_EXEC, "/bin/x");
        made_field(&fields, LEDGER_ARGV, 0, "x\0-a\0", 5);
        made_field(&fields, LEDGER_ENV, 0, "A=1\0", 4);
        made_field(&fields, LEDGER_OBJECT, 0, "\x02\x01\x02/lib/libc.so", 15);
        made_field(&fields, LEDGER_ANCESTOR, 0, "\x01\0\0\0sh\0/bin/sh\0sh\0", 18);
        made_text(&fields, LEDGER_TASK, "0.1");
        made_add(&made, &slot, (unsigned)i % 3, &fields);
    }
}

/* Reads every byte that a capture points to, so that AddressSanitizer sees it. */
static unsigned touch(struct capture_bytes bytes)
{
    unsigned sum = 0;
    for (size_t i = 0; i < bytes.size; i++)
        sum += (unsigned char)bytes.at[i];
    return sum;
}

static unsigned touch_all(const struct capture *capture)
{
    unsigned sum = touch(capture->exec) + touch(capture->cwd) + touch(capture->argv) +
                   touch(capture->env) + touch(capture->watermark) + touch(capture->build_id);
    for (size_t k = 0; k < capture->object_count; k++)
        sum += touch(capture->objects[k].path) + touch(capture->objects[k].build_id);
    for (size_t k = 0; k < capture->ancestor_count; k++)
        sum += touch(capture->ancestors[k].name) + touch(capture->ancestors[k].path) +
               touch(capture->ancestors[k].argv);
    return sum;
}

/* Flips a few bits where they hurt: in the header, in the heads of slots and in fields. */
static void flipped_bits_never_break_the_reader(void **state)
{
    uint64_t random = 20240131;
    const char *soak = getenv("JOBTRAIL_SOAK");
    int rounds = soak != NULL && soak[0] == '1' ? 1000000 : 40000;
    volatile unsigned sum = 0;
    size_t read = 0;
    (void)state;
    full_ledger();
    int fd = made_file(&made, made.size);
    unsigned char *bytes = mmap(NULL, made.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(bytes != MAP_FAILED);
    for (int round = 0; round < rounds; round++) {
        size_t at[8];
        unsigned flips = 1 + (unsigned)(made_random(&random) % 8);
        for (unsigned i = 0; i < flips; i++) {
            size_t page = (size_t)(made_random(&random) % (made.size / LEDGER_PAGE));
            at[i] = page * LEDGER_PAGE + (size_t)(made_random(&random) % 256);
            bytes[at[i]] ^= (unsigned char)(1u << made_random(&random) % 8);
        }
        struct ledger_reader reader;
        struct capture capture;
        size_t count = 0;
        int result = ledger_open(fd, &reader);
        assert_true(result == 0 || result == -EINVAL);
        while (result == 0 && (result = ledger_next(&reader, &capture)) == 1) {
            sum += touch_all(&capture);
            count++;
            result = 0;
        }
        if (result == 0)
            ledger_close(&reader);
        assert_true(count <= made.size / LEDGER_PAGE);
        read += count;
        for (unsigned i = 0; i < flips; i++)
            bytes[at[i]] = made.bytes[at[i]];
    }
    assert_true(read > (size_t)rounds); /* not all were refused at the door */
    munmap(bytes, made.size);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_capture_has_every_field),
        cmocka_unit_test(fields_that_are_missing_are_null),
        cmocka_unit_test(only_an_ended_capture_has_an_end),
        cmocka_unit_test(a_process_without_ranks_is_one_rank),
        cmocka_unit_test(numbers_that_cannot_be_are_taken_as_missing),
        cmocka_unit_test(slots_of_every_class_are_read_in_their_order),
        cmocka_unit_test(freed_slots_and_holes_are_passed_over),
        cmocka_unit_test(what_found_no_room_is_summed),
        cmocka_unit_test(what_is_no_ledger_is_refused),
        cmocka_unit_test(a_damaged_slot_is_counted_and_its_neighbours_are_read),
        cmocka_unit_test(malformed_contents_are_left_out_of_a_sound_capture),
        cmocka_unit_test(an_ancestor_may_end_early),
        cmocka_unit_test(no_more_objects_and_ancestors_than_allowed_are_kept),
        cmocka_unit_test(used_bytes_beyond_the_file_are_not_read),
        cmocka_unit_test(what_lies_beyond_used_bytes_is_not_looked_at),
        cmocka_unit_test(an_endless_file_is_read_to_a_bound),
        cmocka_unit_test(a_capture_is_found_again_as_it_is_now),
        cmocka_unit_test(a_namespace_is_a_number_or_another_one_than_any),
        cmocka_unit_test(a_file_cut_at_any_length_gives_the_whole_captures_before),
        cmocka_unit_test(flipped_bits_never_break_the_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
