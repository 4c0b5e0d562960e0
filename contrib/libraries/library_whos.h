/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who did what to which file: what the watch remembers until a scan has reported the changes. Its
 * memory is bounded. What is beyond the bound is counted, and its changes are reported without a
 * user. The last quarter of the room is for root, and for users who have less than an eighth of it.
 *
 * The process of a file's last event made the change, if the file's time of last change is not
 * later than its events. A later change was made by a process that was not seen.
 *
 * Who closes a file need not have written to it: any process can send an open file to another one
 * (unix(7), SCM_RIGHTS). So a close alone names nobody, and takes nobody's place.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/libraries/library_who.h"

/* Paths, and bytes of them. */
enum { LIBRARY_WHOS_MAX = 32768, LIBRARY_WHOS_BYTES_MAX = 32 << 20 };

/* What was done, or'ed together. */
enum library_deed {
    LIBRARY_DEED_WROTE = 1,     /* content or attributes */
    LIBRARY_DEED_CAME = 2,      /* made, linked, or renamed to this name */
    LIBRARY_DEED_WENT = 4,      /* removed, or renamed from this name */
    LIBRARY_DEED_DIRECTORY = 8, /* with a directory */
    LIBRARY_DEED_CLOSED = 16,   /* nothing but closed, after it had been open for writing */
};

struct library_whos;

/* Returns NULL when out of memory; library_whos_free() releases, and takes NULL. */
struct library_whos *library_whos_new(void);
void library_whos_free(struct library_whos *whos);

/* Notes that `who` did this to the file of the absolute path at `time_ns`, since the Epoch. Of a
 * `who` that is not known, `how` alone counts. Of LIBRARY_DEED_CLOSED it notes that there was
 * somebody else, if the file has other events. Returns 0, or -ENOSPC: then it is counted. */
int library_whos_add(struct library_whos *whos, const char *path, unsigned deeds,
                     const struct library_who *who, int64_t time_ns);

/* At `time_ns` no event was waiting: what is added from now on has happened since. Without this
 * call it has happened shortly before. */
void library_whos_since(struct library_whos *whos, int64_t time_ns);

/* What comes into the directory until `time_ns` may have come before it was watched. NULL: into any
 * that was not watched yet. */
void library_whos_watched(struct library_whos *whos, const char *path, int64_t time_ns);

/* Forgets what has happened before `time_ns`. */
void library_whos_forget(struct library_whos *whos, int64_t time_ns);

size_t library_whos_count(const struct library_whos *whos);

/* How many paths there was no room for. */
uint64_t library_whos_lost(const struct library_whos *whos);

/* A change of a file, for which somebody is looked for. */
struct library_whos_question {
    const char *path, *from; /* from: where it was, or NULL */
    bool is_gone;
    int64_t changed_ns; /* its time of last change; 0: not known */
};

/* Sets `*who`: LIBRARY_WHO_UNKNOWN where nobody was seen. */
void library_whos_find(const struct library_whos *whos,
                       const struct library_whos_question *question, struct library_who *who);

/* Writes all to the socket or pipe, and reads it: both return 0 or -errno; -EPROTO where it is not
 * from this version of jobtrail. */
int library_whos_write(const struct library_whos *whos, int fd);
int library_whos_read(int fd, struct library_whos **whos);
