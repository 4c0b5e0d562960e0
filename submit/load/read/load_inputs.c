/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/load_inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "submit/load/read/load_stream.h"

#define IDLE_MS 500 /* between two looks, when nothing was new */

struct load_input {
    const char *path;
    struct load_stream *stream; /* NULL: not open */
    bool is_stream;             /* and was there */
};

/* A log that another file has the path of by now: a daemon may still write into it. */
struct rotated {
    struct load_stream *stream;
    struct rotated *next;
};

struct inputs {
    struct loader *loader;
    struct syslog_blocks *blocks;
    struct load_input *list; /* owned */
    size_t count;
    struct rotated *rotated; /* owned */
    bool follow;
    bool consumed; /* what a later call cannot read again: of a pipe, or of a rotated file */
};

static bool is_stream(const char *path)
{
    struct stat facts;
    size_t length = strlen(path);
    if (strcmp(path, "-") == 0)
        return true;
    if (stat(path, &facts) != 0 || S_ISDIR(facts.st_mode))
        return false;
    return length < 5 || strcmp(path + length - 5, ".json") != 0;
}

/* Whether more may come or be there, so that what is not whole now may become so. */
static bool is_left(const struct inputs *inputs)
{
    return inputs->follow || inputs->loader->stopped;
}

/* ---- One input ------------------------------------------------------------------------------- */

static int open_stream(struct inputs *inputs, struct load_input *input)
{
    int error = load_stream_open(input->path, &input->stream);
    if (error == 0)
        input->is_stream = true;
    if (error == 0 && !load_stream_is_file(input->stream))
        inputs->consumed = true;
    if (error != 0 && !(inputs->follow && error == -ENOENT))
        loader_report_input(inputs->loader, input->path, -error);
    return error;
}

/* The last line of what no later call can read again. */
static int finish_stream(struct inputs *inputs, struct load_stream *stream)
{
    inputs->consumed = true;
    return load_stream_finish(stream, inputs->loader, inputs->blocks);
}

/* Opened again before it is closed: what is in a named pipe goes with the last that has it open. */
static int end_stream(struct inputs *inputs, struct load_input *input)
{
    struct load_stream *old = input->stream;
    input->stream = NULL;
    open_stream(inputs, input);
    int error = finish_stream(inputs, old);
    load_stream_close(old);
    return error;
}

/* The new file at once, as it may be rotated soon, too. */
static int rotate_stream(struct inputs *inputs, struct load_input *input)
{
    struct rotated *rotated = malloc(sizeof *rotated);
    if (rotated == NULL)
        return -ENOMEM;
    *rotated = (struct rotated){input->stream, inputs->rotated};
    inputs->rotated = rotated;
    input->stream = NULL;
    open_stream(inputs, input);
    return 0;
}

static void drop_rotated(struct rotated **at)
{
    struct rotated *rotated = *at;
    *at = rotated->next;
    load_stream_close(rotated->stream);
    free(rotated);
}

static int read_rotated(struct inputs *inputs, bool *more)
{
    int error = 0;
    struct rotated **at = &inputs->rotated;
    while (error == 0 && *at != NULL) {
        struct load_stream *stream = (*at)->stream;
        error = load_stream_read(stream, inputs->loader, inputs->blocks, more);
        if (error != 0 || !load_stream_is_quiet(stream)) {
            at = &(*at)->next;
            continue;
        }
        error = finish_stream(inputs, stream);
        drop_rotated(at);
    }
    return error;
}

static int read_stream(struct inputs *inputs, struct load_input *input, bool *more)
{
    if (input->stream == NULL && open_stream(inputs, input) != 0)
        return 0;
    int error = load_stream_read(input->stream, inputs->loader, inputs->blocks, more);
    if (error != 0 || !inputs->follow || strcmp(input->path, "-") == 0)
        return error;
    if (load_stream_is_rotated(input->stream))
        return rotate_stream(inputs, input);
    return load_stream_ended(input->stream) ? end_stream(inputs, input) : 0;
}

static int read_input(struct inputs *inputs, struct load_input *input, bool *more)
{
    if (input->is_stream || is_stream(input->path))
        return read_stream(inputs, input, more);
    size_t before = load_counts_read(&inputs->loader->counts);
    int error = loader_load(inputs->loader, input->path);
    *more |= load_counts_read(&inputs->loader->counts) != before;
    return error;
}

/* A line that has no end yet: when the loader stops, that of a file is read again later. */
static int end_of_input(struct inputs *inputs, struct load_input *input)
{
    struct load_stream *stream = input->stream;
    if (stream == NULL ||
        (is_left(inputs) && load_stream_is_file(stream) && !load_stream_is_rotated(stream)))
        return 0;
    return finish_stream(inputs, stream);
}

/* Says so where no record was found although somebody expects some. A directory from which files
 * are removed as they are loaded may be empty, and so may a log or standard input. */
static void judge_input(struct inputs *inputs, const struct load_input *input)
{
    struct loader *loader = inputs->loader;
    if (loader->input_trouble)
        return;
    if (input->stream != NULL && load_stream_has_none(input->stream))
        loader_report_none(loader, input->path, "holds no records: none of its lines is one");
    if (!input->is_stream && loader->visited == 0 && !loader->delete_files)
        loader_report_none(loader, input->path,
                           "holds no records: no file run.*.json, link.*.json, pkg.*.json or "
                           "coverage.*.json");
}

/* To the end of a pipe too. */
static int read_whole(struct inputs *inputs, struct load_input *input)
{
    bool more = false;
    int error;
    loader_begin_input(inputs->loader, 0);
    do
        error = read_input(inputs, input, &more);
    while (error == 0 && !inputs->loader->stopped && input->stream != NULL &&
           load_stream_waits(input->stream));
    if (error == 0)
        error = end_of_input(inputs, input);
    progress_clear(&inputs->loader->progress);
    if (error == 0 && !inputs->loader->stopped)
        judge_input(inputs, input);
    return error;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Whether there is nothing but a standard input whose other end is closed. */
static bool is_over(const struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct load_input *input = &inputs->list[i];
        if (strcmp(input->path, "-") != 0 || input->stream == NULL ||
            !load_stream_ended(input->stream))
            return false;
    }
    return true;
}

static int follow_all(struct inputs *inputs)
{
    int error = 0;
    while (error == 0 && !is_over(inputs) && !loader_stops(inputs->loader)) {
        bool more = false;
        for (size_t i = 0; error == 0 && i < inputs->count; i++)
            error = read_input(inputs, &inputs->list[i], &more);
        if (error == 0)
            error = read_rotated(inputs, &more);
        if (!more)
            nanosleep(&(struct timespec){0, IDLE_MS * 1000000L}, NULL);
    }
    for (; error == 0 && inputs->rotated != NULL; drop_rotated(&inputs->rotated))
        error = finish_stream(inputs, inputs->rotated->stream);
    for (size_t i = 0; error == 0 && i < inputs->count; i++)
        error = end_of_input(inputs, &inputs->list[i]);
    return error;
}

/* Records of which blocks are missing are set aside, unless all of the blocks are read again. Files
 * that hold nothing but what has been loaded are removed. Which of them have the blocks of a record
 * that is incomplete nobody knows. */
static void finish_inputs(struct inputs *inputs)
{
    struct loader *loader = inputs->loader;
    const struct load_counts *counts = &loader->counts;
    if (!is_left(inputs) || inputs->consumed)
        load_stream_drain(loader, inputs->blocks, 0);
    bool whole = counts->incomplete == 0 || counts->damaged == counts->quarantined;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->list[i].stream != NULL && whole && !is_left(inputs) && loader->delete_files &&
            !loader->dry_run)
            load_stream_remove(inputs->list[i].stream, loader);
}

static int make_list(struct inputs *inputs, char **paths)
{
    while (paths[inputs->count] != NULL)
        inputs->count++;
    inputs->list = calloc(inputs->count + 1, sizeof *inputs->list);
    inputs->blocks = syslog_blocks_new();
    if (inputs->list == NULL || inputs->blocks == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < inputs->count; i++)
        inputs->list[i].path = paths[i];
    return 0;
}

int load_inputs(struct loader *loader, char **paths, bool follow)
{
    struct inputs inputs = {.loader = loader, .follow = follow};
    int error = make_list(&inputs, paths);
    if (error == 0 && follow)
        error = follow_all(&inputs);
    for (size_t i = 0; error == 0 && !follow && i < inputs.count && !loader_stops(loader); i++)
        error = read_whole(&inputs, &inputs.list[i]);
    if (error == 0) {
        finish_inputs(&inputs);
    } else if (inputs.consumed) { /* the store failed */
        loader_rescue(loader);
        load_stream_drain(loader, inputs.blocks, 0);
    }
    for (size_t i = 0; inputs.list != NULL && i < inputs.count; i++)
        load_stream_close(inputs.list[i].stream);
    while (inputs.rotated != NULL)
        drop_rotated(&inputs.rotated);
    free(inputs.list);
    syslog_blocks_free(inputs.blocks);
    return error;
}
