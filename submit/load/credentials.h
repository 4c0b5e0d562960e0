/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The file with the password of the database: an option file of MariaDB, with the groups [client]
 * and [jobtrail].
 */
#ifndef JOBTRAIL_CREDENTIALS_H
#define JOBTRAIL_CREDENTIALS_H

#include <stddef.h>

/* The environment's JOBTRAIL_CREDENTIALS, else the site's file. */
const char *credentials_path(void);

/* Returns 1 when the file may be used: it is root's or the caller's and nobody else may read it. 0
 * when there is none; -EACCES, with what is wrong in `*trouble`, when others may read or write it.
 */
int credentials_check(const char *path, char *trouble, size_t size);

#endif
