/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Jobs of Slurm's accounting: the rows of a job are the same in whatever order and portions they
 * come. With JOBTRAIL_TEST_STORE as in owner_test.c.
 */
#include <stdbool.h>

#include "submit/load/store/store.h"
#include "submit/load/store/store_state.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_store.h"
#include "test/unit/fixture/rounds.h"

/* What Slurm says by now; `earlier` is what it said before, where that was something else. */
static const struct told {
    struct slurm_job now, earlier;
} told[] = {
#define TEXT(said)                                                                                 \
    {                                                                                              \
        .kind = VALUE_TEXT, .text = (said), .size = sizeof(said) - 1                               \
    }
#define INT(number)                                                                                \
    {                                                                                              \
        .kind = VALUE_INT, .whole = (number)                                                       \
    }
#define REAL(number)                                                                               \
    {                                                                                              \
        .kind = VALUE_REAL, .real = (number)                                                       \
    }
#define JOB(id, submit, start, end, name, how, seconds)                                            \
    {                                                                                              \
        .column = {                                                                                \
            [SLURM_cluster] = TEXT("lab"),                                                         \
            [SLURM_user] = TEXT(name),                                                             \
            [SLURM_account] = TEXT("physics"),                                                     \
            [SLURM_partition] = TEXT("main"),                                                      \
            [SLURM_state] = TEXT(how),                                                             \
            [SLURM_job_id_raw] = INT(id),                                                          \
            [SLURM_submit_time] = INT(submit),                                                     \
            [SLURM_start_time] = REAL(start),                                                      \
            [SLURM_end_time] = {.kind = (end) > 0 ? VALUE_REAL : VALUE_NULL, .real = (end)},       \
            [SLURM_alloc_cpus] = INT(2),                                                           \
            [SLURM_nodes] = INT(1),                                                                \
            [SLURM_core_seconds] = REAL(seconds),                                                  \
            [SLURM_suspended] = REAL(0),                                                           \
            [SLURM_asked_time] = REAL(0),                                                          \
        }                                                                                          \
    }
    /* requeued twice, and resized between */
    {.now = JOB(1, 100, 110, 200, "alice", "REQUEUED", 180)},
    {.now = JOB(1, 200, 260, 300, "alice", "RESIZING", 80)},
    {.now = JOB(1, 300, 300, 400, "alice", "NODE_FAIL", 200),
     .earlier = JOB(1, 300, 300, 0, "alice", "RUNNING", 20)},
    {.now = JOB(1, 402, 500, 0, "alice", "RUNNING", 40)},
    /* the same number after the controller has lost its state */
    {.now = JOB(1, 90000, 90001, 90002, "alice", "COMPLETED", 2)},
    {.now = JOB(1, 90010, 90011, 90012, "bob", "COMPLETED", 2)},
    /* nodes that take long to end a job, and another job long after */
    {.now = JOB(3, 100, 110, 200, "alice", "REQUEUED", 1)},
    {.now = JOB(3, 900, 950, 1000, "alice", "PREEMPTED", 1)},
    {.now = JOB(3, 1700, 1750, 1800, "alice", "NODE_FAIL", 1)},
    {.now = JOB(3, 87000, 87050, 87100, "alice", "COMPLETED", 1)},
    {.now = JOB(3, 87800, 87900, 88000, "alice", "REQUEUED", 1)},
    {.now = JOB(3, 2680000, 2680010, 2680020, "alice", "BOOT_FAIL", 1)},
    {.now = JOB(3, 2690000, 2690010, 2690020, "bob", "COMPLETED", 1)},
    {.now = JOB(2, 100, 110, 120, "bob", "COMPLETED", 20),
     .earlier = JOB(2, 100, 105, 0, "bob", "RUNNING", 1)},
};
enum { TOLD = sizeof told / sizeof told[0] };

static const struct database_ops *ops = &database_sqlite;

static struct store *opened(void)
{
    struct store *store;
    const char *address = getenv("JOBTRAIL_TEST_STORE"), *location = file;
    if (address != NULL)
        ops = store_kind(address, &location);
    assert_non_null(ops);
    if (store_open(ops, location, false, &store) != 0)
        fail_msg("%s", store_error(store));
    assert_int_equal(ops->change_schema(
                         store->connection.database,
                         "DELETE FROM slurm_job; DELETE FROM store_state WHERE name LIKE 'slurm%';"
                         "UPDATE store_state SET value = '0' WHERE name = 'replaced'"),
                     0);
    return store;
}

static struct slurm_counts put(struct store *store, struct slurm_job *jobs, size_t count,
                               double asked_time)
{
    struct slurm_counts counts = {0};
    const struct slurm_answer answer = {jobs, count, NULL, 0};
    for (size_t i = 0; i < count; i++)
        jobs[i].column[SLURM_asked_time].real = asked_time;
    if (store_put_slurm_jobs(store, &answer, &counts) != 0)
        fail_msg("%s", store_error(store));
    return counts;
}

static int64_t value_of(struct store *store, const char *sql)
{
    int64_t value = -1;
    int error = 0;
    struct statement *ask = store_statement(&store->connection, sql, &error);
    assert_true(store_ask(&store->connection, ask, NULL, &value, 1) >= 0);
    return value;
}

static void assert_restart(struct store *store, int64_t job, int64_t submit, int64_t expected)
{
    char sql[128];
    snprintf(sql, sizeof sql,
             "SELECT restart_count FROM slurm_job WHERE job_id_raw = %lld AND submit_time = %lld",
             (long long)job, (long long)submit);
    int64_t found = value_of(store, sql);
    if (found != expected)
        fail_msg("job %lld of %lld: restart %lld", (long long)job, (long long)submit,
                 (long long)found);
}

static void assert_all(struct store *store)
{
    assert_restart(store, 1, 100, 0);
    assert_restart(store, 1, 200, 1);
    assert_restart(store, 1, 300, 1);
    assert_restart(store, 1, 402, 2);
    assert_restart(store, 1, 90000, 0);
    assert_restart(store, 1, 90010, 0);
    assert_restart(store, 2, 100, 0);
    assert_restart(store, 3, 100, 0);
    assert_restart(store, 3, 900, 1);
    assert_restart(store, 3, 1700, 2);
    assert_restart(store, 3, 87000, 3);
    assert_restart(store, 3, 87800, 0);
    assert_restart(store, 3, 2680000, 0); /* after more than 30 days */
    assert_restart(store, 3, 2690000, 0); /* another user's */
    assert_int_equal(value_of(store, "SELECT count(*) FROM slurm_job"), TOLD);
    assert_int_equal(value_of(store, "SELECT count(*) FROM slurm_job WHERE end_time IS NULL"), 1);
    assert_int_equal(value_of(store, "SELECT sum(core_seconds) FROM slurm_job"), 531);
}

static void shuffle(size_t *order, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)rand() % i, kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

TEST(restarts_are_numbered_in_whatever_order_they_come)
{
    for (unsigned seed = 1; seed <= (unsigned)rounds(600); seed++) {
        struct store *store = opened();
        size_t order[TOLD];
        struct slurm_job jobs[TOLD];
        srand(seed);
        for (size_t i = 0; i < TOLD; i++) {
            order[i] = i;
            if (told[i].earlier.column[SLURM_cluster].text != NULL) {
                jobs[0] = told[i].earlier;
                put(store, jobs, 1, 10);
            }
        }
        shuffle(order, TOLD);
        for (size_t at = 0, count; at < TOLD; at += count) {
            count = 1 + (size_t)rand() % (TOLD - at);
            for (size_t i = 0; i < count; i++)
                jobs[i] = told[order[at + i]].now;
            put(store, jobs, count, 20);
        }
        assert_all(store);
        for (size_t i = 0; i < TOLD; i++)
            jobs[i] = told[i].now;
        struct slurm_counts counts = put(store, jobs, TOLD, 30);
        assert_int_equal(counts.unchanged, TOLD);
        assert_int_equal(counts.fresh + counts.updated, 0);
        assert_all(store);
        store_close(store);
    }
}

TEST(an_expired_row_leaves_the_number_of_those_after_it)
{
    struct slurm_job jobs[] = {told[0].now, told[1].now};
    struct store *store = opened();
    put(store, jobs, 2, 10);
    assert_int_equal(ops->change_schema(store->connection.database,
                                        "DELETE FROM slurm_job WHERE submit_time = 100"),
                     0);
    jobs[0] = told[1].now;
    jobs[0].column[SLURM_core_seconds].real = 90;
    jobs[0].column[SLURM_state] = value_text("FAILED");
    struct slurm_counts counts = put(store, jobs, 1, 20);
    assert_int_equal(counts.updated, 1);
    assert_restart(store, 1, 200, 1);
    store_close(store);
}

TEST(sums_of_what_had_ended_are_said_to_be_wrong)
{
    struct slurm_job job = told[2].earlier;
    struct store *store = opened();
    put(store, &job, 1, 10);
    job = told[2].now;
    put(store, &job, 1, 20);
    put(store, &job, 1, 30);
    assert_int_equal(value_of(store, "SELECT value FROM store_state WHERE name = 'replaced'"), 0);
    assert_int_equal(value_of(store, "SELECT asked_time FROM slurm_job"), 20);
    job.column[SLURM_core_seconds].real = 199;
    put(store, &job, 1, 40);
    assert_int_equal(value_of(store, "SELECT value FROM store_state WHERE name = 'replaced'"), 1);
    assert_int_equal(value_of(store, "SELECT asked_time FROM slurm_job"), 40);
    store_close(store);
}

static void assert_clusters(struct store *store, const char *expected, size_t size)
{
    char *words;
    assert_int_equal(store_slurm_clusters(store, &words), 0);
    assert_memory_equal(words, expected, size);
    free(words);
}

TEST(open_jobs_and_times_are_told_by_cluster)
{
    struct slurm_job jobs[] = {told[3].now, told[13].now, told[8].now, told[13].earlier};
    struct store *store = opened();
    struct slurm_counts counts = {0};
    static const char none[] = "0 0 0  \0", one[] = "1234567890 0 1 2:100,1:402 lab\0";
    assert_clusters(store, none, sizeof none);
    jobs[0].column[SLURM_asked_time].real = 10;
    jobs[1].column[SLURM_cluster] = value_text("other");
    const struct slurm_answer answer = {jobs, 4, "lab", 1234567890};
    assert_int_equal(store_put_slurm_jobs(store, &answer, &counts), 0);
    assert_int_equal(counts.fresh, 4);
    assert_clusters(store, one, sizeof one);
    store_close(store);
}

/* The bytes of a coverage record of the cluster. */
static void note(struct store *store, const char *cluster, bool unproven)
{
    static unsigned number;
    char text[512];
    struct record record;
    struct load_reason reason;
    enum store_result result;
    snprintf(text, sizeof text,
             "{\"coverageT\":{\"uuid\":\"019a9f00-0000-7000-8000-%012u\",\"cluster\":\"%s\","
             "\"job_id\":1,\"restart_count\":0,\"user\":\"alice\"},\"coverageA\":[]}",
             number++, cluster);
    assert_int_equal(load_record(strdup(text), strlen(text), RECORD_KINDS, NULL, &record, &reason),
                     0);
    record.unproven = unproven;
    if (store_put(store, &record, 1, &result) != 0)
        fail_msg("%s", store_error(store));
    load_record_free(&record);
}

TEST(clusters_of_proven_records_are_asked_for)
{
    struct store *store = opened();
    char name[16], *words;
    size_t count = 0;
    struct slurm_job job = told[13].now;
    for (unsigned i = 0; i < 70; i++) {
        snprintf(name, sizeof name, "claimed%u", i);
        note(store, name, true);
    }
    note(store, "lab", false);
    assert_string_equal(store_slurm_left_out(store), "");
    assert_clusters(store, "0 0 0  lab\0", 12);
    for (unsigned i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "proven%u", i);
        assert_string_equal(store_slurm_left_out(store), "");
        note(store, name, false);
    }
    assert_string_equal(store_slurm_left_out(store), "proven63");
    put(store, &job, 1, 10);
    assert_int_equal(store_slurm_clusters(store, &words), 0);
    assert_memory_equal(words,
                        "0 0 1  lab\0"
                        "0 0 0  proven0\0",
                        26);
    for (const char *word = words; *word != '\0'; word += strlen(word) + 1)
        count++;
    assert_int_equal(count, 64);
    free(words);
    assert_int_equal(ops->change_schema(store->connection.database,
                                        "DELETE FROM coverage; DELETE FROM store_state WHERE name "
                                        "LIKE 'slurm%'"),
                     0);
    store_close(store);
}

TEST(many_jobs_are_put_at_once)
{
    enum { MANY = 1000 };
    struct slurm_job *jobs = calloc(MANY, sizeof *jobs);
    struct store *store = opened();
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < MANY; i++) {
            jobs[i] = told[13].now;
            jobs[i].column[SLURM_job_id_raw].whole = (int64_t)(i * 7919 % MANY);
            jobs[i].column[SLURM_cluster] = value_text(i % 3 == 0 ? "other" : "lab");
        }
        struct slurm_counts counts = put(store, jobs, MANY, 10);
        assert_int_equal(round == 0 ? counts.fresh : counts.unchanged, MANY);
    }
    assert_int_equal(value_of(store, "SELECT count(*) FROM slurm_job"), MANY);
    free(jobs);
    store_close(store);
}

ALL(make_directory, remove_directory)
