/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_change.h"

#include <stddef.h>
#include <string.h>

const char *library_change_word(enum library_change_kind kind)
{
    static const char *const words[] = {
        [LIBRARY_ADDED] = "added",       [LIBRARY_MODIFIED] = "modified",
        [LIBRARY_REPLACED] = "replaced", [LIBRARY_TOUCHED] = "touched",
        [LIBRARY_MOVED] = "moved",       [LIBRARY_REMOVED] = "removed",
    };
    return (size_t)kind < sizeof words / sizeof *words ? words[kind] : NULL;
}

/* Without a hash of both, size and time of last modification tell. */
static bool is_same_content(const struct library_file *was, const struct library_file *is)
{
    if (was->sha1[0] != '\0' && is->sha1[0] != '\0')
        return strcmp(was->sha1, is->sha1) == 0;
    return was->size == is->size && was->modified_ns == is->modified_ns;
}

enum library_change_kind library_change_judge(const struct library_file *was,
                                              const struct library_file *is, bool same_device)
{
    bool is_other = was->inode != is->inode;
    bool is_touched =
        was->owner != is->owner || strcmp(was->name, is->name) != 0 ||
        was->modified_ns != is->modified_ns ||
        (was->changed_ns != is->changed_ns && was->changed_ns != 0 && is->changed_ns != 0);
    if (!is_same_content(was, is))
        return is_other ? LIBRARY_REPLACED : LIBRARY_MODIFIED;
    if (!same_device) /* another file system has the same files: a copy, or a new number */
        return LIBRARY_NONE;
    if (is_other)
        return LIBRARY_REPLACED;
    return is_touched ? LIBRARY_TOUCHED : LIBRARY_NONE;
}
