/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * XALT's environment variables for links.
 */
#pragma once

#include <stdbool.h>

/* XALT_EXECUTABLE_TRACKING is "yes": links are marked and recorded. */
bool switch_tracking(void);

/* XALT_FUNCTION_TRACKING is not "no". */
bool switch_functions(void);

/* XALT_CMDLINE_RECORD is not set, or "yes": command lines are recorded as the site has chosen. */
bool switch_command_line(void);

/* Writes a line, "jobtrail-ld: ...", where XALT_TRACING asks for it: to stderr for "yes" and
 * "link", to the end of FILE for "link:FILE". */
__attribute__((format(printf, 1, 2))) void switch_trace(const char *format, ...);
