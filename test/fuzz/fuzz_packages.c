/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * packages_parse() and packages_of_run().
 */
#include <stdlib.h>
#include <string.h>

#include "submit/evidence/package_read.h"
#include "test/fuzz/fuzz.h"

/* The uuid that `text` tells. */
static void uuid_of(const char *text, uint8_t uuid[16])
{
    for (int i = 0; i < 16; i++) {
        char pair[3] = {text[2 * i], text[2 * i + 1], '\0'};
        uuid[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct packages packages;
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    if (packages_parse(text, size, &packages) != 0)
        return 0;
    for (size_t i = 0; i < packages.count; i++) {
        const struct package *package = &packages.package[i];
        uint8_t uuid[16];
        uuid_of(package->uuid, uuid);
        struct package_run run = packages_of_run(&packages, uuid);
        if (run.count == 0 || package < run.package || package >= run.package + run.count)
            abort();
    }
    packages_free(&packages);
    return 0;
}
