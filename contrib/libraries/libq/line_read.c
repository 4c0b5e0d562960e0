/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/line_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int line_reader_open(struct line_reader *reader, int fd, off_t place, size_t step)
{
    *reader = (struct line_reader){.fd = fd, .place = place, .step = step};
    reader->buffer = malloc(LINE_ROOM);
    return reader->buffer == NULL ? -ENOMEM : 0;
}

void line_reader_free(struct line_reader *reader)
{
    free(reader->buffer);
    reader->buffer = NULL;
}

/* More bytes behind those that are there, of which there is room for more. */
static int fill(struct line_reader *reader)
{
    if (reader->start > 0) {
        memmove(reader->buffer, reader->buffer + reader->start, reader->end - reader->start);
        reader->end -= reader->start;
        reader->start = 0;
    }
    size_t room = LINE_ROOM - reader->end;
    ssize_t got;
    do
        got = read(reader->fd, reader->buffer + reader->end,
                   room < reader->step ? room : reader->step);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    reader->is_over = got == 0;
    reader->end += (size_t)got;
    return 0;
}

int line_next(struct line_reader *reader, struct line_piece *piece)
{
    size_t searched = 0;
    const char *newline = NULL;
    for (;;) {
        size_t left = reader->end - reader->start;
        if (left > searched)
            newline = memchr(reader->buffer + reader->start + searched, '\n', left - searched);
        if (newline != NULL || reader->is_over || left == LINE_ROOM)
            break;
        searched = left;
        int error = fill(reader);
        if (error != 0)
            return error;
    }
    const char *at = reader->buffer + reader->start;
    size_t size = newline != NULL ? (size_t)(newline - at) : reader->end - reader->start;
    if (size == 0 && newline == NULL && !reader->is_inside)
        return 0;
    *piece = (struct line_piece){
        .at = at,
        .size = size,
        .place = reader->place,
        .begins = !reader->is_inside,
        .ends = newline != NULL || reader->is_over,
        .has_newline = newline != NULL,
    };
    reader->is_inside = !piece->ends;
    reader->start += size + piece->has_newline;
    reader->place += (off_t)(size + piece->has_newline);
    return 1;
}

int line_reader_seek(struct line_reader *reader, int fd, off_t base, off_t place, size_t step)
{
    off_t from = place > base ? place - 1 : base;
    struct line_piece skipped = {.ends = place <= base};
    int found = line_reader_open(reader, fd, from, step);
    if (found == 0 && lseek(fd, from, SEEK_SET) < 0)
        found = -errno;
    while (found >= 0 && !skipped.ends) {
        found = line_next(reader, &skipped);
        if (found <= 0)
            break;
    }
    return found < 0 ? found : 0;
}
