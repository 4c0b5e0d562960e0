/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * missing_library(): the user made the program, and says where its libraries are.
 */
#include "submit/facts/missing_library.h"

#include <string.h>

#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    const struct loader_places places = {.library_path = "", .preload = ""};
    static int fd = -1;
    char path[FUZZ_PATH_SIZE];
    fuzz_file(&fd, data, size, path);
    unsigned looks = LOADER_LOOKS_MAX;
    char name[LIBRARY_NAME_SIZE];
    enum loader_verdict verdict = missing_library(path, &places, &looks, name);
    if (verdict != LOADER_STARTS && verdict != LOADER_OLD && verdict != LOADER_MISSING)
        abort();
    if (memchr(name, '\0', sizeof name) == NULL || (verdict == LOADER_STARTS) > (name[0] == '\0'))
        abort();
    return 0;
}
