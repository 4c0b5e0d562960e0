/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * version_note_parse(): what it takes is within its bounds, and is read again from its own lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spank/version_note.h"
#include "test/fuzz/fuzz.h"

static void check_path(const char *path)
{
    if (path[0] != '/' || strchr(path, '\n') != NULL)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct version_note note, again;
    static char text[VERSION_NOTE_BYTES];
    char *copy = malloc(size + 1); /* of its exact size, for AddressSanitizer */
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    int error = version_note_parse(copy, size, &note);
    free(copy);
    if (error != 0)
        return 0;
    check_path(note.conf);
    check_path(note.submit);
    if (note.formats == 0 || note.formats > VERSION_FORMATS_MAX)
        abort();
    int length = snprintf(text, sizeof text, "formats %u\nconf %s\nsubmit %s\n",
                          (unsigned)note.formats, note.conf, note.submit);
    if (version_note_parse(text, (size_t)length, &again) != 0 || again.formats != note.formats ||
        strcmp(again.conf, note.conf) != 0 || strcmp(again.submit, note.submit) != 0)
        abort();
    return 0;
}
