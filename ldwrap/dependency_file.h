/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a linker writes for --dependency-file: a rule "OUTPUT: INPUT..." and then, for each input, a
 * line "INPUT:" of its own. lld escapes blanks and '#' with a backslash and doubles '$', the others
 * nothing.
 */
#ifndef JOBTRAIL_LDWRAP_DEPENDENCY_FILE_H
#define JOBTRAIL_LDWRAP_DEPENDENCY_FILE_H

#include <stdbool.h>

#include "ldwrap/string_list.h"

/* Adds the inputs to `inputs`, each as often as it is there. Returns 0 or -ENOMEM. */
int dependency_file_read(const char *text, struct strings *inputs);

/* Takes the file `name`, which holds no byte that is escaped, out of `text`, in place: what is left
 * is what the linker would have written without it. Returns whether it was there. */
bool dependency_file_remove(char *text, const char *name);

#endif
