/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * outbox_batch_parse(). A line that begins with "=" stands for one whose check is right, which no
 * chance would find.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/crc.h"
#include "submit/definition/record_view.h"
#include "submit/outbox/outbox_batch.h"
#include "test/fuzz/fuzz.h"

static void mend(char *line, size_t length)
{
    char check[8];
    if (length < 5 || line[0] != '=')
        return;
    snprintf(check, sizeof check, "%04x", crc16(line + 5, length - 5));
    memcpy(line, check, 4);
}

static void mend_all(char *text, size_t size)
{
    for (char *at = text, *last = text + size; at < last;) {
        char *end = memchr(at, '\n', (size_t)(last - at));
        size_t length = (size_t)((end == NULL ? last : end) - at);
        mend(at, length);
        at += length + 1;
    }
}

/* What is in the batch is what was there: nothing twice, nothing made up, nothing left out. */
static void check(const struct outbox_batch *batch, const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const struct record_view *record = &batch->item[i].record;
        if (!record_name_is_sound(record->name) || strlen(record->text) != record->length ||
            record->text + record->length >= batch->text + size)
            abort();
    }
    for (size_t i = 0; i < batch->damage_count; i++) {
        size_t at = (size_t)(batch->damage[i].at - batch->text);
        if (memcmp(text + at, batch->damage[i].at, batch->damage[i].length) != 0)
            abort();
    }
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    if (batch->count + batch->damage_count != lines + (size > 0 && text[size - 1] != '\n'))
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct outbox_batch batch;
    char *text = calloc(size + 1, 1), *copy = calloc(size + 1, 1);
    if (text == NULL || copy == NULL)
        abort();
    memcpy(text, data, size);
    mend_all(text, size);
    memcpy(copy, text, size);
    if (outbox_batch_parse(text, size, &batch) == 0)
        check(&batch, copy, size);
    outbox_batch_free(&batch);
    free(copy);
    return 0;
}
