/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who may read the file of a store in SQLite, its log (FILE-wal) and the log's index (FILE-shm).
 * The command lines of all users are in it, so a new file has mode 0600, whatever the umask. An
 * administrator may give FILE another group and mode: they are kept, and log and index get the
 * same.
 */
#ifndef JOBTRAIL_SQLITE_FILE_H
#define JOBTRAIL_SQLITE_FILE_H

#include <stddef.h>

/* Makes the file, empty and of mode 0600, where there is none. Returns 0 or -errno; -EPERM, with
 * what is wrong in `trouble`, where others than root could change what root writes. */
int sqlite_file_make(const char *path, char *trouble, size_t size);

/* Gives log and index the mode and group of the file, where they are the caller's to change; and
 * says on stderr, once for each call, that everybody may read or write the file, if that is so. */
void sqlite_file_settle(const char *path);

#endif
