/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SANDBOX_H
#define JOBTRAIL_SANDBOX_H

/* What a child that reads users' files may do beside reading them. */
enum sandbox_kind {
    SANDBOX_READS,
    SANDBOX_RENAMES, /* makes directories, and moves and removes files too */
};

/* Leaves this process, for good, the system calls that it needs to read files and to write to what
 * is open (seccomp(2)); any other ends it with SIGSYS: it starts no program and no process, opens
 * no socket, traces, signals and mounts nothing. No new privileges must have been given up before.
 * Where the kernel has no such filters, nothing is done. Returns 0 or -errno: then the process must
 * end. */
int sandbox_enter(enum sandbox_kind kind);

#endif
