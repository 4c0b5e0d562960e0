/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the users of a node hold of its spool: jobs that are over and wait for a later flush, as for
 * room in the outbox. How many these are is the users' choice, and their captures are in memory. In
 * the directory of such a job the symbolic link SPOOL_WAITS has the number of its user; a table is
 * counted from the directories, so that none can be wrong after a crash.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/conf.h"

#define SPOOL_WAITS "waits"

/* All may hold a part of the memory, and so many jobs, since each is a mount; one user a part of
 * these. While all hold more than they may, who holds more than an equal share has too much. */
enum { HOLDINGS_JOBS = 1000, HOLDINGS_USER_PART = 4, HOLDINGS_MEMORY_PART = 64 };
#define HOLDINGS_BYTES_LEAST (UINT64_C(256) << 20)

struct user_holding {
    uid_t uid;
    uint64_t jobs, bytes;
};

struct holdings {
    uint64_t most_bytes;       /* of all */
    struct user_holding all;   /* uid: none */
    struct user_holding *user; /* owned */
    size_t count;
};

/* The bytes on the disk, or in memory, of the files in the directory `path`. */
uint64_t holdings_bytes(int at, const char *path);

/* Counts what waits in the directory `spool`. Returns 0 or -errno; holdings_free() releases. */
int holdings_read(int spool, struct holdings *holdings);
void holdings_free(struct holdings *holdings);

/* The user's, which is made where it is missing; NULL without memory. */
struct user_holding *holdings_of(struct holdings *holdings, uid_t uid);

/* Whether the job in `directory`, of the user `uid`, may wait; then it is marked and counted. Else
 * it is not counted any more: it is to be set aside. */
bool holdings_may_wait(struct holdings *holdings, int directory, uid_t uid);

/* Whether `what` (a word) is to be said of the user: once a day. <state>/said has what was. */
bool holdings_say(const struct conf *conf, uid_t uid, const char *what);
