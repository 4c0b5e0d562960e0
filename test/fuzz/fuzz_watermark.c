/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * watermark_read().
 */
#include <stdlib.h>
#include <string.h>

#include "submit/evidence/watermark.h"
#include "test/fuzz/fuzz.h"

static void take(void *context, const char *key, const char *value)
{
    size_t *total = context;
    *total += strlen(key) + strlen(value);
    if (key[0] == '\0' || strpbrk(key, "<>.%\n") != NULL)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    size_t total = 0;
    int keys = watermark_read((const char *)data, size, take, &total);
    if (total > size || (size_t)keys > size || keys > WATERMARK_KEYS_MAX)
        abort();
    return 0;
}
