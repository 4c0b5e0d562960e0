/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The socket by which a scan asks the watch of this host who did it: <[libraries] state>/who. The
 * directory is root's alone. The watch first reads what the kernel has to tell, then answers with
 * all that it remembers (library_whos.h).
 */
#pragma once

#include "contrib/libraries/library_whos.h"

#define WHO_SOCKET "who"

/* Makes the socket in the directory `state`, in place of one that is there. Returns a descriptor,
 * to accept from without waiting, or -errno. */
int who_socket_listen(int state);

/* Answers who has connected, in a process of its own, so that nobody waits for a slow reader. Takes
 * the descriptor over. */
void who_socket_answer(int connection, const struct library_whos *whos);

/* Asks. Returns 0 and `*whos`, which library_whos_free() releases; -ENOENT where no watch runs on
 * this host; or another -errno where it does not answer as it should. */
int who_socket_ask(int state, struct library_whos **whos);

/* ---- What the next scan reads of it ---------------------------------------------------------- */

/* What the watch knew when a scan began to tell changes: <[libraries] state>/whos, as
 * library_whos.h writes it. It is there until all is reported, so that a scan that goes on after a
 * kill tells the same, also where the watch was killed with the one before. */

/* `state` is the directory's descriptor. All return 0 or -errno: reading, -ENOENT where there is
 * none, and -EPROTO where it is of another version. library_whos_free() releases `*whos`. */
int who_file_write(int state, const struct library_whos *whos);
int who_file_read(int state, struct library_whos **whos);
int who_file_remove(int state);
