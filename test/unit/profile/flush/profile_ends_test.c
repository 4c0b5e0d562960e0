/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/flush/profile_ends.h"

#include <fcntl.h>

#include "conf/base/clocks.h"
#include "conf/base/io.h"
#include "submit/flush/kernel_witness.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_ledger.h"

#define SECOND UINT64_C(1000000000)

/* The clock is 1000 s ahead of the time since boot, and 4600 s in lines that are _SET. */
#define STEP                                                                                       \
    "step time=1001.000000000 up=1.000000000 job=1 restart=0 step=0 uid=1000 gid=1000 node=n1 "    \
    "boot=b nodes=1 node_id=0 tasks=1 pid=1 ticks=1\n"
#define STEP_OF_GROUP                                                                              \
    "step time=1001.000000000 up=1.000000000 job=1 restart=0 step=0 uid=1000 gid=1000 node=n1 "    \
    "boot=b nodes=1 node_id=0 tasks=1 pid=1 ticks=1 freezes=1\n"
#define TASK "task time=1010.000000000 up=10.000000000 step=0 task=0 pid=50 ticks=1050\n"
#define EXIT(status)                                                                               \
    "exit time=1090.000000000 up=90.000000000 step=0 task=0 pid=50 status=" status "\n"
/* The kernel said that it died two seconds before. */
#define EXIT_DIED(status)                                                                          \
    "exit time=1090.000000000 up=90.000000000 step=0 task=0 pid=50 status=" status                 \
    " died=1088000000000\n"
#define EXIT_SET(status)                                                                           \
    "exit time=4690.000000000 up=90.000000000 step=0 task=0 pid=50 status=" status "\n"
#define OVER                                                                                       \
    "end time=1095.000000000 up=95.000000000 step=0\n"                                             \
    "epilog time=1096.000000000 up=96.000000000 user=a\n"
#define OVER_SET                                                                                   \
    "end time=4695.000000000 up=95.000000000 step=0\n"                                             \
    "epilog time=4696.000000000 up=96.000000000 user=a\n"

/* The process 50 from 5 s to 40 s after boot. */
#define LISTEN "listen 1000000000 1001000000000 1 1\n"
#define NOTED_AS(status, exec, lack)                                                               \
    LISTEN "end 50 1 5000000000 0 40000000000 " exec " 1 0 " status " " lack                       \
           " 1000 0 0 0 0 0 0 0 0\n"
#define NOTED(exec, lack) NOTED_AS("9", exec, lack)

/* Stands for the time of the look, since what has no cgroup may outlive the epilog. */
#define GONE UINT64_MAX

static struct made_ledger ledger;

/* As the flush reads them in a job's directory. */
static struct kernel_notes *read_notes(const char *text)
{
    struct kernel_notes *notes = NULL;
    char name[] = "/tmp/profile_ends.XXXXXX";
    assert_non_null(mkdtemp(name));
    const int directory = open(name, O_RDONLY | O_DIRECTORY);
    const int fd = openat(directory, "kernel", O_WRONLY | O_CREAT, 0600);
    assert_int_equal(io_write_all(fd, text, strlen(text)), 0);
    close(fd);
    if (kernel_witness != NULL)
        assert_int_equal(kernel_witness->read(directory, directory, &notes), 0);
    assert_int_equal(unlinkat(directory, "kernel", 0), 0);
    close(directory);
    rmdir(name);
    return notes;
}

/* The end of a process that called its first function 11 s after boot. */
static struct collect_end find(const char *journal_text, const char *notes,
                               const struct made_ledger *captures,
                               const struct profiled_process *process)
{
    const struct conf conf = {.ledger_bytes = MADE_LEDGER_MAX};
    struct journal journal;
    struct profile_ends ends;
    assert_int_equal(journal_parse(journal_text, strlen(journal_text), &journal), 0);
    const struct reading_request request = {
        .conf = &conf,
        .journal = &journal,
        .kernel = read_notes(notes),
        .ledger = captures == NULL ? -1 : made_file(captures, captures->size),
        .now_ns = 1100 * SECOND};
    assert_int_equal(profile_ends_read(&request, &ends), 0);
    const struct collect_end end = profile_ends_find(&ends, process);
    free(ends.captured);
    if (request.ledger >= 0)
        close(request.ledger);
    if (request.kernel != NULL)
        kernel_witness->release((struct kernel_notes *)request.kernel);
    journal_free(&journal);
    return end;
}

static const struct profiled_process plain = {
    .pid = 50, .step = 0, .task = 0, .start = {.boot_ns = 11 * SECOND, .real_ns = 1011 * SECOND}};

/* Nanoseconds since boot; `at` 0: no moment is known. */
static void assert_end(struct collect_end end, uint64_t at, bool is_known, uint64_t max_ns)
{
    assert_int_equal(end.ns, at);
    assert_int_equal(end.is_known, is_known);
    if (max_ns != GONE)
        assert_int_equal(end.max_ns, max_ns);
    else
        assert_true(end.max_ns > 0 && end.max_ns <= clock_ns(CLOCK_BOOTTIME));
    assert_true(end.min_ns <= end.ns);
}

static void assert_way(struct collect_end end, enum profile_way way, int status)
{
    assert_int_equal(end.way, way);
    assert_int_equal(end.status, status);
}

TEST(without_a_capture_the_kernel_tells)
{
    static const char *const execs[] = {NOTED("10000000000", "0"), NOTED("0", "0")}; /* forked */
    struct collect_end end;
    if (kernel_witness == NULL)
        return;
    for (size_t i = 0; i < sizeof execs / sizeof *execs; i++) {
        end = find(STEP OVER, execs[i], NULL, &plain);
        assert_end(end, 40 * SECOND, true, 40 * SECOND + 100000);
        assert_int_equal(end.min_ns, 40 * SECOND - 100000);
        assert_way(end, PROFILE_WAY_SIGNALED, 9);
    }
    end = find(STEP OVER, NOTED_AS("1792", "0", "0"), NULL, &plain);
    assert_way(end, PROFILE_WAY_EXITED, 7 << 8);
}

TEST(what_nobody_saw_was_over_with_the_job)
{
    static const char *const lacks[] = {NOTED("0", "1"), NOTED("0", "2"), NOTED("0", "4"), ""};
    struct profiled_process later = plain;
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
        const struct collect_end end = find(STEP OVER, lacks[i], NULL, &plain);
        assert_end(end, 0, false, GONE);
        assert_way(end, PROFILE_WAY_UNSEEN, 0);
    }
    assert_end(find(STEP, "", NULL, &plain), 0, false, 0); /* no epilog yet */
    /* Slurm ends what is in the step's cgroup */
    assert_end(find(STEP_OF_GROUP OVER, "", NULL, &plain), 0, false, 95 * SECOND);
    later.start.boot_ns = 60 * SECOND; /* another process of that pid */
    assert_end(find(STEP OVER, NOTED("0", "0"), NULL, &later), 0, false, GONE);
}

TEST(what_still_runs_is_not_said_to_have_ended)
{
    struct profiled_process own = plain;
    static const char others[] = STEP OVER, key[] = "uid=1000";
    char journal[sizeof others + 16];
    const char *at = strstr(others, key);
    snprintf(journal, sizeof journal, "%.*suid=%u%s", (int)(at - others), others, getuid(),
             at + strlen(key));
    own.pid = getpid();
    own.start.boot_ns = UINT64_MAX;
    const struct collect_end end = find(journal, "", NULL, &own);
    assert_true(end.is_known && end.ns == UINT64_MAX);
    assert_way(end, PROFILE_WAY_RUNS, 0);
    assert_way(find(STEP OVER, "", NULL, &own), PROFILE_WAY_UNSEEN, 0); /* another user's */
    own.start.boot_ns = 0;                                              /* had this pid before */
    assert_way(find(journal, "", NULL, &own), PROFILE_WAY_UNSEEN, 0);
}

TEST(a_program_that_was_replaced_ended_before)
{
    if (kernel_witness == NULL)
        return;
    const struct collect_end end = find(STEP OVER, NOTED("20000000000", "0"), NULL, &plain);
    assert_end(end, 0, false, 20 * SECOND);
    assert_way(end, PROFILE_WAY_EXEC, 0);
}

TEST(slurm_tells_when_a_signal_ended_the_task)
{
    struct profiled_process other = plain;
    struct collect_end end = find(STEP TASK EXIT("9") OVER, "", NULL, &plain);
    assert_end(end, 90 * SECOND, true, 90 * SECOND);
    assert_way(end, PROFILE_WAY_SIGNALED, 9);
    end = find(STEP TASK EXIT("0") OVER, "", NULL, &plain);
    assert_end(end, 0, false, 90 * SECOND);
    assert_way(end, PROFILE_WAY_UNSEEN, 0);
    struct profiled_routine init = {
        .name = "mpi_init_thread_", .calls = 1, .flags = PROFILE_ROUTINE_MPI};
    struct profiled_process within = plain; /* it executes no other program */
    within.routines = &init;
    within.routine_count = 1;
    end = find(STEP TASK EXIT("1024") OVER, "", NULL, &within);
    assert_end(end, 90 * SECOND, true, 90 * SECOND);
    assert_way(end, PROFILE_WAY_EXITED, 4 << 8);
    other.pid = 51;
    assert_end(find(STEP TASK EXIT("9") OVER, "", NULL, &other), 0, false, GONE);
}

TEST(a_clock_that_was_set_moves_no_end)
{
    assert_end(find(STEP TASK EXIT_SET("9") OVER_SET, "", NULL, &plain), 90 * SECOND, true,
               90 * SECOND);
    assert_end(find(STEP OVER_SET, "", NULL, &plain), 0, false, GONE);
}

/* A process of a run that has a capture, from 10 s after boot on; another one's start is 10 s
 * later. */
static struct profiled_process captured(bool is_replaced)
{
    struct made_fields fields = {.size = 0};
    struct profiled_process process = plain;
    struct ledger_slot slot = made_slot(50, 1010 * SECOND);
    made_start(&ledger);
    made_text(&fields, LEDGER_EXEC, "/bin/x");
    made_text(&fields, LEDGER_TASK, "0.0.50");
    slot.up_ns = 10 * SECOND;
    made_add(&ledger, &slot, 0, &fields);
    memcpy(process.uuid, slot.uuid, sizeof process.uuid);
    slot.start_ns = 1020 * SECOND;
    slot.up_ns = 20 * SECOND;
    slot.uuid[14] = 1;
    if (is_replaced)
        made_add(&ledger, &slot, 0, &fields);
    return process;
}

TEST(a_capture_has_the_end_of_its_record)
{
    struct profiled_process process = captured(false);
    struct collect_end end = find(STEP TASK EXIT("9") OVER, "", &ledger, &process);
    assert_end(end, 90 * SECOND, true, 90 * SECOND);
    assert_way(end, PROFILE_WAY_SIGNALED, 9);
    end = find(STEP TASK EXIT_DIED("9") OVER, "", &ledger, &process);
    assert_end(end, 90 * SECOND, true, 90 * SECOND);
    assert_int_equal(end.min_ns, 88 * SECOND); /* not when it was seen last */
    end = find(STEP TASK EXIT_SET("9") OVER_SET, "", &ledger, &process);
    assert_end(end, 90 * SECOND, true, 90 * SECOND);
    process.pid = 51; /* forked by it */
    assert_end(find(STEP TASK EXIT("9") OVER, "", &ledger, &process), 0, false, GONE);
    process = captured(true);
    end = find(STEP TASK EXIT("9") OVER, "", &ledger, &process);
    assert_end(end, 20 * SECOND, false, 20 * SECOND);
    assert_int_equal(end.min_ns, 10 * SECOND);
    assert_way(end, PROFILE_WAY_EXEC, 0);
}

TEST(a_capture_that_nobody_saw_end_has_bounds)
{
    const struct profiled_process process = captured(false);
    struct collect_end end = find(STEP OVER, "", &ledger, &process);
    assert_end(end, 10 * SECOND, false, GONE);
    assert_way(end, PROFILE_WAY_UNSEEN, 0);
    assert_end(find(STEP_OF_GROUP OVER, "", &ledger, &process), 10 * SECOND, false, 95 * SECOND);
    /* when the clock was set is not known: no time of it is one since boot */
    end = find(STEP OVER_SET, "", &ledger, &process);
    assert_end(end, 0, false, GONE);
}

TEST(a_ledger_that_is_none_has_no_captures)
{
    captured(false);
    made_header(&ledger)->magic++;
    if (kernel_witness == NULL)
        return;
    assert_end(find(STEP OVER, NOTED("0", "0"), &ledger, &plain), 40 * SECOND, true,
               40 * SECOND + 100000);
}
