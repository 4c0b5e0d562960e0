/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_WATERMARK_PRINT_H
#define JOBTRAIL_LDWRAP_WATERMARK_PRINT_H

/* Prints the watermark of each file on stdout, ours or XALT's. Returns 0, or 1 where a file has
 * none or cannot be read, with a line on stderr. */
int watermark_print_files(int count, char *const *paths);

#endif
