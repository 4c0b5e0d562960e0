/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes records of what jobs left on this node, once. A job's spool directory is removed when its
 * records are in the outbox, on the disk; until then it stays for the next flush. Then what is in
 * the outbox is sent, as far as there is time.
 */
#pragma once

#include "submit/flush/flush_state.h"

/* Flushes. Trouble with one job is reported on stderr and does not keep the others from being
 * flushed. Returns 0, or -errno when the spool or the outbox cannot be used at all; -ESTALE where
 * the spool is mounted in another mount namespace than this one. */
int flush_run(const struct conf *conf, const struct flush_options *options,
              struct flush_count *count);
