/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * plugstack_parse().
 */
#include <stdlib.h>
#include <string.h>

#include "conf/command/plugstack.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct plugstack_line line;
    char *text = malloc(size + 1);
    if (text == NULL)
        abort();
    memcpy(text, data, size);
    enum plugstack_kind kind = plugstack_parse(text, size, &line);
    if (kind != 0 && (line.plugin[0] == '\0' || strlen(line.plugin) > size))
        abort();
    if (kind == 1 && strstr(line.plugin, "spank_jobtrail.so") == NULL)
        abort();
    free(text);
    return 0;
}
