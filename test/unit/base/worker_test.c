/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A worker hands over messages of any kind, and ends in one of a few ways.
 */
#include "conf/base/worker.h"
#include "test/unit/fixture/cases.h"

enum { EATEN = 600 << 20 };

struct seen {
    char text[64];             /* "UNIT:BYTES " of each message, "last:BYTES" */
    enum worker_answer answer; /* to the message with the unit 2 */
    int more_times;            /* how often there is more time */
    enum { SENDS, SENDS_NO_LAST, FAILS, LOOPS, SENDS_MUCH, EATS } role;
};

static int work(void *context, struct worker_pipe *pipe)
{
    const struct seen *seen = context;
    static char large[300000];
    const struct iovec parts[] = {{(void *)"a\0", 2}, {(void *)"bc", 2}};
    const struct iovec much[] = {{large, sizeof large}, {large, 1}};
    volatile int forever = 1;
    while (seen->role == LOOPS && forever)
        ;
    if (seen->role == EATS) {
        void *volatile eaten = malloc(EATEN);
        return worker_send_last(pipe, eaten == NULL ? "no" : "yes", 3);
    }
    for (uint64_t unit = 1; unit <= 3; unit++)
        worker_send(pipe, unit, seen->role == SENDS_MUCH ? much : parts, 2);
    if (seen->role == SENDS_NO_LAST)
        return 0;
    worker_send_last(pipe, "sum", 3);
    return seen->role == FAILS ? -EIO : 0;
}

static enum worker_answer take(void *context, const struct worker_message *message)
{
    struct seen *seen = context;
    size_t used = strlen(seen->text);
    assert_int_equal(message->bytes[message->size], '\0');
    if (message->is_last) {
        snprintf(seen->text + used, sizeof seen->text - used, "last:%s", message->bytes);
        return WORKER_GO_ON;
    }
    if (seen->role == SENDS_MUCH)
        assert_int_equal(message->size, 300001);
    else
        assert_memory_equal(message->bytes, "a\0bc", 4);
    snprintf(seen->text + used, sizeof seen->text - used, "%u ", (unsigned)message->unit);
    return message->unit == 2 ? seen->answer : WORKER_GO_ON;
}

static uint64_t more_time(void *context)
{
    struct seen *seen = context;
    return seen->more_times-- > 0 ? UINT64_MAX / 2 : 0;
}

static struct worker worker_of(struct seen *seen)
{
    return (struct worker){.uid = getuid(),
                           .gid = getgid(),
                           .work = work,
                           .take = take,
                           .context = seen,
                           .patience_ms = 20,
                           .silence_ms = 60000,
                           .more_context = seen};
}

static enum worker_outcome outcome_of(const struct worker *worker)
{
    enum worker_outcome outcome;
    assert_int_equal(worker_run(worker, &outcome), 0);
    return outcome;
}

TEST(messages_come_in_order_and_whole)
{
    struct seen seen = {.role = SENDS};
    struct worker worker = worker_of(&seen);
    assert_int_equal(outcome_of(&worker), WORKER_DONE);
    assert_string_equal(seen.text, "1 2 3 last:sum");
    seen = (struct seen){.role = SENDS_MUCH};
    assert_int_equal(outcome_of(&worker), WORKER_DONE);
    assert_string_equal(seen.text, "1 2 3 last:sum");
}

TEST(the_parent_ends_it_when_it_has_enough_or_does_not_believe)
{
    struct seen seen = {.role = SENDS, .answer = WORKER_ENOUGH};
    struct worker worker = worker_of(&seen);
    assert_int_equal(outcome_of(&worker), WORKER_STOPPED);
    assert_string_equal(seen.text, "1 2 ");
    seen = (struct seen){.role = SENDS, .answer = WORKER_NOT_BELIEVED};
    assert_int_equal(outcome_of(&worker), WORKER_BROKEN);
    assert_string_equal(seen.text, "1 2 ");
}

TEST(it_is_broken_without_a_last_message_or_when_its_work_failed)
{
    struct seen seen = {.role = SENDS_NO_LAST};
    struct worker worker = worker_of(&seen);
    assert_int_equal(outcome_of(&worker), WORKER_BROKEN);
    assert_string_equal(seen.text, "1 2 3 ");
    seen = (struct seen){.role = FAILS};
    assert_int_equal(outcome_of(&worker), WORKER_BROKEN);
    seen = (struct seen){.role = SENDS};
    worker.uid = (uid_t)-1; /* nobody can become this one */
    assert_int_equal(outcome_of(&worker), WORKER_BROKEN);
    assert_string_equal(seen.text, "");
}

TEST(silence_the_deadline_and_processor_time_end_it)
{
    struct seen seen = {.role = LOOPS};
    struct worker worker = worker_of(&seen);
    worker.silence_ms = 100;
    assert_int_equal(outcome_of(&worker), WORKER_LATE);
    worker.silence_ms = 60000;
    worker.deadline_ns = 1;
    assert_int_equal(outcome_of(&worker), WORKER_LATE);
    worker.deadline_ns = 0;
    worker.cpu_ns = 10000000;
    assert_int_equal(outcome_of(&worker), WORKER_SPENT);
    worker = worker_of(&seen);
    seen = (struct seen){.role = SENDS, .more_times = 1};
    worker.deadline_ns = 1;
    worker.more_time = more_time;
    assert_int_equal(outcome_of(&worker), WORKER_DONE);
    assert_int_equal(seen.more_times, 0);
}

#ifndef __SANITIZE_ADDRESS__ /* address space is not bounded then */
TEST(memory_is_bounded_by_what_there_is_to_read)
{
    struct seen seen = {.role = EATS};
    struct worker worker = worker_of(&seen);
    assert_int_equal(outcome_of(&worker), WORKER_DONE);
    assert_string_equal(seen.text, "last:yes");
    seen = (struct seen){.role = EATS};
    worker.memory_bytes = worker_memory(16 << 20);
    assert_int_equal(outcome_of(&worker), WORKER_DONE);
    assert_string_equal(seen.text, "last:no");
    assert_true(worker_memory(UINT64_MAX) == UINT64_C(2) << 30);
}
#endif
