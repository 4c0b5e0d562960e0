/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose files may name a library. A file names the library that it is part of, by its soname, its
 * name or its place, only if it is root's, of the tree's owner, or of one of [libraries] owners,
 * and not all can write to it. All files of another user are one library, "~USER", with a log of
 * its own: nobody writes into the logs of others' libraries, and a user has one log.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/conf.h"
#include "contrib/libraries/scan/library_change.h"

struct library_owners;

/* `words` are [libraries] owners: users, and groups with an '@' before them, whose members are
 * meant. Returns 0 or -ENOMEM; library_owners_free() releases. */
int library_owners_new(const char *words, struct library_owners **owners);

/* Takes NULL. */
void library_owners_free(struct library_owners *owners);

/* The first of the words that is no user or group of this host, or NULL. */
const char *library_owners_unknown(const struct library_owners *owners);

/* The owner of the tree whose files are asked about from now on. */
void library_owners_tree(struct library_owners *owners, uid_t owner);

/* What the hashes of one user's files may take of a scan where the user is not believed. */
enum { LIBRARY_OTHERS_MS = 60 * 1000 };

/* What of it is left to the file's owner; NULL: without a bound. Holds until the next call. */
uint64_t *library_owners_ms(struct library_owners *owners, const struct library_file *file);

/* Whether the file's owner is believed. Writes "~USER" to file->name where they are not, "~UID" for
 * a user without a name. */
bool library_owners_believe(struct library_owners *owners, struct library_file *file);

/* Whether it is the name of the files of a user who is not believed. */
bool library_is_others(const char *name);

/* The name of the group of [libraries] that the library of this name is part of; "": of none, as
 * the files of such a user. */
const char *library_group(const struct conf *conf, const char *name);
