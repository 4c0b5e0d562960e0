/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Texts that get a number, each once: 0, 1, 2, ... in the order in which they come.
 */
#ifndef JOBTRAIL_NAME_TABLE_H
#define JOBTRAIL_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct name_table {
    char **text; /* owned */
    size_t count;
    void *tree; /* tsearch(3) */
};

/* Sets `*number`. Returns 0 or -ENOMEM. */
int name_table_add(struct name_table *names, const char *text, uint32_t *number);
void name_table_free(struct name_table *names);

#endif
