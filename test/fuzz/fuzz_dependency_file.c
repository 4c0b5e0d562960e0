/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The dependency file that a linker has written, with names as users choose them: what is read from
 * it, and that nothing of the wrapper's own object is left in the user's.
 */
#include <stdlib.h>
#include <string.h>

#include "ldwrap/link_attempt.h"
#include "test/fuzz/fuzz.h"

#define OURS "/proc/self/fd/201"

/* An input is a line of the text, escapes undone: never longer, nor more of them than lines. */
static void read_all(const char *text, size_t length)
{
    struct strings inputs = {NULL, 0};
    size_t total = 0;
    require(dependency_file_read(text, &inputs) == 0);
    for (size_t i = 0; i < inputs.count; i++) {
        require(inputs.item[i][0] != '\0' && strchr(inputs.item[i], '\n') == NULL);
        total += strlen(inputs.item[i]) + 2;
    }
    require(total <= length);
    strings_free(&inputs);
}

static void remove_ours(char *text, size_t length)
{
    int had = strstr(text, " " OURS) != NULL || strstr(text, "\n" OURS ":\n") != NULL;
    require(dependency_file_remove(text, OURS) == had);
    require(had ? strlen(text) < length : strlen(text) == length);
    require(strstr(text, " \\\n  " OURS) == NULL || had);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    size_t length = strlen(text);
    read_all(text, length);
    remove_ours(text, length);
    read_all(text, strlen(text));
    free(text);
    return 0;
}
