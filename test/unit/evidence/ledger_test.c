/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading ledgers.
 */
#include <math.h>

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_captures.h"

TEST(a_capture_has_every_field)
{
    static const char object[] = "\x04\x01\x02\x03\x04/lib/libc.so", bare[] = "\0/lib/ld.so";
    static const char ancestor[] = "\x63\0\0\0bash\0/bin/bash\0bash\0-l\0";
    static const char argv[] = "x\0\0-a b\0";
    struct ledger_slot slot = made_slot(10, 5000);
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

TEST(fields_that_are_missing_are_null)
{
    one_capture();
    struct captures captures = read_made();
    const struct capture *capture = &captures.capture[0];
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

TEST(only_an_ended_capture_has_an_end)
{
    size_t at = one_capture();
    made_at(&made, at)->end_ns = 9000;
    struct captures captures = read_made();
    assert_int_equal(captures.capture[0].end_ns, 0);
    captures_free(&captures);
    made_at(&made, at)->state = LEDGER_ENDED;
    captures = read_made();
    assert_int_equal(captures.capture[0].end_ns, 9000);
    captures_free(&captures);
}

TEST(a_process_without_ranks_is_one_rank)
{
    size_t at = one_capture();
    made_at(&made, at)->size = 0;
    struct captures captures = read_made();
    assert_int_equal(captures.capture[0].size, 1);
    captures_free(&captures);
}

TEST(numbers_that_cannot_be_are_taken_as_missing)
{
    static const double probabilities[] = {-1, -0.0, 1.0001, 1e300, NAN, INFINITY, -INFINITY};
    size_t at = one_capture();
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

TEST(slots_of_every_class_are_read_in_their_order)
{
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

TEST(freed_slots_and_holes_are_passed_over)
{
    size_t first = one_capture();
    struct ledger_slot slot = made_slot(11, 5000);
    size_t freed = made_add(&made, &slot, 2, &fields);
    made_at(&made, freed)->state = LEDGER_FREE;
    slot.pid = 12;
    size_t hole = made_add(&made, &slot, 1, &fields);
    memset(made.bytes + hole, 0, 2 * LEDGER_PAGE);
    slot.pid = 13;
    made_add(&made, &slot, 0, &fields);
    assert_int_equal(first, LEDGER_FIRST);
    struct captures captures = read_made();
    assert_int_equal(captures.count, 2);
    assert_int_equal(captures.capture[0].pid, 10);
    assert_int_equal(captures.capture[1].pid, 13);
    assert_int_equal(captures.damaged, 0);
    captures_free(&captures);
}

TEST(what_found_no_room_is_summed)
{
    one_capture();
    for (unsigned i = 0; i < LEDGER_DROPS; i++)
        made_header(&made)->dropped[i] = (uint64_t)1 << 8 * i;
    struct captures captures = read_made();
    assert_true(captures.dropped == 0x010101);
    captures_free(&captures);
}

TEST(an_ancestor_may_end_early)
{
    static const char whole[] = "\x01\0\0\0sh\0/bin/sh\0sh\0";
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

TEST(a_capture_is_found_again_as_it_is_now)
{
    struct ledger_reader reader;
    struct capture capture;
    struct ledger_slot slot = made_slot(11, 5000);
    one_capture();
    size_t second = made_add(&made, &slot, 1, &fields);
    int fd = made_file(&made, made.size);
    assert_int_equal(ledger_open(fd, UINT64_C(1) << 30, &reader), 0);
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

TEST(a_namespace_is_a_number_or_another_one_than_any)
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
