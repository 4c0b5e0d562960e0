/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ends of threads as taskstats tells of them: those of a real kernel, and damaged ones.
 */
#include "contrib/witness/task_end.h"

#include "conf/base/io.h"
#include "test/unit/fixture/cases.h"

/* In a recorded message, of which the first byte of the struct is this many behind the first. */
enum { STATS_AT = 36 };

static unsigned char *read_recorded(size_t *size)
{
    char *text;
    assert_int_equal(whole_file_open_read(RECORDED "/ends", 1 << 20, &text, size), 0);
    return (unsigned char *)text;
}

TEST(recorded_ends_are_read_whole)
{
    size_t size, count = 0, last = 0;
    unsigned char *text = read_recorded(&size);
    const unsigned char *left = text;
    int statuses = 0;
    while (size > 0) {
        struct task_end end;
        assert_int_equal(task_end_read(&left, &size, &end), 1);
        assert_true(end.pid > 0 && end.tid > 0 && end.inode != 0);
        count++;
        last += end.is_last;
        statuses += end.is_last ? end.status : 0;
    }
    assert_int_equal(count, 33);
    assert_int_equal(last, 8);
    assert_int_equal(statuses, ((3 + 4 + 5 + 6 + 9) << 8) + 9);
    free(text);
}

TEST(a_kernel_that_is_too_old_is_refused)
{
    size_t size;
    unsigned char *text = read_recorded(&size);
    const unsigned char *left = text;
    struct task_end end;
    assert_true(text[STATS_AT] >= TASK_END_VERSION);
    text[STATS_AT] = TASK_END_VERSION - 1;
    assert_int_equal(task_end_read(&left, &size, &end), -ENOTSUP);
    free(text);
}

TEST(a_message_that_is_cut_is_refused)
{
    size_t whole;
    unsigned char *text = read_recorded(&whole);
    for (size_t size = 1; size < STATS_AT + 400; size++) {
        const unsigned char *left = text;
        struct task_end end;
        size_t rest = size;
        assert_int_equal(task_end_read(&left, &rest, &end), -EINVAL);
        assert_int_equal(rest, 0);
    }
    free(text);
}

TEST(an_attribute_that_is_cut_is_refused)
{
    size_t size;
    unsigned char *text = read_recorded(&size);
    const unsigned char *left = text;
    struct task_end end;
    text[21] = 0xff; /* the length of the first attribute */
    assert_int_equal(task_end_read(&left, &size, &end), -EINVAL);
    free(text);
}
