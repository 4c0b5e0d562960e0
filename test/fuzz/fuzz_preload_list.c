/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The user's LD_PRELOAD: what is added is found, and what is taken out is gone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spank/path_list.h"
#include "test/fuzz/fuzz.h"

#define LIBRARY "/opt/$PLATFORM/lib.so"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *list = strndup((const char *)data, size);
    size_t room = size + sizeof LIBRARY + 8;
    char *added = malloc(room), *twice = malloc(room);
    if (list == NULL || added == NULL || twice == NULL)
        abort();
    if (preload_list_add(LIBRARY, list, added, room) != 0 || strstr(added, LIBRARY) == NULL ||
        preload_list_add(LIBRARY, added, twice, room) != 0 || strcmp(added, twice) != 0)
        abort();
    if (size > 0 && preload_list_add(LIBRARY, list, added, 4) != -ENAMETOOLONG)
        abort();
    preload_list_remove(LIBRARY, twice);
    strcpy(added, twice);
    preload_list_remove(LIBRARY, twice);
    if (strcmp(added, twice) != 0)
        abort();
    free(list);
    free(added);
    free(twice);
    return 0;
}
