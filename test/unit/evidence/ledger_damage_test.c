/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading ledgers such as a user may have written.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_captures.h"
#include "test/unit/fixture/made_random.h"

TEST(what_is_no_ledger_is_refused)
{
    struct ledger_reader reader = {.damaged = 77};
    one_capture();
    made.bytes[0] ^= 1;
    int fd = made_file(&made, made.size);
    assert_int_equal(ledger_open(fd, UINT64_C(1) << 30, &reader), -EINVAL);
    close(fd);
    one_capture();
    for (size_t size = 0; size < sizeof(struct ledger_header); size++) {
        fd = made_file(&made, size);
        assert_int_equal(ledger_open(fd, UINT64_C(1) << 30, &reader), -EINVAL);
        close(fd);
    }
    assert_int_equal(reader.damaged, 77);
    assert_int_equal(ledger_open(-1, UINT64_C(1) << 30, &reader), -EBADF);
    fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(ledger_open(fd, UINT64_C(1) << 30, &reader), -EISDIR);
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

TEST(a_damaged_slot_is_counted_and_its_neighbours_are_read)
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

TEST(malformed_contents_are_left_out_of_a_sound_capture)
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

TEST(no_more_objects_and_ancestors_than_allowed_are_kept)
{
    struct ledger_slot slot = made_slot(10, 5000);
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

TEST(used_bytes_beyond_the_file_are_not_read)
{
    static const uint64_t used[] = {MADE_LEDGER_MAX, UINT64_C(1) << 30, (uint64_t)INT64_MAX,
                                    (uint64_t)INT64_MAX + 1};
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
        one_capture();
        made_header(&made)->used_bytes = used[i];
        struct captures captures = read_made();
        assert_int_equal(captures.count, 1);
        assert_int_equal(captures.damaged, 0);
        captures_free(&captures);
    }
}

TEST(what_lies_beyond_used_bytes_is_not_looked_at)
{
    one_capture();
    made_header(&made)->used_bytes = LEDGER_FIRST;
    struct captures captures = read_made();
    assert_int_equal(captures.count, 0);
    captures_free(&captures);
    made_header(&made)->used_bytes = 0;
    captures = read_made();
    assert_int_equal(captures.count, 0);
    captures_free(&captures);
}

TEST(an_endless_file_is_read_to_a_bound)
{
    one_capture();
    made_header(&made)->used_bytes = UINT64_MAX;
    int fd = made_file(&made, made.size);
    assert_int_equal(ftruncate(fd, (off_t)1 << 46), 0); /* 17 000 million pages */
    struct captures captures = read_file(fd);
    assert_int_equal(captures.count, 1);
    assert_int_equal(captures.damaged, 1); /* what is beyond the bound */
    captures_free(&captures);
    close(fd);
}

TEST(a_file_cut_at_any_length_gives_the_whole_captures_before)
{
    one_capture();
    struct ledger_slot slot = made_slot(11, 5000);
    size_t second = made_add(&made, &slot, 0, &fields);
    size_t end = second + sizeof slot + fields.size;
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

static volatile unsigned touched; /* so that no byte's reading is left out */

/* Flips a few bits where they hurt: in the header, in the heads of slots and in fields. */
TEST(flipped_bits_never_break_the_reader)
{
    uint64_t random = 20240131;
    const char *soak = getenv("JOBTRAIL_SOAK");
    int rounds = soak != NULL && soak[0] == '1' ? 1000000 : 8000;
    size_t read = 0;
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
        int result = ledger_open(fd, UINT64_C(1) << 30, &reader);
        assert_true(result == 0 || result == -EINVAL);
        while (result == 0 && (result = ledger_next(&reader, &capture)) == 1) {
            touched = touch_all(&capture);
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
