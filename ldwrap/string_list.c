/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/string_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Room is made in powers of two, when `count` and the NULL fill one. */
static int make_room(struct strings *list)
{
    size_t used = list->count + 1;
    if (list->item != NULL && (used & (used - 1)) != 0)
        return 0;
    char **item = reallocarray(list->item, 2 * used, sizeof *item);
    if (item == NULL)
        return -ENOMEM;
    list->item = item;
    return 0;
}

int strings_add_bytes(struct strings *list, const char *text, size_t size)
{
    char *copy = strndup(text, size);
    if (copy == NULL || make_room(list) != 0) {
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
