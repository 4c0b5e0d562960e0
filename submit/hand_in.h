/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a program that runs as an ordinary user (the linker's wrapper, a package hook) gets a
 * finished record on its way: as a file <sessions>/<uid>/records/NAME, which the next
 * `jobtrail-submit flush --sessions` takes into the outbox. Root's records go there at once.
 */
#ifndef JOBTRAIL_HAND_IN_H
#define JOBTRAIL_HAND_IN_H

#include <sys/types.h>

#include "outbox.h"

/* Hands a record in; nothing is sent from here. Returns 0; -ENOENT where [spool] sessions is empty
 * or not there; or -errno. */
int hand_in(const struct conf *conf, const struct transport_record *record);

/* Takes what the user `uid` has handed in below his directory, open at `user`, into the outbox, and
 * removes it. Taken is only what is his own regular file, named as a record that is no run and that
 * has `user_name` in its name, and one line of printable ASCII; anything else is left, and told on
 * stderr by its number. Adds to `*taken` and `*left`. Returns 0 or -errno. */
int hand_in_collect(struct outbox *outbox, int user, uid_t uid, const char *user_name,
                    uint64_t *taken, uint64_t *left);

#endif
