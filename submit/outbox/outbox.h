/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records that wait to be sent, in <state>/outbox (job_formats.h), which is root's:
 *
 *   outbox/TRANSPORT/BATCH     a file for each transport that is still to take records of the batch
 *   outbox/TRANSPORT/.lock     held by who sends
 *   outbox/TRANSPORT/.backoff  since when and how often the transport has failed (outbox_backoff.h)
 *   outbox/overflow            how often records found no room so far (quarantine.h)
 *   outbox/.new.PID.N          a batch that is being written
 *
 * A batch is written once and linked into the directory of each transport; a transport that has
 * accepted it removes its link. BATCH is the time in nanoseconds since the Epoch, with leading
 * zeros so that names sort by age, then the writer's pid and a number. Batches of a user's records
 * have
 * ".uUID.jJOB" at the end (job 0: of no job), which tells whose records take how much room. A batch
 * has a line for each record:
 *
 *   CCCC NAME TEXT\n
 *
 * CCCC is the CRC of "NAME TEXT" (crc16_continue(), from OUTBOX_CRC on), four hex digits; NAME the
 * record's file name, without blanks; TEXT its JSON in ASCII. When a transport has taken some
 * records of a batch, its entry is replaced by a batch of the others.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "conf/conf.h"
#include "spank/job_formats.h"
#include "submit/outbox/transport.h"

#define OUTBOX_LOCK ".lock"

/* What the CRC of a line begins with: for JOB_FORMATS 1 as crc16() has it. */
#define OUTBOX_CRC ((uint16_t)(0x10000 - JOB_FORMATS))

enum { OUTBOX_BATCH_BYTES = 4 << 20, OUTBOX_TEXT_MAX = 16 << 20 };

/* Who writes records into the outbox. */
struct outbox;

/* Makes what is missing of the outbox. Returns 0 or -errno; outbox_close() releases. */
int outbox_open(const struct conf *conf, struct outbox **outbox);

/* Says whose records are added from now on: this user's, of this job (0: of none). What was added
 * before must have been committed or aborted. Until the first call records have no owner, and
 * [outbox] size alone bounds them. */
void outbox_owner(struct outbox *outbox, uid_t uid, uint32_t job);

/* Adds a record to what outbox_commit() will hand over. Returns 0; -ENOBUFS where it finds no room
 * below [outbox] size, or in the share of its job or user: this is counted, and the record is to be
 * kept until something has been sent (a record that is larger than a bound has room when nothing
 * else waits); or -errno (-EINVAL: no name of a record). */
int outbox_add(struct outbox *outbox, const struct record_view *record);

/* Returns 0 when all records added are on the disk, for every configured transport, whatever
 * happens to the machine; or -errno. Then they may be handed over again. */
int outbox_commit(struct outbox *outbox);

/* Forgets what was added since the last commit. */
void outbox_abort(struct outbox *outbox);

/* Whether the owner has room for records. Where not, it is counted in `overflow`. */
bool outbox_has_room(const struct outbox *outbox);

/* The room that the batch `name` in a transport's directory takes, and whose it is; 0: nobody's. */
uint64_t outbox_owned(int directory, const char *name, uid_t *uid, uint32_t *job);

/* Bytes that may be added, whosever records they are. */
uint64_t outbox_room(const struct outbox *outbox);

void outbox_close(struct outbox *outbox);

/* Opens <state>/outbox. Returns a descriptor or -errno (-ENOENT: there is none yet). */
int outbox_directory(const struct conf *conf);

/* Opens the batch `name` for writing, empty. Returns NULL with errno set where it cannot. */
FILE *outbox_create_batch(int directory, const char *name);

/* Appends a record's line to `batch`. Returns 0 or -errno. */
int outbox_write_line(FILE *batch, const struct record_view *record);
