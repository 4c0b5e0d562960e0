/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A child process that looks at files on behalf of the worker, as the job's user too, and shares
 * the node's table of hashes (hash_table.h) with other flushes. It never sees what the user's
 * processes wrote but for the paths that it is asked about: whatever a crafted ledger does to the
 * worker, it does not get into the table, from which other users' records are made.
 *
 * Asked is by an uint32_t, the path's length, and the path; answered by a struct file_hash.
 */
#ifndef JOBTRAIL_HASHER_H
#define JOBTRAIL_HASHER_H

#include <sys/types.h>

#include "conf/conf.h"
#include "submit/facts/file_hash.h"

/* Starts one, which hashes within `bounds`. Returns its pid, and the descriptor to ask at in `*fd`;
 * or -errno. It ends when nobody holds that descriptor any more, and with its parent. */
pid_t hasher_start(const struct conf *conf, const struct file_hash_bounds *bounds, uid_t uid,
                   gid_t gid, int *fd);

/* What file_hash() says of the file; as of one that cannot be read when the hasher is gone. */
void hasher_ask(int fd, const char *path, struct file_hash *hash);

#endif
