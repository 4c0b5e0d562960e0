// SPDX-License-Identifier: LGPL-2.1-or-later
// The least that must be done to have runs in a store, for benchmarks:
//
//   insert_rows STORE COUNT
//
// makes the store's tables and inserts COUNT rows into run_own, by one prepared INSERT for each,
// with a commit for each GROUP of them. Nothing is read, compared or shared. The rows come as the
// loader's do out of DIRECTORIES directories, one after the other, of which each has runs of the
// whole time.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/store/store.h"

enum { GROUP = 4000, DIRECTORIES = 101, SHARED = 2000, TEXT_SIZE = 64 };

struct row {
    char uuid[TEXT_SIZE], date[TEXT_SIZE], cmdline[TEXT_SIZE], pids[TEXT_SIZE];
};

static const char add_run[] =
    "INSERT INTO run_own (uuid, owner, proven, is_start_only, date, step_id, cmdline, "
    "ancestor_pids,"
    " program_id, job_part_id, layout_id, ending_id, environment_id, ancestors_id, start_time,"
    " end_time, run_time) VALUES (?, ?, 1, 0, ?, '0', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static struct value real_of(double real)
{
    return (struct value){.kind = VALUE_REAL, .real = real};
}

static int insert(const struct database_ops *ops, struct database *database,
                  struct statement *statement, uint64_t number)
{
    struct row row;
    const int64_t shared = (int64_t)(number % SHARED) + 1, job = (int64_t)(number / 5) + 1;
    const double start = 1.7e9 + (double)number;
    const uint64_t random = number * UINT64_C(0x9e3779b97f4a7c15);
    snprintf(row.uuid, TEXT_SIZE, "%08" PRIx64 "-%04" PRIx64 "-7abc-8%03" PRIx64 "-%012" PRIx64,
             UINT64_C(0x19000000) + number / 60, number % 60 * 1000, random >> 52,
             random & UINT64_C(0xffffffffffff));
    snprintf(row.date, TEXT_SIZE, "2026-01-%02u 10:00:00", (unsigned)(number % 28 + 1));
    snprintf(row.cmdline, TEXT_SIZE,
             "[\"/sw/apps/%" PRId64 "\",\"-i\",\"input.1\",\"--seed\",\"%d\"]", shared,
             (int)(random >> 48));
    snprintf(row.pids, TEXT_SIZE, "[%d,%d]", (int)(random >> 44), (int)(random >> 44) - 7);
    const struct value values[] = {
        value_text(row.uuid),
        value_int((int64_t)(random >> 1)),
        value_text(row.date),
        value_text(row.cmdline),
        value_text(row.pids),
        value_int(shared),
        value_int(job),
        value_int(shared % 100 + 1),
        value_int(shared % 5 + 1),
        value_int(job),
        value_int(shared % 3 + 1),
        real_of(start),
        real_of(start + 100.5),
        real_of(100.5),
    };
    return ops->write(database, statement, values, 1);
}

static int insert_all(const struct database_ops *ops, struct database *database, uint64_t count)
{
    struct statement *statement = ops->statement(database, add_run);
    const uint64_t each = count / DIRECTORIES;
    int error = statement == NULL ? -1 : 0;
    for (uint64_t i = 0; error == 0 && i < each * DIRECTORIES; i++) {
        if (i % GROUP == 0)
            error = ops->begin(database);
        if (error == 0)
            error = insert(ops, database, statement, i % each * DIRECTORIES + i / each);
        if (error == 0 && (i % GROUP == GROUP - 1 || i == each * DIRECTORIES - 1))
            error = ops->commit(database);
    }
    return error;
}

int main(int argc, char **argv)
{
    const char *location;
    struct store *store;
    struct database *database = NULL;
    const struct database_ops *ops = argc == 3 ? store_kind(argv[1], &location) : NULL;
    if (ops == NULL)
        return 2;
    int error = store_open(ops, location, false, &store); /* makes the tables */
    if (error != 0)
        fprintf(stderr, "insert_rows: %s\n", store_error(store));
    store_close(store);
    if (error == 0)
        error = ops->open(location, false, &database);
    if (error == 0)
        error = insert_all(ops, database, strtoull(argv[2], NULL, 10));
    if (error != 0 && database != NULL)
        fprintf(stderr, "insert_rows: %s\n", ops->error(database));
    ops->close(database);
    return error != 0;
}
