/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the watch knew when a scan began to tell changes: <[libraries] state>/whos, as
 * library_whos.h writes it. It is there until all is told, so that a scan that goes on after a kill
 * tells the same, also where the watch was killed with the one before.
 */
#ifndef JOBTRAIL_WHO_FILE_H
#define JOBTRAIL_WHO_FILE_H

#include "contrib/libraries/library_whos.h"

/* `state` is the directory's descriptor. All return 0 or -errno: reading, -ENOENT where there is
 * none, and -EPROTO where it is of another version. library_whos_free() releases `*whos`. */
int who_file_write(int state, const struct library_whos *whos);
int who_file_read(int state, struct library_whos **whos);
int who_file_remove(int state);

#endif
