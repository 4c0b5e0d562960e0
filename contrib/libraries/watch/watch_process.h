/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which process an event of fanotify(7) is of. A process often ends before its event is read: then
 * what was read of it at an event shortly before holds still.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "contrib/libraries/library_who.h"
#include "contrib/libraries/watch/watch_events.h"

struct watch_processes;

/* `spool` is that of jobtrail.conf, for jobs of Slurm (job_cgroups.h). Returns NULL when out of
 * memory; free() releases. */
struct watch_processes *watch_processes_new(const char *spool);

/* The user of the text of /proc/PID/status: the real one, who has started the program, whatever
 * set-user-id bit that has; the effective one of a server of root's that acts for somebody. Returns
 * 0, or -EPROTO where the text has none. */
int watch_process_user(const char *status, uint32_t *uid);

/* Fills in all but time and event, of the event's process. What is read of a pid is believed if the
 * process of the event's descriptor is there afterwards, so that the pid is no other's. `now_ms` is
 * monotonic. Returns whether it is known; else `*who` is LIBRARY_WHO_UNKNOWN. */
bool watch_process_find(struct watch_processes *processes, const struct watch_event *event,
                        uint64_t now_ms, struct library_who *who);

/* The process begins to run another program: what was read of it before is used only where it is
 * over. */
void watch_process_executes(struct watch_processes *processes, int32_t pid);
