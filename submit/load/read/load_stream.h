/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records in the lines of a file or pipe: blocks of syslog, or whole records as JSON. Other lines
 * are other programs' and left alone.
 */
#pragma once

#include <stdbool.h>

#include "submit/load/read/loader.h"
#include "submit/load/read/syslog_blocks.h"

struct load_stream;

/* Opens the file `path`, "-": standard input; it must outlive the stream. Returns 0 or -errno. */
int load_stream_open(const char *path, struct load_stream **stream);

/* Reads what there is now, unless the loader stops, or follows and a second has passed, and commits
 * it. Blocks of records that are not whole stay in `blocks`.
 * `*more` becomes true when there was anything. Returns as loader_load(). */
int load_stream_read(struct load_stream *stream, struct loader *loader,
                     struct syslog_blocks *blocks, bool *more);

/* Whether a pipe's other end is closed, or a file has been cut and begins anew: then it is to be
 * opened again. To be asked after each reading. */
bool load_stream_ended(struct load_stream *stream);

/* Whether another file has the path by now. */
bool load_stream_is_rotated(struct load_stream *stream);

/* Whether nothing has come for some seconds, and since that was asked. */
bool load_stream_is_quiet(const struct load_stream *stream);

/* Whether it is a file, which a later call can read again; not a pipe. */
bool load_stream_is_file(const struct load_stream *stream);

/* Whether a pipe is still open. */
bool load_stream_waits(const struct load_stream *stream);

/* Whether all that was read of it is lines, and none of them is a record or a block of one, good or
 * bad. Nothing at all, as a log of a quiet day, is no such. */
bool load_stream_has_none(const struct load_stream *stream);

/* Takes the last line even without a newline. Returns as loader_load(). */
int load_stream_finish(struct load_stream *stream, struct loader *loader,
                       struct syslog_blocks *blocks);

/* Removes the file when it is one and all of it, as it is now, is in the store or the quarantine;
 * counts it. */
void load_stream_remove(const struct load_stream *stream, struct loader *loader);

/* Takes NULL. */
void load_stream_close(struct load_stream *stream);

/* Sets all records aside of which blocks are missing, but the newest that take `keep_bytes`. */
void load_stream_drain(struct loader *loader, struct syslog_blocks *blocks, size_t keep_bytes);
