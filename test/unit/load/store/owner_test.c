/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose a uuid is: honest records and forged ones, in whatever order they come, make one store.
 * With JOBTRAIL_TEST_STORE=mariadb://... in a database that is this test's own, else in SQLite.
 */
#include "extensions.h"
#include "submit/load/store/record_owner.h"
#include "submit/load/store/store.h"
#include "submit/load/store/store_state.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/rounds.h"

#define RUN_A    "019a9f00-0000-7000-8000-00000000000a" /* of alice, in job 7 */
#define RUN_B    "019a9f00-0000-7000-8000-00000000000b" /* of bob, of a program that alice built */
#define RUN_X    "019a9f00-0000-7000-8000-000000000001" /* of carol, recorded by XALT */
#define RUN_U    "019a9f00-0000-7000-8000-00000000000c" /* of dave, where nothing is proven */
#define RUN_D    "019a9f00-0000-7000-8000-00000000000d" /* of alice, on two days */
#define LINK     "5468e07b-0c8a-49a1-8010-3c9a11fce259" /* of alice */
#define COVERAGE "019a9f00-0000-7000-8000-0000000000c1" /* of job 7 */
#define RANKS    "019a9f00-0000-7000-8000-0000000000e1" /* likewise */

#define SLURM(job, restart)                                                                        \
    "\"slurmT\":{\"cluster\":\"tiny\",\"job_id\":" job ",\"restart_count\":" restart               \
    ",\"node\":\"n1\"}"
#define STARTED        "\"userDT\":{\"start_time\":5.0,\"end_time\":0.0,\"run_time\":0.0}"
#define ENDED(seconds) "\"userDT\":{\"start_time\":5.0,\"end_time\":9.0,\"run_time\":" seconds "}"
#define BUILT          "\"xaltLinkT\":{\"Build_UUID\":\"" LINK "\",\"Build_User\":\"alice\"}"
#define RUN(uuid, user, job, rest)                                                                 \
    "{\"userT\":{\"run_uuid\":\"" uuid "\",\"user\":\"" user "\",\"job_id\":\"" job                \
    "\",\"exec_path\":\"/x\"}," rest "}"
#define OF_SLURM(uuid, user, job, restart, rest) RUN(uuid, user, job, SLURM(job, restart) "," rest)
#define ON_DAYS(uuid, user, job, core_seconds, days)                                               \
    RUN(uuid, user, job,                                                                           \
        "\"slurmT\":{\"cluster\":\"tiny\",\"job_id\":" job                                         \
        ",\"restart_count\":0,\"node\":\"n1\",\"leads\":true,\"core_seconds\":" core_seconds       \
        ",\"core_days\":" days "}," ENDED("4"))
#define OWNER(user, job)                                                                           \
    "\"ownerT\":{\"cluster\":\"tiny\",\"job_id\":" job                                             \
    ",\"node\":\"n1\",\"restart_count\":0,\"user\":\"" user "\"},"
#define PACKAGE(owner, name, uuid)                                                                 \
    "{" owner "\"package_name\":\"" name "\",\"package_path\":\"/p\",\"package_version\":\"1\","   \
    "\"program\":\"python\",\"xalt_run_uuid\":\"" uuid "\"}"
#define LINKED(user, program)                                                                      \
    "{\"resultT\":{\"uuid\":\"" LINK "\",\"build_user\":\"" user "\",\"link_program\":\"" program  \
    "\",\"exec_path\":\"/x\"}}"
#define COVERED(user, job, outcome)                                                                \
    "{\"coverageT\":{\"uuid\":\"" COVERAGE "\",\"cluster\":\"tiny\",\"job_id\":" job               \
    ",\"restart_count\":0,\"user\":\"" user "\"},\"coverageA\":[{\"outcome\":\"" outcome           \
    "\",\"tasks\":1}]}"
#define RANKED(user, job, signaled, zero)                                                          \
    "{\"ranksT\":{\"uuid\":\"" RANKS "\",\"cluster\":\"tiny\",\"job_id\":" job                     \
    ",\"restart_count\":0,\"user\":\"" user "\",\"step_id\":\"0\",\"node\":\"n1\",\"program\":"    \
    "\"/x\",\"end_time\":5,\"step_tasks\":2,\"step_nodes\":1,\"node_tasks\":2,\"ranks\":2,"        \
    "\"unseen\":0,\"timed\":0,\"measured\":0,\"ended_zero\":" zero ",\"ended_code\":0,"            \
    "\"ended_signal\":" signaled ",\"ended_unknown\":0}}"

static const struct {
    const char *text;
    bool unproven;
} records[] = {
    /* what happened */
    {OF_SLURM(RUN_A, "alice", "7", "0", BUILT "," STARTED), false},
    {OF_SLURM(RUN_A, "alice", "7", "0", BUILT "," ENDED("4")), false},
    {PACKAGE(OWNER("alice", "7"), "numpy", RUN_A), false},
    {OF_SLURM(RUN_B, "bob", "9", "0", BUILT "," ENDED("4")), false},
    {LINKED("alice", "gcc"), false},
    {COVERED("alice", "7", "recorded"), false},
#if JOBTRAIL_WITNESS
    {RANKED("alice", "7", "1", "1"), false},
#endif
    {RUN(RUN_X, "carol", "11", STARTED), false},
    {RUN(RUN_X, "carol", "11", ENDED("4")), false},
    {PACKAGE("", "scipy", RUN_X), false},
    {OF_SLURM(RUN_U, "dave", "12", "0", STARTED), true},
    {OF_SLURM(RUN_U, "dave", "12", "0", ENDED("4")), true},
    {PACKAGE(OWNER("dave", "12"), "pandas", RUN_U), true},
    {OF_SLURM(RUN_D, "alice", "7", "0", STARTED), false},
    {ON_DAYS(RUN_D, "alice", "7", "8.5", "[[\"1970-01-02\",3.5],[\"1970-01-03\",5.0]]"), false},
    /* what mallory has root say of her own job 8, and hands in */
    {OF_SLURM(RUN_A, "mallory", "8", "0", STARTED), false},
    {OF_SLURM(RUN_A, "mallory", "8", "0", ENDED("1")), false},
    {OF_SLURM(RUN_X, "mallory", "8", "0", ENDED("1")), false},
    {PACKAGE(OWNER("mallory", "8"), "evil", RUN_A), false},
    {PACKAGE(OWNER("mallory", "8"), "evil", RUN_X), false},
    {PACKAGE(OWNER("alice", "8"), "evil", RUN_A), false},
    {PACKAGE("", "evil", RUN_A), false},
    {LINKED("mallory", "evil"), false},
    {COVERED("mallory", "8", "static"), false},
#if JOBTRAIL_WITNESS
    {RANKED("mallory", "8", "2", "0"), false},
#endif
    {OF_SLURM(RUN_A, "alice", "7", "1", ENDED("1")), false}, /* another restart */
    {RUN(RUN_A, "alice", "7", ENDED("1")), false},           /* as if XALT had written it */
    {ON_DAYS(RUN_D, "mallory", "8", "2.0", "[[\"1970-01-05\",1.0],[\"1970-01-06\",1.0]]"), false},
    {ON_DAYS(RUN_D, "mallory", "9", "2.0", "[[\"1970-01-07\",2.0]]"), false},
    /* what anybody says where nothing proves it */
    {OF_SLURM(RUN_A, "alice", "7", "0", BUILT "," STARTED), true},
    {OF_SLURM(RUN_A, "alice", "7", "0", ENDED("1")), true},
    {OF_SLURM(RUN_B, "bob", "9", "0", STARTED), true},
    {OF_SLURM(RUN_B, "bob", "9", "0", ENDED("1")), true},
    {PACKAGE(OWNER("alice", "7"), "evil", RUN_A), true},
    {PACKAGE(OWNER("alice", "7"), "numpy", RUN_A), true},
    {ON_DAYS(RUN_D, "alice", "7", "3.0",
             "[[\"1970-01-03\",1.0],[\"1970-01-11\",1.0],[\"1970-01-12\",1.0]]"),
     true},
    {LINKED("alice", "evil"), true},
    {COVERED("alice", "7", "opted_out"), true},
#if JOBTRAIL_WITNESS
    {RANKED("alice", "7", "0", "2"), true},
#endif
};
enum { RECORDS = sizeof records / sizeof records[0], TWICE = 2 * RECORDS };

/* All that there is to see, but for ids. */
static const char *const queries[] = {
    "SELECT uuid, user, job_id_raw, restart_count, is_start_only, proven, build_id IS NOT NULL,"
    " CASE WHEN run_time > 2 THEN 'long' ELSE 'short' END FROM run ORDER BY uuid, owner",
    "SELECT 'day', uuid, user, job_id_raw, core_day, day,"
    " CASE WHEN run_day.core_seconds > 4 THEN 'long' WHEN run_day.core_seconds > 2 THEN 'middle' "
    "END"
    " FROM run LEFT JOIN run_day ON run_day.run_id = run.id WHERE run.core_seconds IS NOT NULL"
    " ORDER BY uuid, owner, day",
    "SELECT count(*) FROM run_day WHERE run_id NOT IN (SELECT id FROM run_own)",
    "SELECT run.uuid, run.user, pkg_name FROM xalt_pkg JOIN run ON run.id = run_id ORDER BY 1, 2, "
    "3",
    "SELECT uuid, build_user, link_program, proven, xalt_uuid FROM link ORDER BY uuid, build_user",
    "SELECT run_uuid, xalt_run.user, build_user, link_program FROM xalt_run"
    " JOIN xalt_link ON xalt_link.uuid = xalt_run.uuid ORDER BY 1, 2, 3",
    "SELECT uuid, user, outcome, proven FROM coverage ORDER BY uuid, owner",
    "SELECT uuid, user, ended_signal, ended_zero, proven FROM ranks ORDER BY uuid, owner",
    "SELECT kind, uuid, user, job_id, restart_count, proven FROM conflict ORDER BY 1, 2, 3, 4, 5, "
    "6",
};

static char location_text[256] = ":memory:";
static const struct database_ops *ops = &database_sqlite;

static struct store *opened(void)
{
    struct store *store;
    const char *address = getenv("JOBTRAIL_TEST_STORE"), *location = location_text;
    if (address != NULL)
        ops = store_kind(address, &location);
    assert_non_null(ops);
    if (store_open(ops, location, false, &store) != 0)
        fail_msg("%s", store_error(store));
    assert_int_equal(
        ops->change_schema(store->connection.database,
                           "DELETE FROM run_day; DELETE FROM run_own; DELETE FROM link;"
                           "DELETE FROM run_package; DELETE FROM package_owner;"
                           "DELETE FROM coverage; DELETE FROM ranks;"),
        0);
    return store;
}

static void read_record(size_t at, struct record *record)
{
    struct load_reason reason = {""};
    char *text = strdup(records[at].text);
    if (load_record(text, strlen(text), RECORD_KINDS, NULL, record, &reason) != 0)
        fail_msg("%s: %s", reason.text, text);
    record->unproven = records[at].unproven;
}

/* Puts these records in one transaction. */
static void put(struct store *store, const size_t *order, size_t count, enum store_result *results)
{
    struct record batch[TWICE];
    for (size_t i = 0; i < count; i++)
        read_record(order[i], &batch[i]);
    if (store_put(store, batch, count, results) != 0)
        fail_msg("%s", store_error(store));
    for (size_t i = 0; i < count; i++)
        load_record_free(&batch[i]);
}

static void print_rows(struct store *store, const char *sql, FILE *out)
{
    enum { COLUMNS = 8 };
    struct value row[COLUMNS];
    int error = 0, more;
    struct statement *statement = store_statement(&store->connection, sql, &error);
    assert_int_equal(ops->select(store->connection.database, statement, NULL), 0);
    for (size_t i = 0; i < COLUMNS; i++)
        row[i] = (struct value){.kind = VALUE_NULL};
    while ((more = ops->next(store->connection.database, statement, row, COLUMNS)) > 0) {
        for (size_t i = 0; i < COLUMNS; i++) {
            if (row[i].kind == VALUE_TEXT)
                fprintf(out, "%.*s|", (int)row[i].size, row[i].text);
            else if (row[i].kind == VALUE_INT)
                fprintf(out, "%lld|", (long long)row[i].whole);
            else
                fputc('|', out);
        }
        fputc('\n', out);
    }
    assert_int_equal(more, 0);
}

/* To be freed. */
static char *contents(struct store *store)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        print_rows(store, queries[i], out);
        fputs("--\n", out);
    }
    fclose(out);
    return text;
}

static void shuffle(size_t *order, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)rand() % i, kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

/* Each record twice, in an order and in batches that follow from the seed. */
static char *stored(unsigned seed)
{
    enum store_result results[TWICE];
    size_t order[TWICE];
    struct store *store = opened();
    srand(seed);
    for (size_t i = 0; i < TWICE; i++)
        order[i] = i % RECORDS;
    if (seed != 0)
        shuffle(order, TWICE);
    for (size_t at = 0, count; at < TWICE; at += count) {
        count = 1 + (size_t)rand() % (TWICE - at);
        put(store, order + at, count, results);
    }
    char *text = contents(store);
    store_close(store);
    return text;
}

TEST(order_decides_nothing)
{
    const char *given = getenv("JOBTRAIL_TEST_ROUNDS");
    const unsigned seeds = (unsigned)(given == NULL ? rounds(1000) : atoi(given));
    char *first = stored(0);
    for (unsigned seed = 1; seed <= seeds; seed++) {
        char *text = stored(seed);
        if (strcmp(first, text) != 0)
            fail_msg("seed %u: in the order of the list\n%s\nin its order\n%s", seed, first, text);
        free(text);
    }
    free(first);
}

static void assert_has(const char *text, const char *line)
{
    if (strstr(text, line) == NULL)
        fail_msg("no %s in\n%s", line, text);
}

static void assert_has_not(const char *text, const char *line)
{
    if (strstr(text, line) != NULL)
        fail_msg("%s in\n%s", line, text);
}

TEST(everybody_has_what_is_his)
{
    char *text = stored(0);
    assert_has(text, RUN_A "|alice|7|0|0|1|1|long|\n");
    assert_has(text, RUN_A "|alice|7|1|0|1|0|short|\n");
    assert_has(text, RUN_A "|alice|7||0|1|0|short|\n");
    assert_has(text, RUN_A "|mallory|8|0|0|1|0|short|\n");
    assert_has(text, RUN_B "|bob|9|0|0|1|1|long|\n");
    assert_has(text, RUN_X "|carol|11||0|1|0|long|\n");
    assert_has(text, RUN_X "|mallory|8|0|0|1|0|short|\n");
    assert_has(text, RUN_U "|dave|12|0|0|0|0|long|\n");

    assert_has(text, "day|" RUN_D "|alice|7||1|middle||\nday|" RUN_D "|alice|7||2|long||\n");
    assert_has(text, "day|" RUN_D "|mallory|8||4|||\nday|" RUN_D "|mallory|8||5|||\n");
    assert_has(text, "day|" RUN_D "|mallory|9|6||||\n");
    assert_has_not(text, "|10|");
    assert_has(text, "--\n0|");

    assert_has(text, RUN_A "|alice|numpy|");
    assert_has(text, RUN_X "|carol|scipy|");
    assert_has(text, RUN_U "|dave|pandas|");
    assert_has(text, RUN_A "|mallory|evil|");
    assert_has_not(text, RUN_X "|carol|evil|");
    assert_has_not(text, RUN_B "|bob|evil|");

    assert_has(text, LINK "|alice|gcc|1|" LINK "/alice|");
    assert_has(text, LINK "|mallory|evil|1|" LINK "/mallory|");
    assert_has(text, RUN_A "|alice|alice|gcc|");
    assert_has(text, RUN_B "|bob|alice|gcc|");
    assert_has_not(text, "|alice|mallory|evil|");
    assert_has_not(text, "|bob|mallory|evil|");

    assert_has(text, COVERAGE "|alice|recorded|1|");
    assert_has(text, COVERAGE "|mallory|static|1|");
    assert_has_not(text, "opted_out");
    if (JOBTRAIL_WITNESS) {
        assert_has(text, RANKS "|alice|1|1|1|");
        assert_has(text, RANKS "|mallory|2|0|1|");
        assert_has_not(text, RANKS "|alice|0|2|");
    }
    free(text);
}

TEST(conflicts_can_be_found)
{
    char *text = stored(0);
    assert_has(text, "run|" RUN_A "|alice|7|0|1|");
    assert_has(text, "run|" RUN_A "|mallory|8|0|1|");
    assert_has(text, "run|" RUN_X "|mallory|8|0|1|");
    assert_has(text, "link|" LINK "|mallory||");
    assert_has(text, "coverage|" COVERAGE "|mallory|8|0|1|");
    if (JOBTRAIL_WITNESS)
        assert_has(text, "ranks|" RANKS "|mallory|8|0|1|");
    assert_has(text, "package|" RUN_A "|alice|8|0|1|");
    assert_has(text, "package|" RUN_A "|alice|7|0|0|");
    assert_has_not(text, "run|" RUN_B);
    assert_has_not(text, "run|" RUN_U);
    free(text);
}

static enum store_result result_of(struct store *store, const char *text, bool unproven)
{
    enum store_result result = STORE_NEW;
    for (size_t i = 0; i < RECORDS; i++) {
        if (strcmp(records[i].text, text) == 0 && records[i].unproven == unproven) {
            put(store, &i, 1, &result);
            return result;
        }
    }
    fail_msg("no such record: %s", text);
    return result;
}

TEST(conflicts_are_told)
{
    struct store *store = opened();
    assert_int_equal(result_of(store, records[0].text, false), STORE_NEW);
    assert_int_equal(result_of(store, OF_SLURM(RUN_A, "mallory", "8", "0", ENDED("1")), false),
                     STORE_CONFLICT);
    assert_int_equal(result_of(store, OF_SLURM(RUN_A, "mallory", "8", "0", ENDED("1")), false),
                     STORE_UNCHANGED);
    assert_int_equal(result_of(store, OF_SLURM(RUN_A, "alice", "7", "0", BUILT "," STARTED), true),
                     STORE_UNCHANGED);
    assert_int_equal(result_of(store, OF_SLURM(RUN_A, "alice", "7", "0", ENDED("1")), true),
                     STORE_UNPROVEN);
    assert_int_equal(result_of(store, records[1].text, false), STORE_UPDATED);
    assert_int_equal(result_of(store, LINKED("alice", "evil"), true), STORE_NEW);
    assert_int_equal(result_of(store, LINKED("mallory", "evil"), false), STORE_CONFLICT);
    assert_int_equal(result_of(store, LINKED("alice", "gcc"), false), STORE_UPDATED);
    assert_int_equal(result_of(store, LINKED("alice", "evil"), true), STORE_UNCHANGED);
    assert_int_equal(result_of(store, COVERED("alice", "7", "recorded"), false), STORE_NEW);
    assert_int_equal(result_of(store, COVERED("mallory", "8", "static"), false), STORE_CONFLICT);
    store_close(store);
}

TEST(what_is_not_proven_is_joined_to_nothing_that_is)
{
    struct store *store = opened();
    result_of(store, OF_SLURM(RUN_B, "bob", "9", "0", BUILT "," ENDED("4")), false);
    result_of(store, OF_SLURM(RUN_A, "alice", "7", "0", BUILT "," STARTED), true);
    result_of(store, LINKED("alice", "evil"), true);
    result_of(store, PACKAGE(OWNER("alice", "7"), "evil", RUN_A), true);
    char *text = contents(store);
    assert_has(text, RUN_A "|alice|alice|evil|"); /* a claim about a claim */
    assert_has(text, RUN_A "|alice|evil|");
    assert_has_not(text, RUN_B "|bob|alice|");
    free(text);
    result_of(store, OF_SLURM(RUN_A, "alice", "7", "0", BUILT "," STARTED), false);
    text = contents(store);
    assert_has(text, RUN_A "|alice|7|0|1|1|");
    assert_has_not(text, RUN_A "|alice|alice|evil|");
    assert_has_not(text, RUN_A "|alice|evil|");
    assert_has(text, "package|" RUN_A "|alice|7|0|0|");
    free(text);
    store_close(store);
}

TEST(a_link_that_is_alone_again_has_its_own_uuid)
{
    const size_t both[] = {4, 19};
    enum store_result results[2];
    volatile sig_atomic_t stop = 0;
    size_t runs;
    struct store *store = opened();
    put(store, both, 2, results);
    assert_int_equal(ops->change_schema(store->connection.database,
                                        "UPDATE link SET build_epoch = 1 WHERE build_user = "
                                        "'mallory'"),
                     0);
    assert_int_equal(store_expire(store, 2, &stop, &runs), 0);
    char *text = contents(store);
    assert_has(text, LINK "|alice|gcc|1|" LINK "|");
    assert_has_not(text, "mallory");
    free(text);
    store_close(store);
}

TEST(what_is_too_old_goes_without_anothers)
{
    enum store_result results[RECORDS];
    volatile sig_atomic_t stop = 0;
    size_t order[RECORDS], runs;
    struct store *store = opened();
    for (size_t i = 0; i < RECORDS; i++)
        order[i] = i;
    put(store, order, RECORDS, results);
    assert_int_equal(ops->change_schema(store->connection.database,
                                        "UPDATE run_own SET start_time = 5e8, date = '1985-11-05'"
                                        " WHERE job_part_id IN (SELECT id FROM job_part"
                                        " WHERE user <> 'mallory')"),
                     0);
    assert_int_equal(ops->change_schema(store->connection.database,
                                        "UPDATE run_own SET start_time = 6e8, date = '1989-01-05'"
                                        " WHERE job_part_id IN (SELECT id FROM job_part"
                                        " WHERE user = 'mallory')"),
                     0);
    assert_int_equal(ops->change_schema(store->connection.database,
                                        "INSERT INTO run_routine_watch SELECT id, 1, 0, 0"
                                        " FROM run_own"),
                     0);
    assert_int_equal(store_expire(store, 5.5e8, &stop, &runs), 0);
    char *text = contents(store);
    assert_int_equal(runs, 7);
    assert_has(text, RUN_A "|mallory|8|0|0|1|0|short|\n");
    assert_has(text, RUN_A "|mallory|evil|");
    assert_has(text, "day|" RUN_D "|mallory|8|");
    assert_has(text, "--\n0|");
    assert_has_not(text, RUN_A "|alice|7|");
    assert_has_not(text, "day|" RUN_D "|alice|");
    assert_has_not(text, RUN_U);
    free(text);
    assert_int_equal(store_expire(store, 6.5e8, &stop, &runs), 0);
    struct statement *left =
        store_statement(&store->connection,
                        "SELECT 1 FROM run_package UNION SELECT 2 FROM run_day UNION SELECT 3 FROM"
                        " run_routine_watch",
                        &(int){0});
    assert_int_equal(store_ask(&store->connection, left, NULL, &(int64_t){0}, 1), 0);
    store_close(store);
}

/* Of what a user can vary about a record that root checks, his job's number is all. */
TEST(owners_differ)
{
    static const struct run_record runs[] = {
        {.user = "alice", .job_id_raw = {true, 7}, .restart_count = {true, 0}, .cluster = "tiny"},
        {.user = "alice", .job_id_raw = {true, 7}, .restart_count = {true, 0}, .cluster = "big"},
        {.user = "alice", .job_id_raw = {true, 7}, .restart_count = {true, 0}},
        {.user = "alice", .job_id_raw = {true, 7}, .restart_count = {true, 1}, .cluster = "tiny"},
        {.user = "alice", .job_id_raw = {true, 7}, .cluster = "tiny"},
        {.user = "alice", .restart_count = {true, 0}, .cluster = "tiny"},
        {.job_id_raw = {true, 7}, .restart_count = {true, 0}, .cluster = "tiny"},
        {.user = "alice7", .restart_count = {true, 0}, .cluster = "tiny"},
        {.user = "alice", .uid = {true, 1}, .restart_count = {true, 0}, .cluster = "tiny"},
        {.user = "alice", .uid = {true, 2}, .restart_count = {true, 0}, .cluster = "tiny"},
        {.user = "alice", .job_id = "7_1"},
        {.user = "alice", .job_id = "7_2"},
    };
    enum { RUNS = sizeof runs / sizeof runs[0] };
    int64_t owners[RUNS];
    for (size_t i = 0; i < RUNS; i++) {
        owners[i] = record_owner_of_run(&runs[i]);
        assert_true(owners[i] > 0);
        assert_int_equal(owners[i] % 2, runs[i].restart_count.known);
        for (size_t j = 0; j < i; j++)
            assert_true(owners[i] != owners[j]);
    }
    /* what a job of XALT's is called says nothing about one of ours */
    struct run_record again = runs[0];
    again.job_id = "8";
    assert_true(record_owner_of_run(&again) == owners[0]);
    const struct package_record package = {
        .user = "alice", .job_id = {true, 7}, .restart_count = {true, 0}, .cluster = "tiny"};
    assert_true(record_owner_of_package(&package, (struct value[OWNER_VALUES]){0}) == owners[0]);
}

/* ---- Crowds --------------------------------------------------------------------------------- */

enum { AT_ONCE = 300 };
static int crowd = 1000; /* or $JOBTRAIL_TEST_CROWD */

/* A record of a kind, of the user and job with this number. */
static void claim_run(FILE *out, int number)
{
    fprintf(out,
            "{\"userT\":{\"run_uuid\":\"" RUN_A "\",\"user\":\"u%d\",\"job_id\":\"%d\","
            "\"exec_path\":\"/x\"},\"slurmT\":{\"cluster\":\"tiny\",\"job_id\":%d,"
            "\"restart_count\":0,\"node\":\"n1\"}," STARTED "}",
            number, number, number);
}

static void claim_link(FILE *out, int number)
{
    fprintf(out,
            "{\"resultT\":{\"uuid\":\"" LINK "\",\"build_user\":\"u%d\","
            "\"link_program\":\"gcc\",\"exec_path\":\"/x\"}}",
            number);
}

static void claim_package(FILE *out, int number)
{
    fprintf(out,
            "{\"ownerT\":{\"cluster\":\"tiny\",\"job_id\":%d,\"node\":\"n1\","
            "\"restart_count\":0,\"user\":\"u%d\"},\"package_name\":\"p\",\"package_path\":\"/p\","
            "\"package_version\":\"1\",\"program\":\"python\",\"xalt_run_uuid\":\"" RUN_A "\"}",
            number, number);
}

static void claim_coverage(FILE *out, int number)
{
    fprintf(out,
            "{\"coverageT\":{\"uuid\":\"" COVERAGE "\",\"cluster\":\"tiny\",\"job_id\":%d,"
            "\"restart_count\":0,\"user\":\"u%d\"},\"coverageA\":["
            "{\"outcome\":\"recorded\",\"tasks\":1},{\"outcome\":\"static\",\"tasks\":2}]}",
            number, number);
}

#if JOBTRAIL_WITNESS
static void claim_ranks(FILE *out, int number)
{
    fprintf(out,
            "{\"ranksT\":{\"uuid\":\"" RANKS "\",\"cluster\":\"tiny\",\"job_id\":%d,"
            "\"restart_count\":0,\"user\":\"u%d\",\"step_id\":\"0\",\"node\":\"n1\","
            "\"program\":\"\",\"end_time\":5,\"step_tasks\":2,\"step_nodes\":1,\"node_tasks\":2,"
            "\"ranks\":0,\"unseen\":2,\"timed\":0,\"measured\":0,\"ended_zero\":0,"
            "\"ended_code\":0,\"ended_signal\":0,\"ended_unknown\":0}}",
            number, number);
}
#endif

static const struct claim {
    void (*write)(FILE *out, int number);
    const char *unproven, *proven; /* how many owners are in the store */
} claims[] = {
    {claim_run, "SELECT count(*) FROM run_own WHERE proven = 0",
     "SELECT count(*) FROM run_own WHERE proven = 1"},
    {claim_link, "SELECT count(*) FROM link WHERE proven = 0",
     "SELECT count(*) FROM link WHERE proven = 1"},
    {claim_package, "SELECT count(*) FROM run_package WHERE proven = 0",
     "SELECT count(*) FROM run_package WHERE proven = 1"},
    {claim_coverage, "SELECT count(DISTINCT owner) FROM coverage WHERE proven = 0",
     "SELECT count(DISTINCT owner) FROM coverage WHERE proven = 1"},
#if JOBTRAIL_WITNESS
    {claim_ranks, "SELECT count(*) FROM ranks WHERE proven = 0",
     "SELECT count(*) FROM ranks WHERE proven = 1"},
#endif
};
enum { CLAIMS = sizeof claims / sizeof claims[0] };

/* Puts those from `first` on in one transaction, and counts what became of them. */
static void put_claims(struct store *store, const struct claim *claim, int first, int count,
                       bool unproven, size_t results[STORE_CROWDED + 1])
{
    static struct record batch[AT_ONCE];
    static enum store_result result[AT_ONCE];
    for (int i = 0; i < count; i++) {
        struct load_reason reason = {""};
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        claim->write(out, first + i);
        fclose(out);
        if (load_record(text, size, RECORD_KINDS, NULL, &batch[i], &reason) != 0)
            fail_msg("%s", reason.text);
        batch[i].unproven = unproven;
    }
    if (store_put(store, batch, (size_t)count, result) != 0)
        fail_msg("%s", store_error(store));
    for (int i = 0; i < count; i++) {
        results[result[i]]++;
        load_record_free(&batch[i]);
    }
}

static int64_t number_of(struct store *store, const char *sql)
{
    struct value row[1];
    struct statement *statement = store_statement(&store->connection, sql, &(int){0});
    assert_int_equal(ops->select(store->connection.database, statement, NULL), 0);
    assert_int_equal(ops->next(store->connection.database, statement, row, 1), 1);
    int64_t number = value_whole(&row[0]);
    assert_int_equal(ops->next(store->connection.database, statement, row, 1), 0);
    return number;
}

static void put_crowd(struct store *store, const struct claim *claim, size_t *results)
{
    for (int first = 1, count; first <= crowd; first += count) {
        count = crowd + 1 - first < AT_ONCE ? crowd + 1 - first : AT_ONCE;
        put_claims(store, claim, first, count, true, results);
    }
}

TEST(of_a_crowd_that_claims_a_uuid_few_are_kept)
{
    for (size_t i = 0; i < CLAIMS; i++) {
        struct store *store = opened();
        size_t results[STORE_CROWDED + 1] = {0};
        put_crowd(store, &claims[i], results);
        assert_int_equal(results[STORE_NEW] + results[STORE_CONFLICT], STORE_CLAIMS);
        assert_int_equal(results[STORE_CROWDED], (size_t)crowd - STORE_CLAIMS);
        assert_int_equal(number_of(store, claims[i].unproven), STORE_CLAIMS);
        /* once more: what is there is known, the rest is not */
        put_crowd(store, &claims[i], results);
        assert_int_equal(results[STORE_UNCHANGED], STORE_CLAIMS);
        assert_int_equal(number_of(store, claims[i].unproven), STORE_CLAIMS);
        store_close(store);
    }
}

TEST(what_is_proven_gets_into_a_crowd)
{
    for (size_t i = 0; i < CLAIMS; i++) {
        struct store *store = opened();
        size_t results[STORE_CROWDED + 1] = {0};
        put_crowd(store, &claims[i], results);
        put_claims(store, &claims[i], crowd + 1, 20, false, results);
        assert_int_equal(number_of(store, claims[i].proven), 20);
        /* one of the crowd, whose place another takes; and one that was left out */
        put_claims(store, &claims[i], 1, 1, false, results);
        put_claims(store, &claims[i], crowd, 1, false, results);
        assert_int_equal(number_of(store, claims[i].proven), 22);
        assert_int_equal(number_of(store, claims[i].unproven), STORE_CLAIMS - 1);
        put_crowd(store, &claims[i], results);
        assert_int_equal(number_of(store, claims[i].proven), 22);
        assert_int_equal(number_of(store, claims[i].unproven), STORE_CLAIMS);
        store_close(store);
    }
}

TEST(what_is_proven_is_no_part_of_a_crowd)
{
    for (size_t i = 0; i < CLAIMS; i++) {
        struct store *store = opened();
        size_t results[STORE_CROWDED + 1] = {0};
        put_claims(store, &claims[i], crowd + 1, 50, false, results);
        put_crowd(store, &claims[i], results);
        assert_int_equal(number_of(store, claims[i].proven), 50);
        assert_int_equal(number_of(store, claims[i].unproven), STORE_CLAIMS);
        store_close(store);
    }
}

/* ---- What is not proven, beside what is ----------------------------------------------------- */

static void assert_alices_link_has_its_uuid(struct store *store)
{
    char *text = contents(store);
    assert_has(text, LINK "|alice|gcc|1|" LINK "|");
    assert_has(text, RUN_A "|alice|alice|gcc|");
    assert_has(text, RUN_B "|bob|alice|gcc|");
    assert_has_not(text, "|alice|u1|");
    assert_has_not(text, "|bob|u1|");
    free(text);
    assert_int_equal(number_of(store, "SELECT count(*) FROM xalt_run WHERE uuid = '" LINK "'"), 2);
}

static void put_alices_runs(struct store *store)
{
    result_of(store, records[1].text, false);
    result_of(store, OF_SLURM(RUN_B, "bob", "9", "0", BUILT "," ENDED("4")), false);
}

TEST(what_is_not_proven_takes_no_uuid_from_what_is)
{
    size_t results[STORE_CROWDED + 1] = {0};
    struct store *store = opened();
    put_alices_runs(store);
    put_claims(store, &claims[1], 1, 2, true, results);
    /* her link has not come yet: the runs have what is in their executable all the same */
    assert_int_equal(number_of(store, "SELECT count(*) FROM xalt_run WHERE uuid = '" LINK "'"), 2);
    assert_int_equal(number_of(store, "SELECT count(*) FROM xalt_run JOIN xalt_link"
                                      " ON xalt_link.uuid = xalt_run.uuid"),
                     0);
    result_of(store, LINKED("alice", "gcc"), false);
    assert_alices_link_has_its_uuid(store);
    store_close(store);

    store = opened();
    put_alices_runs(store);
    result_of(store, LINKED("alice", "gcc"), false);
    put_claims(store, &claims[1], 1, 2, true, results);
    assert_alices_link_has_its_uuid(store);
    char *text = contents(store);
    assert_has(text, LINK "|u1|gcc|0|" LINK "/u1|");
    assert_has(text, "link|" LINK "|alice|");
    assert_has(text, "link|" LINK "|u2|");
    free(text);
    store_close(store);
}

TEST(a_claim_that_is_proven_later_has_its_uuid)
{
    struct store *store = opened();
    put_alices_runs(store);
    result_of(store, LINKED("alice", "evil"), true);
    result_of(store, LINKED("alice", "gcc"), false);
    assert_alices_link_has_its_uuid(store);
    store_close(store);
}

static char directory[] = "/tmp/jobtrail-owner-XXXXXX";

/* The loader makes an empty file of the store's name, before SQLite keeps the store in memory. */
static int make_directory(void **state)
{
    const char *text = getenv("JOBTRAIL_TEST_CROWD");
    (void)state;
    if (text != NULL)
        crowd = atoi(text);
    return mkdtemp(directory) == NULL || chdir(directory) != 0 ? -1 : 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(location_text);
    return rmdir(directory);
}

ALL(make_directory, remove_directory)
