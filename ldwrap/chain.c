/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/chain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"

enum { ENTRY_SIZE = 40 };

static void print_entry(const struct stat *file, char *text)
{
    snprintf(text, ENTRY_SIZE, "%" PRIxMAX ":%" PRIxMAX " ", (uintmax_t)file->st_dev,
             (uintmax_t)file->st_ino);
}

int chain_has_begun(void)
{
    const char *chain = getenv(CHAIN_VARIABLE);
    return chain != NULL && chain[0] != '\0';
}

int chain_has(const struct stat *file)
{
    char entry[ENTRY_SIZE];
    const char *chain = getenv(CHAIN_VARIABLE);
    print_entry(file, entry);
    for (const char *at = chain; at != NULL; at = strchr(at, ' ')) {
        at += at != chain;
        if (strncmp(at, entry, strlen(entry)) == 0)
            return 1;
    }
    return 0;
}

int chain_add(const struct stat *file)
{
    char entry[ENTRY_SIZE];
    CLEANUP_FREE char *longer = NULL;
    const char *chain = getenv(CHAIN_VARIABLE);
    print_entry(file, entry);
    if (asprintf(&longer, "%s%s", chain == NULL ? "" : chain, entry) < 0) {
        longer = NULL;
        return -ENOMEM;
    }
    return setenv(CHAIN_VARIABLE, longer, 1) == 0 ? 0 : -ENOMEM;
}
