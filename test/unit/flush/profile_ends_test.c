/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/profile_ends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "submit/job/kernel_notes.h"
#include "test/unit/fixture/made_ledger.h"

#define SECOND UINT64_C(1000000000)

#define STEP                                                                                       \
    "step time=1.000000000 job=1 restart=0 step=0 uid=1000 gid=1000 node=n1 boot=b nodes=1 "       \
    "node_id=0 tasks=1 pid=1 ticks=1\n"
#define TASK         "task time=10.000000000 step=0 task=0 pid=50 ticks=1050\n"
#define EXIT(status) "exit time=90.000000000 step=0 task=0 pid=50 status=" status "\n"
#define OVER         "end time=95.000000000 step=0\nepilog time=96.000000000 user=a\n"

/* The process 50 from 5 s to 40 s after boot, which was at the Epoch. */
#define LISTEN "listen 1000000000 1000000000 1 1\n"
#define NOTED(exec, lack)                                                                          \
    LISTEN "end 50 1 5000000000 0 40000000000 " exec " 1 0 9 " lack " 1000 0 0 0 0 0 0 0 0\n"

static struct made_ledger ledger;

/* The end of a process that called its first function 11 s after boot. */
static struct collect_end find(const char *journal_text, const char *notes,
                               const struct made_ledger *captures,
                               const struct profiled_process *process)
{
    const struct conf conf = {.ledger_bytes = MADE_LEDGER_MAX};
    struct journal journal;
    struct kernel_notes kernel;
    struct profile_ends ends;
    assert_int_equal(journal_parse(journal_text, strlen(journal_text), &journal), 0);
    assert_int_equal(kernel_notes_parse(strdup(notes), strlen(notes), &kernel), 0);
    const struct reading_request request = {
        .conf = &conf,
        .journal = &journal,
        .kernel = &kernel,
        .ledger = captures == NULL ? -1 : made_file(captures, captures->size),
        .now_ns = 100 * SECOND};
    assert_int_equal(profile_ends_read(&request, &ends), 0);
    const struct collect_end end = profile_ends_find(&ends, process);
    profile_ends_free(&ends);
    if (request.ledger >= 0)
        close(request.ledger);
    kernel_notes_free(&kernel);
    journal_free(&journal);
    return end;
}

static const struct profiled_process plain = {
    .pid = 50, .step = 0, .task = 0, .start = {.boot_ns = 11 * SECOND, .real_ns = 11 * SECOND}};

static void assert_end(struct collect_end end, uint64_t ns, bool is_known)
{
    assert_int_equal(end.ns, ns);
    assert_int_equal(end.is_known, is_known);
}

static void without_a_capture_the_kernel_tells(void **state)
{
    (void)state;
    assert_end(find(STEP OVER, NOTED("10000000000", "0"), NULL, &plain), 40 * SECOND, true);
    assert_end(find(STEP OVER, NOTED("0", "0"), NULL, &plain), 40 * SECOND, true); /* forked */
}

static void what_the_kernel_did_not_see_is_not_known(void **state)
{
    static const char *const lacks[] = {NOTED("0", "1"), NOTED("0", "2"), NOTED("0", "4")};
    struct profiled_process later = plain;
    (void)state;
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
        assert_end(find(STEP OVER, lacks[i], NULL, &plain), 0, false);
    later.start.boot_ns = 60 * SECOND; /* another process of that pid */
    assert_end(find(STEP OVER, NOTED("0", "0"), NULL, &later), 0, false);
}

static void the_end_of_what_replaced_it_is_another_programs(void **state)
{
    (void)state;
    assert_end(find(STEP OVER, NOTED("20000000000", "0"), NULL, &plain), 0, false);
}

static void slurm_tells_when_a_signal_ended_the_task(void **state)
{
    struct profiled_process other = plain;
    (void)state;
    assert_end(find(STEP TASK EXIT("9") OVER, "", NULL, &plain), 90 * SECOND, true);
    assert_end(find(STEP TASK EXIT("0") OVER, "", NULL, &plain), 0, false);
    other.pid = 51;
    assert_end(find(STEP TASK EXIT("9") OVER, "", NULL, &other), 0, false);
}

/* A process of a run that has a capture; another one's start is 10 s later. */
static struct profiled_process captured(bool is_replaced)
{
    struct made_fields fields = {.size = 0};
    struct profiled_process process = plain;
    struct ledger_slot slot = made_slot(50, 10 * SECOND);
    made_start(&ledger);
    made_text(&fields, LEDGER_EXEC, "/bin/x");
    made_add(&ledger, &slot, 0, &fields);
    memcpy(process.uuid, slot.uuid, sizeof process.uuid);
    slot.start_ns = 20 * SECOND;
    slot.uuid[14] = 1;
    if (is_replaced)
        made_add(&ledger, &slot, 0, &fields);
    return process;
}

static void a_capture_has_the_end_of_its_record(void **state)
{
    struct profiled_process process = captured(false);
    (void)state;
    assert_end(find(STEP TASK EXIT("9") OVER, "", &ledger, &process), 90 * SECOND, true);
    process.pid = 51; /* forked by it */
    assert_end(find(STEP TASK EXIT("9") OVER, "", &ledger, &process), 0, false);
    process = captured(true);
    assert_end(find(STEP TASK EXIT("9") OVER, "", &ledger, &process), 20 * SECOND, false);
}

static void a_ledger_that_is_none_has_no_captures(void **state)
{
    (void)state;
    captured(false);
    made_header(&ledger)->magic++;
    assert_end(find(STEP OVER, NOTED("0", "0"), &ledger, &plain), 40 * SECOND, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_capture_the_kernel_tells),
        cmocka_unit_test(what_the_kernel_did_not_see_is_not_known),
        cmocka_unit_test(the_end_of_what_replaced_it_is_another_programs),
        cmocka_unit_test(slurm_tells_when_a_signal_ended_the_task),
        cmocka_unit_test(a_capture_has_the_end_of_its_record),
        cmocka_unit_test(a_ledger_that_is_none_has_no_captures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
