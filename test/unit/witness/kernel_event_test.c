/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of perf events: those of a real kernel, and damaged ones.
 */
#include "contrib/witness/kernel_rings.h"

#include <linux/perf_event.h>

#include "conf/base/io.h"
#include "test/unit/fixture/cases.h"

TEST(recorded_events_are_read_whole)
{
    size_t size, count[KERNEL_EVENT_LOST + 1] = {0}, build_ids = 0;
    char *text;
    uint64_t before_ns = 0, offsets = 0;
    assert_int_equal(whole_file_open_read(RECORDED "/events", 1 << 20, &text, &size), 0);
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t at = 0, used; at < size; at += used) {
        struct kernel_event event;
        assert_int_equal(kernel_event_read(bytes + at, size - at, &event, &used), 0);
        assert_true(event.time_ns >= before_ns);
        assert_true(event.pid > 0 && event.tid > 0);
        before_ns = event.time_ns;
        count[event.kind]++;
        offsets += event.offset % 4096 == 0 && event.offset != 0 && event.offset < 1 << 24;
        build_ids += event.build_id_size == KERNEL_BUILD_ID_MAX;
    }
    assert_int_equal(count[KERNEL_EVENT_OTHER], 0);
    assert_int_equal(count[KERNEL_EVENT_FORK], 33);
    assert_int_equal(count[KERNEL_EVENT_EXIT], 33);
    assert_int_equal(count[KERNEL_EVENT_EXEC], 12);
    assert_int_equal(count[KERNEL_EVENT_MAP], 47);
    assert_int_equal(build_ids, 35);
    assert_true(offsets > 0);
    free(text);
}

/* A record that tells of a loss. Returns its size. */
static size_t make_lost(unsigned char *bytes)
{
    const struct perf_event_header head = {.type = PERF_RECORD_LOST, .size = 32};
    const uint64_t body[] = {1, 77, 5000};
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, body, sizeof body);
    return head.size;
}

TEST(a_loss_has_its_count)
{
    unsigned char bytes[64];
    struct kernel_event event;
    size_t used, size = make_lost(bytes);
    assert_int_equal(kernel_event_read(bytes, size, &event, &used), 0);
    assert_int_equal(event.kind, KERNEL_EVENT_LOST);
    assert_int_equal(event.lost, 77);
    assert_int_equal(event.time_ns, 5000);
    assert_int_equal(used, size);
}

TEST(a_part_of_a_record_is_waited_for)
{
    unsigned char bytes[64];
    struct kernel_event event;
    size_t used, size = make_lost(bytes);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(kernel_event_read(bytes, i, &event, &used), -EAGAIN);
        assert_int_equal(used, 0);
    }
}

TEST(a_record_that_is_too_short_is_passed_over)
{
    struct {
        struct perf_event_header head;
        uint64_t body[4];
    } record = {.head = {.type = PERF_RECORD_FORK, .size = 40}};
    struct kernel_event event;
    size_t used;
    assert_int_equal(kernel_event_read((unsigned char *)&record, 40, &event, &used), 0);
    record.head.size = 32;
    assert_int_equal(kernel_event_read((unsigned char *)&record, 40, &event, &used), -EINVAL);
    assert_int_equal(used, 32);
    record.head.size = 4;
    assert_int_equal(kernel_event_read((unsigned char *)&record, 40, &event, &used), -EINVAL);
    assert_int_equal(used, 0);
    record.head.size = 33;
    assert_int_equal(kernel_event_read((unsigned char *)&record, 40, &event, &used), -EINVAL);
    assert_int_equal(used, 0);
}

TEST(a_name_without_an_end_is_refused)
{
    struct {
        struct perf_event_header head;
        int32_t pid, tid;
        char name[8];
        uint64_t time;
    } record = {.head = {.type = PERF_RECORD_COMM, .misc = PERF_RECORD_MISC_COMM_EXEC, .size = 32},
                .pid = 3,
                .name = "seven_b"};
    struct kernel_event event;
    size_t used;
    assert_int_equal(kernel_event_read((unsigned char *)&record, 32, &event, &used), 0);
    assert_int_equal(event.kind, KERNEL_EVENT_EXEC);
    assert_int_equal(event.name_size, 7);
    record.name[7] = 'y';
    assert_int_equal(kernel_event_read((unsigned char *)&record, 32, &event, &used), -EINVAL);
}
