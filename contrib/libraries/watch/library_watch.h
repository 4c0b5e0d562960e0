/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The watch of a host: it reads the kernel's events in the trees of [libraries], remembers which
 * process caused them, and says when a scan is due. The scan finds out what has changed, and asks
 * the watch who it was (who_socket.h): so hashes, names, logs and state come from scans alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "contrib/libraries/library_whos.h"
#include "contrib/libraries/scan/library_lock.h"

struct library_watch;

/* Marks all trees. `conf` must outlive it. Returns 0 or -errno of watch_marks_new();
 * library_watch_free() releases, and takes NULL. */
int library_watch_new(const struct conf *conf, struct library_watch **watch);
void library_watch_free(struct library_watch *watch);

/* To be waited on. */
int library_watch_fd(const struct library_watch *watch);

/* Reads what has happened so far, for a second at the most; returns 0 or -errno, where the watch is
 * at its end. */
int library_watch_read(struct library_watch *watch);

const struct library_whos *library_watch_whos(const struct library_watch *watch);

/* How long until a scan is due, in ms; -1: none is. One is due when it has been quiet for some
 * seconds, and after a minute at the latest. */
int library_watch_due_ms(const struct library_watch *watch);

/* A scan begins: marks all directories again where some were renamed, are gone or have no mark yet,
 * and begins a new burst. */
void library_watch_begin(struct library_watch *watch);

/* It has ended. `is_done`: it has told all; else another one is due in a minute. After it there is
 * none for twenty times the processor time that it used. */
void library_watch_end(struct library_watch *watch, bool is_done, uint64_t used_ms);

/* For doctor. */
void library_watch_state(const struct library_watch *watch, struct library_watch_state *state);
