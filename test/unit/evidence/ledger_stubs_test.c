/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stubs out of ledgers: what they say, beside which captures they stand, and what is made of those
 * that lie.
 */
#include <limits.h>

#include "submit/evidence/succession.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_captures.h"

#define S UINT64_C(1000000000)

static struct made_fields exec, rest;

static struct ledger_stub stub_of(int32_t pid, uint64_t start_ns)
{
    return (struct ledger_stub){
        .start_ns = start_ns,
        .end_ns = start_ns + S,
        .elapsed_ns = S,
        .start_ticks = 7,
        .pid = pid,
        .ppid = 3,
        .size = 1,
    };
}

static void set_exec(const char *path)
{
    exec.size = 0;
    made_text(&exec, LEDGER_EXEC, path);
}

static void set_rest(const char *task, int32_t parent)
{
    const int32_t parents[] = {parent, 2};
    rest.size = 0;
    made_text(&rest, LEDGER_TASK, task);
    made_field(&rest, LEDGER_PARENTS, 0, parents, sizeof parents);
}

/* A capture of /bin/x with a stub of /bin/y. Returns where the slot lies. */
static size_t one_stub(uint32_t *place)
{
    size_t slot = one_capture();
    const struct ledger_stub stub = stub_of(20, 6 * S);
    set_exec("/bin/y");
    set_rest("4.5.2", 3);
    *place = made_stub(&made, slot, &stub, &exec, &rest);
    return slot;
}

static struct ledger_stub *stub_at(size_t slot, uint32_t place)
{
    return (struct ledger_stub *)(void *)(made.bytes + slot + place);
}

TEST(a_stub_says_who_ran_what_and_when)
{
    uint32_t place;
    size_t slot = one_stub(&place);
    struct captures captures = read_made();
    assert_int_equal(captures.count, 2);
    assert_int_equal(captures.damaged, 0);
    assert_false(captures.capture[0].is_stub);
    assert_text(captures.capture[0].exec, "/bin/x");
    const struct capture *stub = &captures.capture[1];
    assert_true(stub->is_stub);
    assert_int_equal(stub->offset, slot);
    assert_int_equal(stub->stub, place);
    assert_int_equal(stub->pid, 20);
    assert_int_equal(stub->ppid, 3);
    assert_int_equal(stub->step, 4);
    assert_int_equal(stub->task, 5);
    assert_int_equal(stub->task_pid, 2);
    assert_int_equal(stub->start_ns, 6 * S);
    assert_int_equal(stub->end_ns, 7 * S);
    assert_int_equal(stub->start_ticks, 7);
    assert_int_equal(stub->ancestor_count, 2);
    assert_int_equal(stub->ancestors[0].pid, 3);
    assert_int_equal(stub->ancestors[1].pid, 2);
    assert_int_equal(stub->ancestors[0].name.size, 0);
    assert_text(stub->exec, "/bin/y");
    captures_free(&captures);
}

TEST(stubs_refer_to_what_older_ones_say)
{
    uint32_t place;
    size_t slot = one_stub(&place);
    struct ledger_stub stub = stub_of(21, 8 * S);
    made_stub(&made, slot, &stub, NULL, NULL);
    stub.pid = 22;
    set_exec("/bin/z");
    made_stub(&made, slot, &stub, &exec, NULL);
    stub.pid = 23;
    set_rest("4.6.9", 9);
    made_stub(&made, slot, &stub, NULL, &rest);
    struct captures captures = read_made();
    static const struct {
        int32_t pid;
        const char *exec;
        uint32_t task;
    } expected[] = {{23, "/bin/z", 6}, {22, "/bin/z", 5}, {21, "/bin/y", 5}, {20, "/bin/y", 5}};
    assert_int_equal(captures.count, 5);
    for (size_t i = 0; i < 4; i++) { /* the newest one comes first */
        assert_int_equal(captures.capture[i + 1].pid, expected[i].pid);
        assert_text(captures.capture[i + 1].exec, expected[i].exec);
        assert_int_equal(captures.capture[i + 1].task, expected[i].task);
    }
    captures_free(&captures);
}

TEST(the_stubs_of_a_free_slot_are_read_and_its_capture_is_not)
{
    uint32_t place;
    size_t slot = one_stub(&place);
    made_at(&made, slot)->state = LEDGER_FREE;
    struct captures captures = read_made();
    assert_int_equal(captures.count, 1);
    assert_true(captures.capture[0].is_stub);
    captures_free(&captures);
}

TEST(what_was_left_without_a_stub_is_counted)
{
    one_capture();
    made_header(&made)->others_runs = 5;
    made_header(&made)->others_ns = 6 * S;
    struct captures captures = read_made();
    assert_int_equal(captures.reader[0].others_runs, 5);
    assert_int_equal(captures.reader[0].others_ns, 6 * S);
    captures_free(&captures);
}

/* A user may write any number there. */
TEST(no_counter_is_more_than_processes_count)
{
    one_capture();
    made_header(&made)->others_runs = (UINT64_C(1) << 63) + 1;
    for (int i = 0; i < LEDGER_DROPS; i++)
        made_header(&made)->dropped[i] = UINT64_MAX;
    struct captures captures = read_made();
    assert_int_equal(captures.reader[0].others_runs, UINT32_MAX);
    assert_int_equal(captures.reader[0].dropped, UINT32_MAX);
    captures_free(&captures);
}

static void expect_damage(size_t count)
{
    struct captures captures = read_made();
    assert_int_equal(captures.count, count);
    assert_int_equal(captures.damaged, 1);
    captures_free(&captures);
}

TEST(a_stub_that_lies_is_damaged_and_its_slots_capture_is_not)
{
    uint32_t place;
#define LIE(member, value)                                                                         \
    do {                                                                                           \
        size_t lying = one_stub(&place);                                                           \
        stub_at(lying, place)->member = value;                                                     \
        expect_damage(1);                                                                          \
    } while (0)
    LIE(pid, 0);
    LIE(pid, -1);
    LIE(start_ns, 0);
    LIE(field_units, UINT16_MAX);
    LIE(exec_at, 0);
    LIE(exec_at, UINT16_MAX);
    LIE(rest_at, UINT16_MAX);
    LIE(exec_at, stub_at(lying, place)->rest_at); /* another field */
    LIE(rest_units, UINT8_MAX);
#undef LIE
}

/* Stubs may share one path: it must cost no more than a path. */
TEST(a_stub_has_a_path_of_the_kernels_or_is_damaged)
{
    static char path[PATH_MAX + 1];
    const struct ledger_stub stub = stub_of(20, 6 * S);
    for (size_t length = PATH_MAX - 1; length <= PATH_MAX; length++) {
        memset(path, 'x', length);
        path[0] = '/';
        const struct ledger_slot head = *made_at(&made, one_capture());
        made_start(&made);
        size_t slot = made_add(&made, &head, 2, &fields);
        set_exec(path);
        set_rest("4.5.2", 3);
        made_stub(&made, slot, &stub, &exec, &rest);
        struct captures captures = read_made();
        assert_int_equal(captures.count, length < PATH_MAX ? 2 : 1);
        assert_int_equal(captures.damaged, length < PATH_MAX ? 0 : 1);
        captures_free(&captures);
    }
}

TEST(stubs_that_are_more_than_the_slot_has_room_for_are_none)
{
    uint32_t place;
    size_t slot = one_stub(&place);
    made_at(&made, slot)->stub_units = UINT16_MAX;
    expect_damage(0);
    slot = one_stub(&place); /* they reach into the fields of the capture */
    made_at(&made, slot)->stub_units =
        (LEDGER_PAGE - sizeof(struct ledger_slot)) / LEDGER_STUB_UNIT;
    struct captures captures = read_made();
    assert_int_equal(captures.count, 0);
    assert_true(captures.damaged > 0);
    captures_free(&captures);
}

TEST(the_fields_of_a_stub_are_its_slots)
{
    uint32_t place;
    size_t slot = one_stub(&place);
    struct ledger_field *field = (void *)(made.bytes + slot + place + sizeof(struct ledger_stub));
    field->length = UINT32_MAX;
    expect_damage(1);
    slot = one_stub(&place);
    struct captures captures = read_cut(slot + place + 1); /* the file ends before */
    assert_int_equal(captures.count, 1);
    assert_int_equal(captures.damaged, 1);
    captures_free(&captures);
}

TEST(a_stub_is_found_again_and_is_the_next_program_of_its_process)
{
    uint32_t place;
    size_t slot = one_capture();
    const struct ledger_slot *first = made_at(&made, slot);
    struct ledger_stub stub = stub_of(first->pid, 6 * S);
    struct ledger_reader reader;
    struct succession succession = {.count = 0};
    struct capture capture;
    stub.start_ticks = first->start_ticks;
    set_exec("/bin/y");
    set_rest("4.5.2", 3);
    place = made_stub(&made, slot, &stub, &exec, &rest);
    int fd = made_file(&made, made.size);
    assert_int_equal(ledger_open(fd, UINT64_C(1) << 30, &reader), 0);
    assert_int_equal(succession_read(&reader, &succession), 0);
    assert_int_equal(succession.count, 2);
    assert_int_equal(succession.entry[0].next_ns, 6 * S);
    assert_int_equal(succession.entry[1].stub, place);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(succession_capture(&reader, &succession.entry[i], &capture), 1);
        assert_int_equal(capture.is_stub, i);
    }
    assert_text(capture.exec, "/bin/y");
    /* another one stands there now */
    stub.pid++;
    assert_int_equal(pwrite(fd, &stub, sizeof stub, (off_t)(slot + place)), sizeof stub);
    assert_int_equal(succession_capture(&reader, &succession.entry[0], &capture), 1);
    assert_int_not_equal(succession_capture(&reader, &succession.entry[1], &capture), 1);
    succession_free(&succession);
    ledger_close(&reader);
    close(fd);
}

static void expect_step(uint64_t start_ns, uint64_t end_ns, uint64_t elapsed_ns, int is_known,
                        int64_t step_ns)
{
    struct ledger_slot *slot = made_at(&made, one_capture());
    slot->state = LEDGER_ENDED;
    slot->start_ns = start_ns;
    slot->end_ns = end_ns;
    slot->elapsed_ns = elapsed_ns;
    struct captures captures = read_made();
    assert_int_equal(captures.count, 1);
    assert_int_equal(captures.capture[0].has_clock_step, is_known);
    assert_int_equal(captures.capture[0].clock_step_ns, step_ns);
    captures_free(&captures);
}

TEST(a_clock_that_was_set_differs_from_one_that_nobody_sets)
{
    const int64_t hour = 3600 * (int64_t)S;
    expect_step(5 * S, 15 * S, 10 * S, 1, 0);
    expect_step(5 * S, 15 * S, 10 * S - 99000000, 1, 0); /* the clocks' error */
    expect_step(5 * S, 15 * S, 10 * S - 100000000, 1, 100000000);
    expect_step(5 * S, 15 * S + (uint64_t)hour, 10 * S, 1, hour);
    expect_step(5 * S + (uint64_t)hour, 15 * S, 10 * S, 1, -hour);
    expect_step(5 * S, 15 * S, 0, 0, 0);
    expect_step(5 * S, 0, 10 * S, 0, 0);
    /* what nobody's clock says */
    expect_step(1, UINT64_MAX, 1, 0, 0);
    expect_step(UINT64_MAX, 1, 1, 0, 0);
    expect_step(1, 1, UINT64_MAX, 0, 0);
}

TEST(what_a_process_that_lives_has_written_is_no_end)
{
    struct ledger_slot *slot = made_at(&made, one_capture());
    slot->end_ns = 15 * S;
    slot->elapsed_ns = 10 * S;
    struct captures captures = read_made();
    assert_false(captures.capture[0].has_clock_step);
    assert_int_equal(captures.capture[0].elapsed_ns, 0);
    captures_free(&captures);
}
