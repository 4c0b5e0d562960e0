/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/hand_in/hand_in_part.h"

#include <string.h>

#include "extensions.h"

const struct hand_in_part *const hand_in_parts[] = {
#if JOBTRAIL_LIBRARIES
    &hand_in_part_lines,
#endif
    NULL,
};

const struct hand_in_part *hand_in_part_of(const char *name)
{
    for (const struct hand_in_part *const *part = hand_in_parts; *part != NULL; part++) {
        size_t length = strlen((*part)->word);
        if (strncmp(name, (*part)->word, length) == 0 && name[length] == '.')
            return *part;
    }
    return NULL;
}
