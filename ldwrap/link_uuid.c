/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/link_uuid.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/cleanup.h"

/* "ccXXXXXX.o", "ccXXXXXX.res", "ccXXXXXX.ltrans0.ltrans.o": gcc's. */
static bool is_temporary(const char *name)
{
    if (strncmp(name, "cc", 2) != 0)
        return false;
    for (int i = 2; i < 8; i++) {
        if (!isalnum((unsigned char)name[i]))
            return false;
    }
    return name[8] == '.';
}

static const char *place_independent(const char *argument)
{
    const char *name = basename(argument);
    return is_temporary(name) ? "" : name;
}

int link_uuid_reproducible(const char *source_date_epoch, const struct strings *arguments,
                           char uuid[UUID_STR_LEN])
{
    /* The namespace of our names: itself a random uuid. */
    static const unsigned char names_of_links[16] = {0x5d, 0x0f, 0x2b, 0x8e, 0x93, 0x6c,
                                                     0x4c, 0x1a, 0xa4, 0x77, 0x1e, 0xb9,
                                                     0x60, 0x3d, 0xc8, 0x52};
    CLEANUP_FREE char *name = NULL;
    size_t size;
    uuid_t made;
    FILE *stream = open_memstream(&name, &size);
    if (stream == NULL)
        return -ENOMEM;
    fwrite(source_date_epoch, strlen(source_date_epoch) + 1, 1, stream);
    for (size_t i = 1; i < arguments->count; i++) {
        const char *text = place_independent(arguments->item[i]);
        fwrite(text, strlen(text) + 1, 1, stream);
    }
    if (fclose(stream) != 0)
        return -ENOMEM;
    uuid_generate_sha1(made, names_of_links, name, size);
    uuid_unparse_lower(made, uuid);
    return 0;
}
