/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The small tools of the operating system, which are no runs unless [tracking] system_tools = yes.
 */
#ifndef JOBTRAIL_SYSTEM_TOOLS_H
#define JOBTRAIL_SYSTEM_TOOLS_H

/* Patterns of executables' real paths, as in [paths]; ended by NULL. Each fits into a line of
 * jobtrail.conf as `skip = PATTERN`. */
extern const char *const system_tools[];

#endif
