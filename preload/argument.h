/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The file that an argument names, for the rules in [arguments]. XALT matches the real path of such
 * a file (track_executable() in src/tmpl/xalt_track_executable_parser.template of XALT 3.2.4).
 */
#ifndef JOBTRAIL_ARGUMENT_H
#define JOBTRAIL_ARGUMENT_H

#include "conf/policy/policy_read.h"

/* policy_files.walk: three system calls where there is such a file, one where there is none. The
 * file is not opened for reading. */
uint32_t argument_walk(const struct policy_files *files, const struct policy_table *table,
                       uint32_t state, const char *argument);

#endif
