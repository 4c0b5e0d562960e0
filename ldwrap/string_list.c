/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/string_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"

int strings_add_bytes(struct strings *list, const char *text, size_t size)
{
    char *copy = strndup(text, size);
    /* In an empty list there is not yet room for the NULL. */
    if (copy == NULL || (list->item == NULL && GROW(list->item, 0) != 0) ||
        GROW(list->item, list->count + 1) != 0) {
        free(copy);
        return -ENOMEM;
    }
    list->item[list->count++] = copy;
    list->item[list->count] = NULL;
    return 0;
}

int strings_add(struct strings *list, const char *text)
{
    return strings_add_bytes(list, text, strlen(text));
}

bool strings_have(const struct strings *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->item[i], text) == 0)
            return true;
    }
    return false;
}

bool words_have(const char *words, const char *text)
{
    for (size_t size; *words != '\0'; words += size + (words[size] == ' ')) {
        size = strcspn(words, " ");
        if (words[size - 1] == '*' ? strncmp(text, words, size - 1) == 0
                                   : strncmp(text, words, size) == 0 && text[size] == '\0')
            return true;
    }
    return false;
}

void strings_free(struct strings *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->item[i]);
    free(list->item);
    *list = (struct strings){NULL, 0};
}
