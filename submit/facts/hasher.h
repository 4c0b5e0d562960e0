/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A child process that hashes files for the worker, as the job's user too, with the node's table of
 * hashes (file_hash.h), which it shares with other flushes. Of what the user's processes wrote it
 * reads only the paths that it is asked about: a crafted ledger that breaks the worker cannot write
 * to the table, from which other users' records are made.
 *
 * A question is a uint32_t, the length of the path, and the path; the answer is a struct file_hash.
 */
#pragma once

#include <sys/types.h>

#include "conf/conf.h"
#include "submit/facts/file_hash.h"

/* Starts a hasher that works within `bounds`. Returns its pid, and the descriptor to ask at in
 * `*fd`; or -errno. It ends when that descriptor is closed everywhere, and with its parent. */
pid_t hasher_start(const struct conf *conf, const struct file_hash_bounds *bounds, uid_t uid,
                   gid_t gid, int *fd);

/* The result of file_hash() for the file; that for an unreadable file when the hasher is gone. */
void hasher_ask(int fd, const char *path, struct file_hash *hash);
