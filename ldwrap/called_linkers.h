/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The linkers and wrappers that have been called for this link. There may be other wrappers:
 * XALT's, another jobtrail-ld. Each searches PATH for the next linker, and could find the wrapper
 * that has called it. So the environment variable JOBTRAIL_LD lists those that have been called, as
 * "DEVICE:INODE " in hexadecimal each. A jobtrail-ld that was called by another one marks nothing,
 * and calls a linker that is not in the list.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "ldwrap/ancestors.h"

#define CALLED_LINKERS_VARIABLE "JOBTRAIL_LD"

/* Whether another jobtrail-ld has called us, directly or not. */
bool called_linkers_any(void);

/* Whether this file is in the list. */
bool called_linkers_have(const struct stat *file);

/* Adds it to the list in our environment. Returns 0 or -ENOMEM. */
int called_linkers_add(const struct stat *file);

/* ---- XALT's wrapper -------------------------------------------------------------------------- */

/* XALT's linker wrapper, where a user has both in PATH: a bash script for each name of a linker. It
 * runs the first program of its name in PATH that is no such script. That is jobtrail-ld if it
 * comes later in PATH, or has called the script itself. The script adds an object with a watermark
 * of its own, XALT's start-up code, and -t as the last argument, from whose output it makes its
 * record. Seen in XALT 3.2.4 (ld.in, xalt_helper_functions.sh). */

/* Whether the file is such a script, by the words by which these find each other. */
bool xalt_wrapper_is(const char *path);

/* Whether such a script is the parent process. */
bool xalt_wrapper_has_called(const struct ancestors *ancestors);

/* Whether it is XALT's temporary object with a watermark, /tmp/USER_UUID_XXXXXX/xalt.o. */
bool xalt_wrapper_made(const char *path);

/* Whether XALT's wrapper has added the file to the link: the one that it has made, or XALT's
 * start-up code. */
bool xalt_wrapper_adds(const char *path);
