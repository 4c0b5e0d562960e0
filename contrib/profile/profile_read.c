/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/profile_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "contrib/profile/chunk_read.h"

/* Processes claim their chunk before those of their threads, so they are found in order. */
static struct profiled_process *find_process(struct profile_content *content, uint64_t offset)
{
    size_t low = 0, high = content->process_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (content->processes[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < content->process_count && content->processes[low].offset == offset;
    return is_there ? &content->processes[low] : NULL;
}

static int read_process(struct chunk_source *source, uint64_t offset,
                        struct profile_content *content)
{
    char bytes[PROFILE_PROCESS_BYTES];
    int error = GROW(content->processes, content->process_count);
    if (error == 0)
        error = chunk_bytes(source, offset, bytes, sizeof bytes);
    if (error != 0)
        return error;
    struct profiled_process *process = &content->processes[content->process_count++];
    *process = (struct profiled_process){.offset = offset};
    return process_chunk(bytes, process, &content->damaged);
}

static int read_thread(struct chunk_source *source, const struct profile_chunk *chunk,
                       struct profile_content *content)
{
    struct profiled_process *process = find_process(content, chunk->process);
    CLEANUP_FREE char *bytes = malloc(PROFILE_THREAD_BYTES);
    if (bytes == NULL)
        return -ENOMEM;
    if (process == NULL) {
        content->damaged++;
        return 0;
    }
    int error = chunk_bytes(source, chunk->offset, bytes, PROFILE_THREAD_BYTES);
    return error != 0 ? error : thread_chunk(source, bytes, process, &content->damaged);
}

/* The chunks of routines and of their calls. */
static int read_calls(struct chunk_source *source, const struct profile_chunk *chunk,
                      struct profile_content *content)
{
    struct profiled_process *process = find_process(content, chunk->process);
    /* more than any of them needs */
    const size_t most = PROFILE_PAGE + PROFILE_ROUTINES_MAX * sizeof(struct profile_routine);
    if (process == NULL || chunk->bytes > most) {
        content->damaged++;
        return 0;
    }
    CLEANUP_FREE char *bytes = malloc(chunk->bytes);
    if (bytes == NULL)
        return -ENOMEM;
    int error = chunk_bytes(source, chunk->offset, bytes, chunk->bytes);
    if (error != 0)
        return error;
    return chunk->kind == PROFILE_ROUTINES
               ? routines_chunk(bytes, chunk->bytes, process, &content->damaged)
               : calls_chunk(bytes, chunk->bytes, process, &content->damaged);
}

/* Sets `*bytes` to how far the next chunk is. */
static int read_chunk(struct chunk_source *source, uint64_t offset, uint64_t *bytes,
                      struct profile_content *content)
{
    struct profile_chunk chunk;
    *bytes = PROFILE_PAGE;
    int error = chunk_bytes(source, offset, &chunk, sizeof chunk);
    if (error != 0)
        return error;
    if (chunk.magic != PROFILE_CHUNK_MAGIC || chunk.kind == PROFILE_NONE)
        return 0;
    uint64_t size = chunk.kind == PROFILE_PROCESS  ? (uint64_t)PROFILE_PROCESS_BYTES
                    : chunk.kind == PROFILE_THREAD ? (uint64_t)PROFILE_THREAD_BYTES
                                                   : chunk.bytes;
    bool is_piece = chunk.kind == PROFILE_PIECE;
    /* pieces are taken by the thread that they belong to, which may come after them */
    if (chunk.offset != offset || chunk.kind > PROFILE_CALLS || chunk.bytes != size || size == 0 ||
        size % PROFILE_PAGE != 0 || source->end - offset < size ||
        (!is_piece && chunk_take(source, offset, size) != 0)) {
        content->damaged++;
        return 0;
    }
    *bytes = size;
    if (chunk.kind == PROFILE_PROCESS)
        return read_process(source, offset, content);
    if (chunk.kind == PROFILE_THREAD)
        return read_thread(source, &chunk, content);
    return is_piece ? 0 : read_calls(source, &chunk, content);
}

static int read_header(int fd, uint64_t most, struct profile_content *content, uint64_t *end)
{
    struct profile_header *header = &content->header;
    struct stat status;
    ssize_t got = io_read_at(fd, header, sizeof *header, 0);
    if (got < 0 || fstat(fd, &status) != 0)
        return got < 0 ? (int)got : -errno;
    if ((size_t)got < sizeof *header || header->magic != PROFILE_MAGIC ||
        header->counter > PROFILE_CYCLES)
        return -EINVAL;
    *end = header->used_bytes;
    const uint64_t bounds[] = {most, (uint64_t)status.st_size, header->size_bytes};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        if (bounds[i] < *end)
            *end = bounds[i];
    *end -= *end % PROFILE_PAGE;
    header->boot[sizeof header->boot - 1] = '\0';
    return 0;
}

int profile_read(int fd, uint64_t most, struct profile_content *content)
{
    struct profile_content read = {.process_count = 0};
    struct chunk_source source = {.fd = fd};
    int error = read_header(fd, most, &read, &source.end);
    if (error != 0)
        return error;
    CLEANUP_FREE unsigned char *used = calloc(source.end / PROFILE_PAGE + 1, 1);
    source.page_used = used;
    if (used == NULL)
        return -ENOMEM;
    uint64_t step = 0;
    for (uint64_t at = PROFILE_PAGE; error == 0 && at < source.end; at += step)
        error = read_chunk(&source, at, &step, &read);
    if (error == -ENODATA) { /* it has become shorter */
        read.damaged++;
        error = 0;
    }
    if (error != 0)
        profile_content_free(&read);
    else
        *content = read;
    return error;
}

void profile_content_free(struct profile_content *content)
{
    for (size_t i = 0; i < content->process_count; i++) {
        struct profiled_process *process = &content->processes[i];
        for (size_t at = 0; at < process->object_count; at++)
            free(process->objects[at].path);
        free(process->objects);
        free(process->samples);
        free(process->routines);
        free(process->open);
        call_tree_free(&process->tree);
    }
    free(content->processes);
    *content = (struct profile_content){.process_count = 0};
}

const char *profiled_executable(const struct profiled_process *process)
{
    for (size_t i = 0; i < process->object_count; i++)
        if (process->objects[i].is_executable && process->objects[i].path[0] != '\0')
            return process->objects[i].path;
    return NULL;
}

/* The routine that it called, or one whose name goes on with `_thread`, in C or Fortran. */
static const struct profiled_routine *find_called(const struct profiled_process *process,
                                                  const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < process->routine_count; i++) {
        const struct profiled_routine *routine = &process->routines[i];
        if ((routine->flags & PROFILE_ROUTINE_MPI) != 0 && routine->calls > 0 &&
            strncasecmp(routine->name, name, length) == 0 &&
            (routine->name[length] == '\0' || routine->name[length] == '_'))
            return routine;
    }
    return NULL;
}

bool profiled_is_in_mpi(const struct profiled_process *process)
{
    return process->missed_mpi == 0 && find_called(process, "mpi_init") != NULL &&
           find_called(process, "mpi_finalize") == NULL;
}

uint64_t profiled_abort(const struct profiled_process *process)
{
    const struct profiled_routine *called = find_called(process, "mpi_abort");
    for (size_t i = 0; called != NULL && i < process->open_count; i++)
        if (&process->routines[process->open[i].routine] == called)
            return process->open[i].start;
    return 0;
}

bool profiled_calls_mpi(const struct profiled_process *process)
{
    for (size_t i = 0; i < process->routine_count; i++)
        if ((process->routines[i].flags & PROFILE_ROUTINE_MPI) != 0 &&
            process->routines[i].calls > 0)
            return true;
    return false;
}
