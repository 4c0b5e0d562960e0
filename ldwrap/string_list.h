/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A growing list of strings, which it owns. A NULL follows the last one, as execve(2) needs it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct strings {
    char **item; /* NULL while the list is empty */
    size_t count;
};

#define CLEANUP_STRINGS __attribute__((cleanup(strings_free)))

/* Appends a copy of `text`, or of its first `size` bytes. Returns 0 or -ENOMEM. */
int strings_add(struct strings *list, const char *text);
int strings_add_bytes(struct strings *list, const char *text, size_t size);

/* Whether `text` is in the list. */
bool strings_have(const struct strings *list, const char *text);

/* Whether `text` is one of the `words`, which blanks separate; a word with a '*' at its end stands
 * for all that begin with it. */
bool words_have(const char *words, const char *text);

void strings_free(struct strings *list);
