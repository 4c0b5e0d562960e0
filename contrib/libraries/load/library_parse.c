/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of libraries in the loader.
 */
#include <stddef.h>
#include <string.h>

#include "conf/base/uuid7.h"
#include "submit/load/parse/load_part.h"
#include "submit/load/parse/record_values.h"

static int load_library(struct record_reader *reader)
{
    struct library_record *library = &reader->record->library;
    int error = record_read_values(reader->record->root, &library_fields, library, reader->reason);
    if (error == 0 && (!uuid_is_text(library->uuid) || !uuid_is_text(library->event)))
        error = load_refuse(reader->reason, "libraryT.uuid or libraryT.event is not a uuid");
    if (error == 0 && (library->kind == NULL ||
                       (strcmp(library->kind, "change") != 0 && strcmp(library->kind, "use") != 0)))
        error = load_refuse(reader->reason, "libraryT.kind is neither change nor use");
    if (error == 0 && (library->what == NULL || library->library == NULL || library->path == NULL ||
                       !library->found.known))
        error = load_refuse(reader->reason, "libraryT does not say what, of which library or when");
    return error;
}

const struct load_part load_part_libraries = {.read = load_library};
