/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <time.h>

#include "test/unit/fixture/cases.h"
#include <sqlite3.h>

#include "contrib/routines/load/run_routines.h"
#include "contrib/routines/load/store_routines.h"
#include "submit/load/store/store.h"
#include "submit/load/store/store_state.h"
#include "test/unit/fixture/made_store.h"

static sqlite3_int64 value_of(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    sqlite3_int64 value = -1;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    if (sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}

/* A run of `user` that called as many routines of the library as a run can, of names from `first`
 * on. */
struct claim {
    const char *user, *library;
    unsigned first;
    bool unproven;
};

static void make_record(const struct claim *claim, struct record *record)
{
    static unsigned runs;
    struct load_reason reason = {""};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fprintf(out,
            "{\"userT\":{\"run_uuid\":\"8c8d61fb-98c1-44c0-874c-%012u\",\"exec_path\":\"/x\","
            "\"user\":\"%s\"},\"userDT\":{\"start_time\":5.0,\"end_time\":6.5,\"run_time\":1.5},"
            "\"routineT\":{\"libraryA\":[[\"%s\",\"0\"]],\"routineA\":[",
            ++runs, claim->user, claim->library);
    for (unsigned i = 0; i < RUN_ROUTINES_MAX; i++)
        fprintf(out, "%s[0,\"r%u\",null,null,false]", i == 0 ? "" : ",", claim->first + i);
    fputs("]}}", out);
    assert_int_equal(fclose(out), 0);
    if (load_record(text, size, RECORD_KINDS, NULL, record, &reason) != 0)
        fail_msg("%s", reason.text);
    record->unproven = claim->unproven;
}

enum { AT_ONCE = 16 };

/* Puts them in one transaction; returns how many routines were left out. */
static int64_t put(struct store *store, const struct claim *claims, size_t count)
{
    struct record records[AT_ONCE];
    enum store_result results[AT_ONCE];
    int64_t unnamed = 0;
    assert_true(count <= AT_ONCE);
    for (size_t i = 0; i < count; i++)
        make_record(&claims[i], &records[i]);
    if (store_put(store, records, count, results) != 0)
        fail_msg("%s", store_error(store));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(results[i], STORE_NEW);
        unnamed += records[i].run.without_room;
        load_record_free(&records[i]);
    }
    return unnamed;
}

static int64_t put_one(struct store *store, struct claim claim)
{
    return put(store, &claim, 1);
}

TEST(a_user_brings_a_bounded_number_of_names_to_a_library)
{
    struct store *store = open_file(false);
    assert_int_equal(put_one(store, (struct claim){"mallory", "/l.so", 0, false}), 0);
    assert_int_equal(put_one(store, (struct claim){"mallory", "/l.so", 4090, false}), 0);
    /* six names are left of the 8192 */
    assert_int_equal(put_one(store, (struct claim){"mallory", "/l.so", 20000, false}), 4090);
    /* those that are there cost nothing */
    assert_int_equal(put_one(store, (struct claim){"mallory", "/l.so", 0, false}), 0);
    /* nothing is taken from another */
    assert_int_equal(put_one(store, (struct claim){"alice", "/l.so", 20000, false}), 0);
    assert_int_equal(put_one(store, (struct claim){"mallory", "/l.so", 20000, false}), 0);
    store_close(store);
    assert_int_equal(value_of("SELECT count(*) FROM routine"), 8192 + 4090);
    assert_int_equal(value_of("SELECT sum(names) FROM routine_maker WHERE user = 'mallory'"),
                     8192 + 1);
    assert_int_equal(value_of("SELECT sum(unnamed) FROM run_routine_watch"), 4090);
    assert_int_equal(value_of("SELECT count(*) FROM run_routine WHERE run_id = 3"), 6);
}

TEST(a_user_brings_a_bounded_number_of_names_in_a_day)
{
    static const char *const paths[] = {"/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"};
    struct claim claims[9];
    struct store *store = open_file(false);
    for (size_t i = 0; i < 9; i++)
        claims[i] = (struct claim){"mallory", paths[i], 0, false};
    /* with the names of libraries: 9 + 7 x 4096 of the eighth 4087, and none of the ninth */
    assert_int_equal(put(store, claims, 9), 9 + 4096);
    assert_int_equal(put_one(store, (struct claim){"mallory", "/new", 0, false}), 4096);
    assert_int_equal(put_one(store, (struct claim){"alice", "/new", 0, false}), 0);
    store_close(store);
    assert_int_equal(value_of("SELECT sum(names) FROM routine_maker WHERE user = 'mallory'"),
                     ROUTINE_NAMES_A_DAY);
    assert_int_equal(value_of("SELECT count(*) FROM routine_library"), 10);
    assert_int_equal(value_of("SELECT count(*) FROM run_routine_library"), 10);
    assert_int_equal(value_of("SELECT sum(unnamed) FROM run_routine_watch"), 9 + 2 * 4096);
    /* another day */
    value_of("UPDATE routine_maker SET day = day - 1");
    store = open_file(false);
    assert_int_equal(put_one(store, (struct claim){"mallory", "/later", 0, false}), 0);
    store_close(store);
}

TEST(unproven_runs_share_a_bound_whatever_user_they_name)
{
    struct store *store = open_file(false);
    static const char *const users[] = {"alice", "bob", "eve"};
    int64_t unnamed = 0;
    for (unsigned i = 0; i < ROUTINE_NAMES_UNPROVEN * 2 + 1; i++)
        unnamed += put_one(store, (struct claim){users[i % 3], "/l.so", i * 4096, true});
    assert_int_equal(unnamed, 4096);
    assert_int_equal(put_one(store, (struct claim){"alice", "/l.so", 500000, false}), 0);
    store_close(store);
    assert_int_equal(value_of("SELECT count(*) FROM routine"),
                     ROUTINE_NAMES_UNPROVEN * ROUTINE_NAMES_A_LIBRARY + 4096);
}

TEST(what_is_known_of_makers_expires)
{
    static const volatile sig_atomic_t stop;
    size_t runs;
    struct store *store = open_file(false);
    assert_int_equal(put_one(store, (struct claim){"mallory", "/l.so", 0, false}), 0);
    assert_int_equal(store_expire(store, (double)time(NULL) - 86400, &stop, &runs), 0);
    assert_int_equal(runs, 1);
    store_close(store);
    /* of the library nothing is left; that of the day counts on */
    assert_int_equal(value_of("SELECT count(*) FROM routine_library"), 0);
    assert_int_equal(value_of("SELECT sum(names) FROM routine_maker"), 1);
    store = open_file(false);
    assert_int_equal(store_expire(store, (double)time(NULL) + 3 * 86400.0, &stop, &runs), 0);
    store_close(store);
    assert_int_equal(value_of("SELECT count(*) FROM routine_maker"), 0);
}

EACH(NULL, remove_file)

ALL(make_directory, remove_directory)
