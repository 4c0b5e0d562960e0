/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The file of a store in SQLite, with its log (FILE-wal) and the log's index (FILE-shm): who may
 * read it. What is in it is everybody's command lines, so a new one is its owner's alone, whatever
 * the umask. Who is to read it beside him is said by group and mode of FILE, which are kept, and
 * which the other two get.
 */
#ifndef JOBTRAIL_SQLITE_FILE_H
#define JOBTRAIL_SQLITE_FILE_H

#include <stddef.h>

/* Makes the file, empty and of mode 0600, where there is none. Returns 0 or -errno; -EPERM, with
 * what is wrong in `*trouble`, where root had better write nothing. */
int sqlite_file_make(const char *path, char *trouble, size_t size);

/* Gives log and index the mode and group of the file, where they are the caller's to change; and
 * says on stderr, once for each call, that everybody may read or write the file, if that is so. */
void sqlite_file_settle(const char *path);

#endif
