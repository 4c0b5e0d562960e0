/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * In which time zone the store's dates are. With JOBTRAIL_TEST_STORE as in owner_test.c.
 */
#include "submit/load/store/store.h"
#include "submit/load/store/store_state.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_store.h"

#define RUN                                                                                        \
    "{\"userT\":{\"run_uuid\":\"019a9f00-0000-7000-8000-00000000000a\"},"                          \
    "\"userDT\":{\"start_time\":1767222000.0,\"end_time\":1767222001.0}}" /* 23:00 UTC */
#define LINK                                                                                       \
    "{\"resultT\":{\"uuid\":\"5468e07b-0c8a-49a1-8010-3c9a11fce259\",\"build_user\":\"alice\","    \
    "\"build_epoch\":\"1767222000.0\",\"exec_path\":\"/x\"}}"
#define COVERED(number, zone)                                                                      \
    "{\"coverageT\":{\"uuid\":\"019a9f00-0000-7000-8000-0000000000c" number                        \
    "\",\"cluster\":\"tiny\",\"job_id\":" number ",\"restart_count\":0,\"user\":\"alice\","        \
    "\"timezone\":\"" zone "\"},\"coverageA\":[{\"outcome\":\"idle\",\"tasks\":0}]}"

static const struct database_ops *ops = &database_sqlite;

static struct store *opened(void)
{
    struct store *store;
    const char *address = getenv("JOBTRAIL_TEST_STORE"), *location = file;
    if (address != NULL)
        ops = store_kind(address, &location);
    if (store_open(ops, location, false, &store) != 0)
        fail_msg("%s", store_error(store));
    return store;
}

static int empty_store(void **state)
{
    struct store *store = opened();
    (void)state;
    setenv("TZ", "UTC", 1);
    int error = ops->change_schema(store->connection.database,
                                   "DELETE FROM run_own; DELETE FROM link; DELETE FROM coverage;"
                                   "DELETE FROM store_state WHERE name LIKE 'timezone%';"
                                   "UPDATE store_state SET value = '0' WHERE name = 'replaced'");
    store_close(store);
    return error;
}

static struct store *opened_in(const char *said)
{
    struct store *store = opened();
    if (store_use_zone(store, said) != 0)
        fail_msg("%s", store_error(store));
    return store;
}

static void put(struct store *store, const char *text, bool unproven)
{
    struct record record;
    struct load_reason reason = {""};
    enum store_result result;
    char *copy = strdup(text);
    if (load_record(copy, strlen(copy), RECORD_KINDS, NULL, &record, &reason) != 0)
        fail_msg("%s", reason.text);
    record.unproven = unproven;
    if (store_put(store, &record, 1, &result) != 0)
        fail_msg("%s", store_error(store));
    load_record_free(&record);
}

static void assert_text(struct store *store, const char *sql, const char *expected)
{
    struct value row;
    int error = 0;
    char found[64] = "";
    struct statement *ask = store_statement(&store->connection, sql, &error);
    assert_int_equal(store_select(&store->connection, ask, NULL), 0);
    while (store_next(&store->connection, ask, &row, 1) > 0)
        snprintf(found, sizeof found, "%.*s", (int)row.size, row.text);
    assert_string_equal(found, expected);
}

static void assert_dates(struct store *store, const char *date, const char *zone)
{
    assert_text(store,
                "SELECT coalesce(max(made), '') FROM (SELECT date AS made"
                " FROM run_own UNION SELECT date FROM link) AS dates",
                date);
    assert_text(store,
                "SELECT coalesce(min(made), '') FROM (SELECT date AS made"
                " FROM run_own UNION SELECT date FROM link) AS dates",
                date);
    assert_text(store, "SELECT value FROM store_state WHERE name = 'timezone'", zone);
}

static void assert_others(struct store *store, size_t count, const char *zone, const char *first)
{
    const char *found_zone, *found_first;
    assert_int_equal(store_other_zones(store, &found_zone, &found_first), count);
    assert_string_equal(found_zone, zone);
    assert_string_equal(found_first, first);
}

TEST(the_first_coverage_record_says_the_zone)
{
    struct store *store = opened_in(NULL);
    put(store, RUN, false);
    put(store, LINK, false);
    assert_dates(store, "2025-12-31 23:00:00", "UTC");
    put(store, COVERED("1", "Europe/Berlin"), false);
    assert_dates(store, "2026-01-01 00:00:00", "Europe/Berlin");
    assert_text(store,
                "SELECT CASE WHEN value > 0 THEN 'yes' END FROM store_state"
                " WHERE name = 'replaced'",
                "yes");
    put(store, COVERED("2", "Europe/Berlin"), false);
    put(store, COVERED("2", "America/New_York"), false); /* it was there */
    assert_others(store, 0, "Europe/Berlin", "");
    store_close(store);

    setenv("TZ", "UTC", 1);
    store = opened_in(NULL);
    put(store, COVERED("3", "America/New_York"), false);
    put(store, COVERED("4", "Middle/Earth"), true);
    assert_dates(store, "2026-01-01 00:00:00", "Europe/Berlin");
    assert_others(store, 2, "Europe/Berlin", "America/New_York");
    store_close(store);
}

TEST(what_is_not_proven_changes_nothing)
{
    struct store *store = opened_in(NULL);
    put(store, RUN, false);
    put(store, LINK, false);
    put(store, COVERED("1", "Europe/Berlin"), true);
    put(store, COVERED("2", "Middle/Earth"), false);
    put(store, COVERED("3", "Etc/UTC"), true);
    assert_dates(store, "2025-12-31 23:00:00", "UTC");
    assert_others(store, 2, "UTC", "Europe/Berlin");
    put(store, COVERED("4", "Asia/Kolkata"), false);
    assert_dates(store, "2026-01-01 04:30:00", "Asia/Kolkata");
    store_close(store);
}

TEST(who_says_the_zone_is_followed)
{
    struct store *store = opened_in(NULL);
    put(store, RUN, false);
    put(store, LINK, false);
    store_close(store);
    store = opened_in("Asia/Kolkata");
    assert_dates(store, "2026-01-01 04:30:00", "Asia/Kolkata");
    put(store, COVERED("1", "Europe/Berlin"), false);
    assert_dates(store, "2026-01-01 04:30:00", "Asia/Kolkata");
    assert_others(store, 1, "Asia/Kolkata", "Europe/Berlin");
    store_close(store);
    setenv("TZ", "UTC", 1);
    store = opened_in(NULL);
    assert_dates(store, "2026-01-01 04:30:00", "Asia/Kolkata");
    store_close(store);
}

TEST(a_zone_that_is_not_here_is_an_error_in_words)
{
    struct store *store = opened_in("Asia/Kolkata");
    store_close(store);
    setenv("TZDIR", "/nonexistent", 1);
    store = opened();
    assert_int_equal(store_use_zone(store, NULL), -EINVAL);
    assert_non_null(strstr(store_error(store), "Asia/Kolkata is not on this machine"));
    unsetenv("TZDIR");
    store_close(store);
}

EACH(empty_store, NULL)
ALL(make_directory, remove_directory)
