/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the plugin does at the start and the end of slurmd, and before steps, by running our
 * programs with bounded waits. A failure is a line in slurmd's log.
 */
#pragma once

/* Compiles the configuration again where it is newer than the compiled policy, or where this plugin
 * cannot read the policy, as after an upgrade. When the configuration has errors the policy stays
 * as it is. Not where another version has handed over to this one (elder.h). */
void upkeep_policy(const char *conf);

/* At the start of slurmd: compiles the policy, starts the process watch, which sends start records,
 * and starts a flush in the background of what earlier epilogs or a crash of the node have left. */
void upkeep_start(const char *conf);

/* Ends the process watch. */
void upkeep_stop(const char *conf);
