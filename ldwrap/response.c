/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/response.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/whole_file.h"

enum { NESTED_MAX = 64, FILES_MAX = 2000, FILE_MAX = 64 << 20 };

static bool is_blank(char byte)
{
    return byte != '\0' && strchr(" \t\n\v\f\r", byte) != NULL;
}

/* Returns the argument at `*at`, unquoted in place, and moves `*at` after it; NULL: no more. */
static char *next_argument(char **at)
{
    char *from = *at, quote = '\0';
    while (is_blank(*from))
        from++;
    if (*from == '\0')
        return NULL;
    char *argument = from, *to = from;
    for (; *from != '\0' && (quote != '\0' || !is_blank(*from)); from++) {
        if (*from == '\\' && from[1] == '\0')
            continue;
        if (*from == '\\') /* between single quotes too */
            *to++ = *++from;
        else if (quote != '\0' && *from == quote)
            quote = '\0';
        else if (quote == '\0' && (*from == '\'' || *from == '"'))
            quote = *from;
        else
            *to++ = *from;
    }
    *at = *from == '\0' ? from : from + 1;
    *to = '\0';
    return argument;
}

/* `*files` is the number of files that may still be read, since each can name others many times. */
static int expand_argument(const char *argument, int depth, int *files, struct strings *out)
{
    CLEANUP_FREE char *text = NULL;
    struct stat status;
    size_t size;
    if (argument[0] != '@' || argument[1] == '\0')
        return strings_add(out, argument);
    if (depth == NESTED_MAX || --*files < 0)
        return -ELOOP;
    /* Opening a pipe and closing it ends its writer. */
    if (stat(argument + 1, &status) == 0 && !S_ISREG(status.st_mode))
        return strings_add(out, argument);
    int error = whole_file_open_read(argument + 1, FILE_MAX, &text, &size);
    if (error == -ENOMEM)
        return error;
    if (error != 0)
        return strings_add(out, argument);
    char *at = text;
    for (char *nested; error == 0 && (nested = next_argument(&at)) != NULL;)
        error = expand_argument(nested, depth + 1, files, out);
    return error;
}

int response_expand(int argc, char *const *argv, struct strings *out)
{
    struct strings list = {NULL, 0};
    int error = 0, files = FILES_MAX;
    for (int i = 0; i < argc && error == 0; i++)
        error = i == 0 ? strings_add(&list, argv[i]) : expand_argument(argv[i], 0, &files, &list);
    if (error == 0)
        *out = list;
    else
        strings_free(&list);
    return error;
}
