/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A site's list of accounts, from its file: account, field of science and directorate on each line,
 * with tabs between.
 */
#pragma once

#include "submit/load/parse/load_reason.h"
#include "submit/load/store/store.h"

struct account_list {
    struct account_field *fields; /* owned, and their texts */
    size_t count;
};

/* Reads the list in the file `path`. Returns 0; -EBADMSG with `*reason`; -ENOMEM; or another -errno
 * when the file cannot be read. Free it after a failure too. */
int account_list_read(const char *path, struct account_list *list, struct load_reason *reason);
void account_list_free(struct account_list *list);
