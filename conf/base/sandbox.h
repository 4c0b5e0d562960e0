/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a child that reads users' files may do beside reading them. */
enum sandbox_kind {
    SANDBOX_READS,
    SANDBOX_RENAMES, /* makes directories, and moves and removes files too */
};

/* Allows this process, for good, only the system calls that it needs to read files and to write to
 * what is open (seccomp(2)). Any other ends it with SIGSYS: it can start no program and no process,
 * open no socket, and trace, signal or mount nothing. PR_SET_NO_NEW_PRIVS must have been set before
 * (privileges.h). Where the kernel has no such filters, nothing is done. Returns 0 or -errno: then
 * the process must end. */
int sandbox_enter(enum sandbox_kind kind);
