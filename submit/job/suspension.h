/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether the watcher saw a running job suspended on this node when it looked last: the file
 * SUSPENSION_NAME beside the journal, root's alone. Its text is one line, `running TIME` or
 * `suspended TIME`, in nanoseconds since the Epoch. The journal has when that changed
 * (spank/journal.h).
 */
#ifndef JOBTRAIL_SUSPENSION_H
#define JOBTRAIL_SUSPENSION_H

#include <stdbool.h>
#include <stdint.h>

#define SUSPENSION_NAME "suspension"

struct suspension {
    bool is_suspended;
    uint64_t time_ns; /* of the look; 0: there was none */
};

/* Reads the file in a job's directory. Where there is none, or none of this format, there was no
 * look. */
struct suspension suspension_read(int directory);

/* Writes the file. Returns 0 or -errno. */
int suspension_write(int directory, const struct suspension *suspension);

#endif
