/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/outbox_batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/crc.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "submit/outbox/outbox.h"

static int by_name(const void *left, const void *right)
{
    return strcmp(left, right);
}

static int add_name(struct outbox_batches *batches, const char *name)
{
    if (name[0] == '.' || strlen(name) >= OUTBOX_BATCH_NAME_MAX)
        return 0;
    if (GROW(batches->name, batches->count) != 0)
        return -ENOMEM;
    strcpy(batches->name[batches->count++], name);
    return 0;
}

int outbox_batches_list(int directory, struct outbox_batches *batches)
{
    struct outbox_batches found = {NULL, 0};
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_open(directory, ".", &listing);
    for (const char *name; error == 0 && (name = listing_next(listing)) != NULL;)
        error = add_name(&found, name);
    if (error != 0) {
        outbox_batches_free(&found);
        return error;
    }
    if (found.count > 0)
        qsort(found.name, found.count, sizeof *found.name, by_name);
    *batches = found;
    return 0;
}

void outbox_batches_free(struct outbox_batches *batches)
{
    free(batches->name);
    *batches = (struct outbox_batches){NULL, 0};
}

/* The line, whose end has become NUL, as a record. Returns whether it is one. */
static int parse_line(char *line, size_t length, struct record_view *record)
{
    char *end;
    if (length < 8 || line[4] != ' ' || strspn(line, "0123456789abcdef") != 4 ||
        strlen(line) != length)
        return 0;
    unsigned long crc = strtoul(line, &end, 16);
    if (crc16_continue(OUTBOX_CRC, line + 5, length - 5) != crc)
        return 0;
    char *blank = memchr(line + 5, ' ', length - 5);
    if (blank == NULL)
        return 0;
    *blank = '\0';
    if (!record_name_is_sound(line + 5)) {
        *blank = ' ';
        return 0;
    }
    *record = record_view(line + 5, blank + 1, length - (size_t)(blank + 1 - line));
    return 1;
}

/* `whole`: the line has its end; the last one of a batch that was cut has none. */
static int take_line(struct outbox_batch *batch, char *line, size_t length, int whole)
{
    struct record_view record;
    if (!whole || !parse_line(line, length, &record)) {
        if (GROW(batch->damage, batch->damage_count) != 0)
            return -ENOMEM;
        batch->damage[batch->damage_count++] = (struct outbox_damage){line, length};
        return 0;
    }
    if (GROW(batch->item, batch->count) != 0)
        return -ENOMEM;
    batch->item[batch->count++] = (struct transport_item){.record = record};
    return 0;
}

int outbox_batch_parse(char *text, size_t size, struct outbox_batch *batch)
{
    int error = 0;
    *batch = (struct outbox_batch){.text = text};
    for (char *at = text, *last = at + size; at < last && error == 0;) {
        char *end = memchr(at, '\n', (size_t)(last - at));
        size_t length = (size_t)((end == NULL ? last : end) - at);
        at[length] = '\0';
        error = take_line(batch, at, length, end != NULL);
        at += length + 1;
    }
    return error;
}

uint64_t outbox_batch_time(const char *name)
{
    char digits[12];
    snprintf(digits, sizeof digits, "%.11s", name);
    return strspn(digits, "0123456789") == 11 ? strtoull(digits, NULL, 10) : 0;
}

int outbox_batch_read(int directory, const char *name, struct outbox_batch *batch)
{
    struct outbox_batch found = {.text = NULL};
    char *text = NULL;
    size_t size = 0;
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int error = whole_file_take(fd < 0 ? -errno : fd, 2 * OUTBOX_BATCH_BYTES + OUTBOX_TEXT_MAX,
                                &text, &size);
    if (error == 0)
        error = outbox_batch_parse(text, size, &found);
    if (error == 0)
        *batch = found;
    else
        outbox_batch_free(&found);
    return error;
}

static int sign_item(struct transport_item *item, const struct signature_key *key, char *to,
                     size_t *used)
{
    size_t length;
    int error = record_sign(key, item->record.text, item->record.length, to + *used, &length);
    if (error == -EINVAL) {
        item->outcome = TRANSPORT_REFUSED;
        snprintf(item->why, sizeof item->why, "cannot be signed: it is no JSON object");
        return 0;
    }
    if (error != 0)
        return error;
    item->record.text = to + *used;
    item->record.length = length;
    *used += length;
    return 0;
}

int outbox_batch_sign(struct outbox_batch *batch, const struct signature_key *key)
{
    size_t room = 1, used = 0;
    int error = 0;
    for (size_t i = 0; i < batch->count; i++)
        room += batch->item[i].record.length + RECORD_SIGNATURE_ROOM;
    char *text = malloc(room);
    if (text == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < batch->count && error == 0; i++)
        error = sign_item(&batch->item[i], key, text, &used);
    free(batch->signed_text); /* read by then */
    batch->signed_text = text;
    return error;
}

static int write_pending(int directory, const char *name, const struct outbox_batch *batch)
{
    FILE *file = outbox_create_batch(directory, name);
    int error = file == NULL ? -errno : 0;
    for (size_t i = 0; i < batch->count && error == 0; i++)
        if (batch->item[i].outcome == TRANSPORT_PENDING)
            error = outbox_write_line(file, &batch->item[i].record);
    if (error == 0 && (fflush(file) != 0 || fsync(fileno(file)) != 0))
        error = -errno;
    if (file != NULL)
        fclose(file);
    return error;
}

int outbox_batch_settle(int directory, const char *name, const struct outbox_batch *batch)
{
    static const char temporary[] = ".settled"; /* the holder of the lock alone writes it */
    size_t pending = 0;
    for (size_t i = 0; i < batch->count; i++)
        pending += batch->item[i].outcome == TRANSPORT_PENDING;
    if (pending == 0)
        return unlinkat(directory, name, 0) != 0 && errno != ENOENT ? -errno : 0;
    if (pending == batch->count && batch->damage_count == 0)
        return 0;
    int error = write_pending(directory, temporary, batch);
    if (error == 0 && renameat(directory, temporary, directory, name) != 0)
        error = -errno;
    return error;
}

void outbox_batch_free(struct outbox_batch *batch)
{
    free(batch->item);
    free(batch->damage);
    free(batch->signed_text);
    free(batch->text);
    *batch = (struct outbox_batch){.text = NULL};
}
