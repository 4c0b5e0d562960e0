/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file's lines, in pieces: memory is bounded, however long a line is, and whatever becomes of the
 * file meanwhile. What it loses is not read, what it gains is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { LINE_ROOM = 256 << 10 };

struct line_reader {
    int fd;
    char *buffer;
    size_t start, end; /* of what is not taken yet, in the buffer */
    size_t step;       /* bytes to read at once */
    off_t place;       /* in the file, of what is at `start` */
    bool is_over, is_inside;
};

/* A whole line, or where it is longer than LINE_ROOM a part of it. */
struct line_piece {
    const char *at; /* valid until the next call */
    size_t size;    /* without a newline */
    off_t place;
    bool begins, ends; /* the line, with it */
    bool has_newline;  /* behind `size`: the last line may have none */
};

/* Reads from where the descriptor is, which stays the caller's. `place` is that place, where files
 * have one; `step` at most LINE_ROOM. Returns 0 or -ENOMEM; then, and after it, line_reader_free().
 */
int line_reader_open(struct line_reader *reader, int fd, off_t place, size_t step);

/* The same from the first line on that begins at `place` or behind it, of a file in which lines
 * begin at `base`. Returns 0 or -errno. */
int line_reader_seek(struct line_reader *reader, int fd, off_t base, off_t place, size_t step);

/* The next piece. Returns 1; 0 at the end; or -errno. */
int line_next(struct line_reader *reader, struct line_piece *piece);

void line_reader_free(struct line_reader *reader);

#define CLEANUP_LINES __attribute__((cleanup(line_reader_free)))
