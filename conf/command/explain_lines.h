/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many texts at once: one a line in, one JSON object a line out.
 */
#ifndef JOBTRAIL_EXPLAIN_LINES_H
#define JOBTRAIL_EXPLAIN_LINES_H

#include <stdio.h>

#include "conf/command/explain.h"

/* Prints what decides about each line of `stream`, as explain_json() has it: for the list of paths,
 * an absolute path and its arguments, separated by tabs; for another list, a text. Returns 0, or
 * -EINVAL (the path of line `*number`, from 1, is not absolute), -ENOMEM, -EIO. */
int explain_lines(const struct explain *explain, const struct conf_list *list, FILE *stream,
                  unsigned long *number);

#endif
