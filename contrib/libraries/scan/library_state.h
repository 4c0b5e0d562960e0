/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the last scan has seen, in one SQLite file:
 *
 *   file     a row for each file, by its key (library_walk.h): in the order of the walk; with the
 *            time since when a scan has seen it there
 *   place    the mount points that the files are below, by which a tree that is away is recognised
 *   pending  the changes that a scan finds. They are reported, each in the log of its library and
 *            of the one that it was part of before, and deleted, after they have become part of
 *            `file` in one transaction: a scan that was killed before leaves them as hashes that
 *            need not be made again, one that was killed after it as changes to be reported
 *   rearm, used, polled   what jobtrail-libuse(8) has: library_reads.h
 *   log      how long each log was before the lines that are being written (library_logs.h)
 *
 * A scan that finds no change writes nothing.
 *
 * Calls return 0 or -errno; library_state_error() says in words what is wrong.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/libraries/scan/library_change.h"

struct library_state;

/* Opens the file `path`, made where it is missing. With `is_dry` changes are kept in memory alone,
 * and nothing is written; a missing file is as an empty one. Always sets `*state`, to NULL only
 * when out of memory; close it after a failure too. */
int library_state_open(const char *path, bool is_dry, struct library_state **state);

/* Drops what was not committed. Takes NULL. */
void library_state_close(struct library_state *state);

/* Valid until the next call. */
const char *library_state_error(const struct library_state *state);

/* ---- Places: mount points, numbered from 0 --------------------------------------------------- */

enum library_place_verdict {
    LIBRARY_PLACE_HERE,
    LIBRARY_PLACE_OTHER, /* another file system has its files: what is missing is kept this once */
    LIBRARY_PLACE_AWAY,  /* changes that were found there are none */
};

struct library_place {
    char *key; /* owned */
    size_t size;
    bool was_known;
    uint64_t was_device, was_inode; /* of its directory, as recorded */
    bool is_visited;
    uint64_t device, inode;
    uint64_t found;   /* files of the state that are there with their size and time */
    uint64_t same;    /* of them, those that are the same inode */
    uint64_t missing; /* files of the state that are not there */
    enum library_place_verdict verdict;
};

struct library_places {
    struct library_place *place; /* owned */
    size_t count;
};

/* library_places_free() releases. */
int library_state_places(struct library_state *state, struct library_places *places);
void library_places_free(struct library_places *places);

/* ---- Files, in the order of their keys ------------------------------------------------------- */

struct library_row {
    const char *key; /* valid until the next call for rows */
    size_t size;
    size_t place;
    struct library_file file; /* inode, size and times alone */
};

/* Begins with the first file below the directory of this key. */
int library_state_rows(struct library_state *state, const char *key, size_t size);

/* The same with the files behind the key `from` and before `to`. */
int library_state_rows_between(struct library_state *state, const char *from, size_t from_size,
                               const char *to, size_t to_size);

/* The next row. Returns 1; 0 after the last one; or -errno. */
int library_state_next(struct library_state *state, struct library_row *row);

/* The rest of the file of the row that was returned last. */
void library_state_rest(struct library_state *state, struct library_file *file);

/* ---- Changes --------------------------------------------------------------------------------- */

struct library_pending {
    const char *key;
    size_t size;
    enum library_change_kind kind; /* LIBRARY_NONE: `is` replaces `was`, and nothing is reported */
    bool is_first, is_forgotten;   /* forgotten: it is no library any more, which is not reported */
    size_t was_place, is_place;
    struct library_file was, is;
};

/* Keeps a change; a commit now and then keeps what was hashed, should the scan be killed. */
int library_state_pend(struct library_state *state, const struct library_pending *pending);

/* The facts of the file that was read under another name, or by a scan that was killed: of the same
 * device, inode, size and times as `file`, which is filled then. Returns 1, 0 or -errno. */
int library_state_known(struct library_state *state, struct library_file *file);

/* Ends a scan: finds what was moved, and makes the changes part of the state, as far as the
 * verdicts about their places let them. `found_s` is when, since the Epoch. */
int library_state_settle(struct library_state *state, const struct library_places *places,
                         int64_t found_s);

/* ---- Telling --------------------------------------------------------------------------------- */

/* Begins with the settled changes of the library with the log `log`, NULL: of all; with `is_other`
 * those by which files of this library have become another's, in whose log they are, too. */
int library_state_changes(struct library_state *state, const char *log, bool is_other);

/* The next one, without hashes of what is private. Returns 1; 0 after the last; or -errno.
 * `*change` is valid until the next call. */
int library_state_change(struct library_state *state, struct library_change *change);

/* The names of up to `most` logs, in their order, that have settled changes and come after `after`.
 * Writes them to `names`, each malloc'ed. */
int library_state_logs(struct library_state *state, const char *after, char **names, size_t most,
                       size_t *count);

/* How a log stands. */
struct library_log_state {
    int64_t base;    /* its size without the lines that are being written; -1: none are */
    int64_t entry_s; /* the time of its last entry, since the Epoch */
    bool is_new;     /* it has had no entry before */
};

/* Of a log that is not known: is_new, and no base. */
int library_state_log(struct library_state *state, const char *name, struct library_log_state *log);
int library_state_set_log(struct library_state *state, const char *name,
                          const struct library_log_state *log);

/* How many of the settled changes have been reported one by one: 0 at first. */
int library_state_counted(struct library_state *state, uint64_t *count);
int library_state_set_counted(struct library_state *state, uint64_t count);

/* The settled changes are reported in this log, NULL: in all: deletes those that are to be reported
 * in no other one. */
int library_state_told(struct library_state *state, const char *log);

int library_state_begin(struct library_state *state);
int library_state_commit(struct library_state *state);
