/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the plugin keeps in order on a node, by running our programs with bounded waits. Trouble is
 * a line in slurmd's log.
 */
#ifndef JOBTRAIL_UPKEEP_H
#define JOBTRAIL_UPKEEP_H

/* Brings the compiled policy up to date where the configuration is newer, or where the policy is
 * none that this plugin can read, as after an upgrade. A bad configuration is refused by the
 * compiler, and the policy in force stays. */
void upkeep_policy(const char *conf);

/* With slurmd: the policy, the watcher of start records, and a flush, which goes on by itself, of
 * what earlier epilogs or a crash of the node have left. */
void upkeep_start(const char *conf);

/* Ends the watcher. */
void upkeep_stop(const char *conf);

#endif
