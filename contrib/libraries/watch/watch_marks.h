/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The directories whose events fanotify(7) reports: all of the trees, as far as their file systems
 * have events. The kernel names a directory by a handle, and this finds its path. No process waits
 * for the watch, as it asks for no permission events.
 *
 * A directory that is renamed keeps its mark and has another path: the trees are walked again then
 * (watch_marks_again()).
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"
#include "contrib/libraries/watch/watch_events.h"

/* A mark keeps a directory in the kernel's memory, some KiB. The second is for all paths; the third
 * for directories of one walk of a new one: so long no events are read. */
enum { WATCH_DIRECTORIES_MAX = 65536, WATCH_PATHS_BYTES_MAX = 32 << 20, WATCH_WALK_MAX = 4096 };

struct watch_marks;

/* What is reported: both report new directories, and of files that were closed after they had been
 * open for writing. */
enum watch_marks_kind { WATCH_CHANGES, WATCH_OPENS };

/* Asks the kernel for events. Returns 0; -EPERM without CAP_SYS_ADMIN; -EINVAL or -ENOSYS where the
 * kernel has no names in events (before Linux 5.9); or another -errno. watch_marks_free() releases,
 * and takes NULL. */
int watch_marks_new(enum watch_marks_kind kind, struct watch_marks **marks);
void watch_marks_free(struct watch_marks *marks);

/* The descriptor to read events from, without waiting. */
int watch_marks_fd(const struct watch_marks *marks);

/* Whether events have descriptors of processes (FAN_REPORT_PIDFD, Linux 5.15). */
bool watch_marks_has_pidfd(const struct watch_marks *marks);

/* How many directories are watched at the most where root may have so many marks in all
 * (/proc/sys/fs/fanotify/max_user_marks; 0: not known): three eighths of them, so that both kinds
 * leave a quarter to other programs of root's. */
size_t watch_marks_most(uint64_t max_user_marks);

/* Marks the new directory `path` and all below. Returns 0; -E2BIG where there are more than
 * WATCH_WALK_MAX, and watch_marks_is_stale() from then on; or -errno where it is not there. What
 * cannot be marked below is counted. */
int watch_marks_add(struct watch_marks *marks, const char *path);

/* Forgets all paths, and marks all trees. */
void watch_marks_again(struct watch_marks *marks, const struct conf_lines *trees);

/* Whether many of the paths may be of directories that are gone, or there was no room for one: it
 * is time for watch_marks_again(). */
bool watch_marks_is_stale(const struct watch_marks *marks);

/* Writes the path of what the event is of. Returns whether it is known, and has room. */
bool watch_marks_event_path(const struct watch_marks *marks, const struct watch_event *event,
                            char path[PATH_MAX]);

/* How many directories are watched; and how many are not: beyond the bound, or on file systems
 * without events. `why` is the -errno of the last of these. */
size_t watch_marks_count(const struct watch_marks *marks);
size_t watch_marks_unwatched(const struct watch_marks *marks, int *why);
