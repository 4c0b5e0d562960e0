/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Uses of libraries on their way to records (library_record.h, is_use). They are added up by hour
 * in `uses.db`, in the directory of the state of scans, so that neither a kill nor a full outbox
 * loses what was kept. When an hour is over its sums become records: one for each library, kind of
 * use, source, user, login user and program, with the number of uses and of files.
 *
 * Nobody fills it: of an hour there are USE_RECORDS_MAX at the most. When half of them are taken,
 * or a user but root has an eighth of that, what is new is reported without program and login; then
 * without the user; and in the end of a library named LIBRARY_OUTBOX_OTHERS, for each kind of use.
 * No use is counted twice, and none is left out.
 *
 * A sum that is being sent takes nothing more: so a record that is sent again after a kill is the
 * same, with the same uuid, and the store keeps one of both.
 *
 *     struct use_records *records = NULL;
 *     int error = use_records_open(conf, &records);
 *     ... use_records_add(records, &use) for each ...
 *     if (error == 0)
 *         error = use_records_keep(records);              all is on the disk, or nothing
 *     if (error == 0)
 *         error = use_records_send(records, time(NULL));  what is of hours before this one
 *     use_records_close(records);
 *
 * Two processes may do it at the same time.
 */
#pragma once

#include <stdint.h>

#include "conf/conf.h"
#include "contrib/libraries/outbox/library_record.h"
#include "contrib/libraries/uses/use_counts.h"

/* Of an hour; and those of all hours that wait, since the outbox is full. */
enum { USE_RECORDS_MAX = 2000, USE_RECORDS_WAITING_MAX = 48 * USE_RECORDS_MAX };

/* The library of what nobody could look at: opens that were counted: no more is known of them. */
#define USE_RECORDS_UNSEEN "(unseen)"

/* What is alike is added up. */
struct use_told {
    enum use_kind kind;
    const char *source;     /* as of records: "watch", "atime" */
    const char *library;    /* library_names.h, or USE_RECORDS_UNSEEN */
    const char *path;       /* of the file; of USE_RECORDS_UNSEEN, of a directory */
    int64_t uid, login_uid; /* LIBRARY_RECORD_NONE: not known; nobody has logged in */
    const char *program;    /* path of the executable; "": not known */
    uint64_t count;         /* at least */
    /* Between these it was, in seconds since the Epoch; it counts for the hour in their middle. */
    int64_t after_s, before_s;
};

struct use_records;

/* Opens the file, made where it is missing. The directory must be there, and root's alone
 * (trusted.h); `conf` must outlive it. Returns 0; -EPROTO: the file is damaged, or of another
 * version; or another -errno. use_records_close() releases, drops what was not kept, and takes
 * NULL. */
int use_records_open(const struct conf *conf, struct use_records **records);
void use_records_close(struct use_records *records);

/* Adds uses. Returns 0 or -errno: then use_records_keep() fails too. */
int use_records_add(struct use_records *records, const struct use_told *use);

/* Returns 0 when all that was added is on the disk; or -errno: then nothing of it is, and it is to
 * be added again. */
int use_records_keep(struct use_records *records);

/* Hands the sums of all hours but that of `now_s` to the outbox. What was added and not kept is
 * dropped. Returns 0; -ENOBUFS where root's share of the outbox is full, or another -errno: the
 * rest is handed over by the next call. */
int use_records_send(struct use_records *records, int64_t now_s);
