/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/account_list.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"

static int add_account(struct account_list *list, char *line, size_t number,
                       struct load_reason *reason)
{
    char *rest = line;
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '\0' || line[0] == '#')
        return 0;
    const char *account = strsep(&rest, "\t");
    const char *field = strsep(&rest, "\t");
    const char *directorate = strsep(&rest, "\t");
    if (field == NULL || rest != NULL)
        return load_refuse(reason, "line %zu is not account, field and directorate", number);
    if (GROW(list->fields, list->count) != 0)
        return -ENOMEM;
    list->fields[list->count++] = (struct account_field){
        strdup(account), strdup(field), strdup(directorate == NULL ? "" : directorate)};
    return 0;
}

int account_list_read(const char *path, struct account_list *list, struct load_reason *reason)
{
    CLEANUP_FCLOSE FILE *file = fopen(path, "re");
    CLEANUP_FREE char *line = NULL;
    size_t room = 0;
    int error = file == NULL ? -errno : 0;
    *list = (struct account_list){0};
    for (size_t number = 1; error == 0 && getline(&line, &room, file) >= 0; number++)
        error = add_account(list, line, number, reason);
    return error == 0 && ferror(file) ? -EIO : error;
}

void account_list_free(struct account_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free((void *)(uintptr_t)list->fields[i].account);
        free((void *)(uintptr_t)list->fields[i].field);
        free((void *)(uintptr_t)list->fields[i].directorate);
    }
    free(list->fields);
}
