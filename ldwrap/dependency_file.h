/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The file that a linker writes for --dependency-file: a rule "OUTPUT: INPUT...", and then a line
 * "INPUT:" for each input. lld writes a backslash before blanks and '#', and doubles '$'; the other
 * linkers escape nothing.
 */
#ifndef JOBTRAIL_LDWRAP_DEPENDENCY_FILE_H
#define JOBTRAIL_LDWRAP_DEPENDENCY_FILE_H

#include <stdbool.h>

#include "ldwrap/string_list.h"

/* Adds the inputs to `inputs`, with duplicates. Returns 0 or -ENOMEM. */
int dependency_file_read(const char *text, struct strings *inputs);

/* Removes the file `name`, which has no byte that is escaped, from `text`, in place. The result is
 * what the linker would have written without this input. Returns whether it was there. */
bool dependency_file_remove(char *text, const char *name);

#endif
