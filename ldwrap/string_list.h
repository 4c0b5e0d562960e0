/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A growing list of strings that it owns, with a NULL behind the last one, as execve(2) wants it.
 */
#ifndef JOBTRAIL_LDWRAP_STRING_LIST_H
#define JOBTRAIL_LDWRAP_STRING_LIST_H

#include <stddef.h>

struct strings {
    char **item; /* NULL while the list is empty */
    size_t count;
};

/* Appends a copy of `text`, or of its first `size` bytes. Returns 0 or -ENOMEM. */
int strings_add(struct strings *list, const char *text);
int strings_add_bytes(struct strings *list, const char *text, size_t size);

/* Whether `text` is in the list. */
int strings_have(const struct strings *list, const char *text);

void strings_free(struct strings *list);

#endif
