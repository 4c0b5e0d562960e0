/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `jobtrail-submit session`: what the modulefile runs, as the user, to have his processes recorded
 * outside of Slurm.
 */
#ifndef JOBTRAIL_COMMAND_SESSION_H
#define JOBTRAIL_COMMAND_SESSION_H

/* Makes the session's directory and ledger below [spool] sessions of the configuration `conf`, and
 * prints the variables that processes need, "VERB NAME VALUE" a line. `node` is this node's name in
 * Slurm. Returns the exit status: 0; 1 when sessions are not recorded here, the user refuses, or
 * the SPANK plugin looks after this task or job; 3 when that fails. */
int command_session(const char *conf, const char *node);

#endif
