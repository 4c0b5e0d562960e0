/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/slurm_rows.h"
#include "test/unit/fixture/cases.h"

#define D                                                                                          \
    "\x1f"                                                                                         \
    "5a0b"
#define HEAD                                                                                       \
    "JobIDRaw" D "JobID" D "Cluster" D "User" D "Account" D "Partition" D "State" D "Submit" D     \
    "Start" D "End" D "AllocCPUS" D "AllocNodes" D "CPUTimeRAW" D "Suspended" D "\n"
#define ROW(raw, name, account, state, submit, start, end, cpus, suspended)                        \
    raw D name D "lab" D "alice" D account D "main" D state D submit D start D end D cpus D "2" D  \
                 "120" D suspended D "\n"

enum { JOBS = 8 };

struct seen {
    struct slurm_job jobs[JOBS];
    size_t count, pending, damaged;
    struct load_reason reason;
};

static int keep(void *context, struct slurm_job *job)
{
    struct seen *seen = context;
    assert_true(seen->count < JOBS);
    seen->jobs[seen->count++] = *job;
    return 0;
}

/* Reads the text in pieces of this size. */
static int read_in(const char *text, size_t size, size_t piece, struct seen *seen)
{
    struct slurm_rows rows = {.take = keep, .context = seen};
    int error = 0;
    *seen = (struct seen){.count = 0};
    for (size_t at = 0; error == 0 && at < size; at += piece)
        error =
            slurm_rows_read(&rows, text + at, size - at < piece ? size - at : piece, &seen->reason);
    if (error == 0)
        error = slurm_rows_end(&rows, &seen->reason);
    seen->pending = rows.pending;
    seen->damaged = rows.damaged;
    slurm_rows_free(&rows);
    return error;
}

static void drop(struct seen *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        slurm_job_free(&seen->jobs[i]);
}

TEST(jobs_are_read_in_whatever_pieces_they_come)
{
    static const char text[] = HEAD ROW("7", "7", "physics", "COMPLETED", "100", "110", "170", "4",
                                        "00:00:00") //
        ROW("9", "8_3", "", "CANCELLED by 1000", "100", "110", "Unknown", "4", "1-02:03:04")
            ROW("12", "11+1", "a|b\n12|c", "RUNNING", "100", "110", "Unknown", "4", "01:05")
                ROW("13", "13", "x", "PENDING", "100", "Unknown", "Unknown", "4", "00:00:00");
    for (size_t piece = 1; piece < sizeof text; piece++) {
        struct seen seen;
        assert_int_equal(read_in(text, sizeof text - 1, piece, &seen), 0);
        assert_int_equal(seen.count, 3);
        assert_int_equal(seen.pending, 1);
        assert_int_equal(seen.damaged, 0);
        const struct slurm_job *job = seen.jobs;
        assert_int_equal(job[0].job_id_raw, 7);
        assert_string_equal(job[0].account, "physics");
        assert_true(job[0].end_time.known);
        assert_float_equal(job[0].end_time.value, 170, 0);
        assert_float_equal(job[0].core_seconds, 120, 0);
        assert_false(job[0].array_job_id.known || job[0].het_job_id.known);
        assert_string_equal(job[1].state, "CANCELLED");
        assert_int_equal(job[1].array_job_id.value, 8);
        assert_int_equal(job[1].array_task_id.value, 3);
        assert_false(job[1].end_time.known);
        assert_float_equal(job[1].suspended, 86400 + 7384, 0);
        assert_int_equal(job[2].het_job_id.value, 11);
        assert_int_equal(job[2].het_offset.value, 1);
        assert_string_equal(job[2].account, "a|b\n12|c");
        assert_float_equal(job[2].suspended, 65, 0);
        drop(&seen);
    }
}

/* Each row has 120 core seconds. */
TEST(the_row_of_a_job_that_was_resized_begins_with_it)
{
    static const char text[] =
        HEAD ROW("7", "7", "x", "RESIZING", "90", "100", "160", "2", "00:00:00") //
        ROW("7", "7", "x", "COMPLETED", "160", "100", "220", "1", "00:00:00")
            ROW("7", "7", "x", "RUNNING", "150", "100", "Unknown", "2", "00:00:00")
                ROW("7", "7", "x", "CANCELLED", "300", "100", "220", "1", "00:00:00")
                    ROW("7", "7", "x", "COMPLETED", "200", "100", "220", "4", "00:01:30");
    static const double expected[][2] = {{100, 120}, {160, 60}, {150, 20}, {220, 0}, {200, 0}};
    struct seen seen;
    assert_int_equal(read_in(text, sizeof text - 1, sizeof text, &seen), 0);
    assert_int_equal(seen.count, 5);
    for (size_t i = 0; i < seen.count; i++) {
        assert_float_equal(seen.jobs[i].start_time, expected[i][0], 0);
        assert_float_equal(seen.jobs[i].core_seconds, expected[i][1], 0);
    }
    drop(&seen);
}

/* Slurm 22.05 now and then has a row without it. */
TEST(a_run_that_was_requeued_counts_without_its_start)
{
    static const char text[] =
        HEAD ROW("7", "7", "x", "REQUEUED", "90", "Unknown", "160", "2", "00:00:00") //
        ROW("8", "8", "x", "REQUEUED", "90", "Unknown", "Unknown", "2", "00:00:00")
            ROW("9", "9", "x", "CANCELLED", "90", "None", "160", "2", "00:00:00");
    struct seen seen;
    assert_int_equal(read_in(text, sizeof text - 1, sizeof text, &seen), 0);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.pending, 2);
    assert_float_equal(seen.jobs[0].start_time, 0, 0);
    assert_float_equal(seen.jobs[0].core_seconds, 0, 0);
    assert_float_equal(seen.jobs[0].end_time.value, 160, 0);
    drop(&seen);
}

TEST(rows_that_say_no_job_are_counted)
{
    static const char *const rows[] = {
        ROW("x", "7", "p", "COMPLETED", "100", "110", "170", "4", "00:00:00"),
        ROW("7.0", "7.0", "p", "COMPLETED", "100", "110", "170", "4", "00:00:00"),
        ROW("-7", "7", "p", "COMPLETED", "100", "110", "170", "4", "00:00:00"),
        ROW("99999999999999999999", "7", "p", "COMPLETED", "100", "110", "170", "4", "00:00:00"),
        ROW("7", "7_[1-4]", "p", "COMPLETED", "100", "110", "170", "4", "00:00:00"),
        ROW("7", "7", "p", "COMPLETED", "Unknown", "110", "170", "4", "00:00:00"),
        ROW("7", "7", "p", "COMPLETED", "100", "2026-11-23T01:00:00", "170", "4", "00:00:00"),
        ROW("7", "7", "p", "COMPLETED", "100", "110", "109", "4", "00:00:00"),
        ROW("7", "7", "p", "COMPLETED", "100", "110", "170", "1K", "00:00:00"),
        ROW("7", "7", "p", "COMPLETED", "100", "110", "170", "4", "5"),
        ROW("7", "7", "p", "COMPLETED", "100", "110", "170", "4", "1:2:3:4"),
        ROW("7", "7", "p", "COMPLETED", "100", "110", "170", "4", "00:00:00x"),
        ROW("7", "7", "p", "COMPLETED", "100", "110", "170", "4", "-00:00:00"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct seen seen;
        char text[1024];
        int size = snprintf(text, sizeof text, "%s%s", HEAD, rows[i]);
        assert_int_equal(read_in(text, (size_t)size, 1024, &seen), 0);
        if (seen.count != 0 || seen.damaged != 1)
            fail_msg("%s", rows[i]);
    }
}

TEST(what_users_choose_is_bounded)
{
    struct seen seen;
    char account[300], text[2048];
    memset(account, 'x', sizeof account);
    account[256] = '\0';
    int size =
        snprintf(text, sizeof text,
                 HEAD ROW("7", "7", "%s", "COMPLETED", "1", "2", "3", "4", "00:00"), account);
    assert_int_equal(read_in(text, (size_t)size, sizeof text, &seen), 0);
    assert_int_equal(seen.damaged, 1);
    account[255] = '\0';
    size = snprintf(text, sizeof text,
                    HEAD ROW("7", "7", "%s", "COMPLETED", "1", "2", "3", "4", "00:00"), account);
    assert_int_equal(read_in(text, (size_t)size, sizeof text, &seen), 0);
    assert_int_equal(seen.count, 1);
    drop(&seen);

    char *endless = calloc(1, sizeof HEAD + 2 * SLURM_ROW_MAX);
    memcpy(endless, HEAD, sizeof HEAD);
    memset(endless + sizeof HEAD - 1, '1', 2 * SLURM_ROW_MAX);
    assert_int_equal(read_in(endless, sizeof HEAD + 2 * SLURM_ROW_MAX - 1, 4096, &seen), -EBADMSG);
    assert_string_equal(seen.reason.text, "has a row without an end");
    free(endless);
}

TEST(other_bytes_become_text)
{
    static const char text[] = HEAD ROW("7", "7", "\xff", "COMPLETED", "1", "2", "3", "4", "00:00");
    static const char nul[] = HEAD "7" D "7\0" D "lab" D "alice" D "" D "main" D "X" D "1" D "2" D
                                   "3" D "4" D "2" D "120" D "00:00" D "\n";
    struct seen seen;
    assert_int_equal(read_in(text, sizeof text - 1, 4096, &seen), 0);
    assert_string_equal(seen.jobs[0].account, "\xee\xbf\xbf"); /* U+EFFF */
    drop(&seen);
    assert_int_equal(read_in(nul, sizeof nul - 1, 4096, &seen), 0);
    assert_int_equal(seen.damaged, 1);
}

TEST(other_output_is_refused)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", "has no heading"},
        {"JobIDRaw" D "JobID", "has no heading"},
        {"sacct: error\n", "is no output of sacct"},
        {"JobIDRawJobIDClusterUserAccountPartitionStateSubmitStartEnd\n", "is no output of sacct"},
        {"JobIDRaw" D "JobID" D "User" D "\n", "is no output of sacct"},
        {HEAD "7" D "7" D, "is cut short"},
        {HEAD ROW("7", "7", "p", "X", "1", "2", "3", "4", "00:00" D), "has a row with more cells"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct seen seen;
        assert_int_equal(read_in(rows[i].text, strlen(rows[i].text), 4096, &seen), -EBADMSG);
        if (strncmp(seen.reason.text, rows[i].why, strlen(rows[i].why)) != 0)
            fail_msg("%s: %s", rows[i].text, seen.reason.text);
        drop(&seen);
    }
}
