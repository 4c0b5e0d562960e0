/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * load_record(): the loader reads what nodes, and XALT, have sent.
 */
#include <stdlib.h>
#include <string.h>

#include "load_reason.h"
#include "load_record.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct load_reason reason;
    struct record record;
    char *text = malloc(size + 1);
    if (text == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (load_record(text, size, NULL, &record, &reason) == 0) {
        if (record.kind == RECORD_RUN && (record.run.uuid == NULL || strlen(record.run.uuid) != 36))
            abort();
        load_record_free(&record); /* the text, too */
    } else {
        free(text);
    }
    return 0;
}
