/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/name_table.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"

/* `text` follows. */
struct numbered {
    uint32_t number;
    char text[];
};

static int compare(const void *left, const void *right)
{
    return strcmp(((const struct numbered *)left)->text, ((const struct numbered *)right)->text);
}

int name_table_add(struct name_table *names, const char *text, uint32_t *number)
{
    size_t size = strlen(text) + 1;
    struct numbered *added = malloc(sizeof *added + size);
    if (added == NULL || names->count == UINT32_MAX || GROW(names->text, names->count) != 0) {
        free(added);
        return -ENOMEM;
    }
    memcpy(added->text, text, size);
    added->number = (uint32_t)names->count;
    struct numbered **found = tsearch(added, &names->tree, compare);
    if (found == NULL || *found != added)
        free(added);
    else
        names->text[names->count++] = added->text;
    if (found == NULL)
        return -ENOMEM;
    *number = (*found)->number;
    return 0;
}

void name_table_free(struct name_table *names)
{
    tdestroy(names->tree, free);
    free(names->text);
    *names = (struct name_table){.text = NULL};
}
