/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * File systems that several hosts share.
 */
#ifndef JOBTRAIL_SHARED_FILE_SYSTEM_H
#define JOBTRAIL_SHARED_FILE_SYSTEM_H

#include <stdbool.h>

/* Whether the path is on a file system of the kinds that hosts share; false where that is not
 * known. */
bool shared_file_system(const char *path);

#endif
