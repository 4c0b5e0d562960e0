/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The files in which a user's processes leave their captures and packages.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Makes the ledger of `bytes` for the user in the directory open at `part` (spool_part_open()),
 * unless it is there already. Returns 0 or -errno (-EPERM: another user's ledger is there). */
int spool_make_ledger(int part, uid_t uid, gid_t gid, uint64_t bytes);

/* Makes the file for the hooks' lines (contrib/hooks/packages.h) there, unless it is there already.
 * Returns 0 or -errno. */
int spool_make_packages(int part, uid_t uid, gid_t gid);

/* Another file that begins with a head, which `fill` fills; `backed` of its bytes have blocks. */
struct spool_file {
    const char *name;
    uint64_t bytes;
    uint64_t head_bytes; /* at most LEDGER_HEAD */
    void (*fill)(void *head, uint64_t bytes, uint64_t backed);
};

/* Makes it as spool_make_ledger() makes the ledger. */
int spool_make_file(int part, const struct spool_file *file, uid_t uid, gid_t gid);
