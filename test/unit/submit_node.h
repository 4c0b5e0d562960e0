/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A node made up for a test: its spool, its jobs, and flushes of them.
 */
#ifndef JOBTRAIL_SUBMIT_NODE_H
#define JOBTRAIL_SUBMIT_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "flush.h"
#include "submit_fixture.h"

/* Everything of a test lies below `root`, which each test gets empty. */
extern char root[32], spool_dir[64], records_dir[64], state_dir[64];

extern struct made_ledger made;
extern struct made_fields fields;

#define TEST(name) cmocka_unit_test_setup_teardown(name, node_set_up, node_tear_down)

int node_set_up(void **state);
int node_tear_down(void **state);

int open_spool(void);

/* "DIRECTORY/NAME", valid until the next call but three. */
const char *below(const char *directory, const char *name);

void write_bytes(const char *path, const void *bytes, size_t size);
int exists(const char *path);

/* How many names the directory holds whose names contain `part`; -1: no directory. */
int count_files(const char *directory, const char *part);

/* When this process started, in clock ticks after boot. */
uint64_t own_ticks(void);

struct conf conf_of(void);
struct flush_count flush_with(const struct conf *conf, uint32_t job, int dry_run);
struct flush_count flush(void);

#define COUNT(...) ((struct flush_count){__VA_ARGS__})
void assert_count(struct flush_count found, struct flush_count expected);

/* Makes the file `name` of the job `job`. */
void put(const char *job, const char *name, const void *bytes, size_t size);

/* A job's directory with a journal: this user's step, then `more`. */
void make_job(const char *name, const char *more);

#define EPILOG "epilog time=1700000100.000000000 user=alice account=proj partition=main\n"

/* A ledger of `count` runs of /bin/x in memory. */
void make_ledger(int count);

void put_ledger(const char *name);

/* A job that is over, with `count` captures. */
void make_whole_job(const char *name, int count);

#endif
