/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/profile_join.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "submit/flush/kept_file.h"
#include "submit/profile/set_file.h"

/* PARTS_BYTES: no more is read, of all files of a step. SILENCE_MS, CPU_S: what the child may take.
 */
enum { PARTS_BYTES = 1 << 30, SILENCE_MS = 60000, CPU_S = 60 };

static const char ending[] = ".profile";

/* A plain file of the user's in the directory. */
struct found_file {
    char *name; /* owned */
    uint64_t bytes;
};

/* Of a job, sorted by their names. */
struct found_files {
    struct found_file *file; /* owned */
    size_t count;
};

struct joining {
    int place;
    const struct found_file **parts; /* of the step */
    size_t count;
    uint64_t bytes; /* of all parts */
    struct kept_file file;
    uint64_t written;
    int error; /* of the parent's own work */
};

static int send(void *context, const void *bytes, size_t size)
{
    return kept_file_send(context, 0, bytes, size);
}

/* In the child, as the user. */
static int add_part(int place, const char *name, struct profile_set *set)
{
    struct profile_set part;
    CLEANUP_CLOSE int fd = openat(place, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int error = fd < 0 ? -errno : set_file_read(fd, &part);
    return error != 0 ? error : profile_set_merge(set, &part);
}

static int join(void *context, struct worker_pipe *pipe)
{
    const struct joining *joining = context;
    const struct set_file_sink sink = {.put = send, .context = pipe};
    struct profile_set set;
    size_t repeated;
    int error = profile_set_begin(&set);
    for (size_t i = 0; error == 0 && i < joining->count; i++)
        error = add_part(joining->place, joining->parts[i]->name, &set);
    if (error == 0)
        error = profile_set_drop_repeated(&set, &repeated);
    if (error == 0)
        error = set_file_write_to(&sink, &set);
    return error != 0 ? error : worker_send_last(pipe, "", 0); /* the process ends */
}

/* The whole is not larger than its parts. */
static enum worker_answer take(void *context, const struct worker_message *message)
{
    struct joining *joining = context;
    if (message->size > joining->bytes - joining->written)
        return WORKER_NOT_BELIEVED;
    joining->written += message->size;
    joining->error = io_write_all(joining->file.fd, message->bytes, message->size);
    return joining->error == 0 ? WORKER_GO_ON : WORKER_ENOUGH;
}

static int run_child(struct joining *joining, const struct job_identity *job)
{
    enum worker_outcome outcome;
    const struct worker worker = {.uid = job->uid,
                                  .gid = job->gid,
                                  .keep = &joining->place,
                                  .keep_count = 1,
                                  .sandbox = SANDBOX_READS,
                                  .work = join,
                                  .take = take,
                                  .context = joining,
                                  .silence_ms = SILENCE_MS,
                                  .cpu_ns = CPU_S * UINT64_C(1000000000)};
    int error = worker_run(&worker, &outcome);
    if (error == 0)
        error = joining->error;
    return error != 0 ? error : outcome == WORKER_DONE ? 0 : -ECANCELED;
}

static int add_name(struct found_files *found, int place, const char *name, uid_t uid)
{
    struct stat status;
    if (fstatat(place, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISREG(status.st_mode) || status.st_uid != uid)
        return 0;
    int error = GROW(found->file, found->count);
    if (error != 0)
        return error;
    struct found_file *file = &found->file[found->count];
    *file = (struct found_file){.name = strdup(name), .bytes = (uint64_t)status.st_size};
    if (file->name == NULL)
        return -ENOMEM;
    found->count++;
    return 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct found_file *)left)->name,
                  ((const struct found_file *)right)->name);
}

/* Whether the name begins with those words and ends as profiles do, with something between. */
static bool is_profile(const char *name, const char *words, size_t size)
{
    size_t length = strlen(name), end = sizeof ending - 1;
    return length > size + end && strncmp(name, words, size) == 0 &&
           strcmp(name + length - end, ending) == 0;
}

static int find_files(int place, const struct job_identity *job, struct found_files *found)
{
    char words[32];
    int length = snprintf(words, sizeof words, "%" PRIu32 ".%" PRIu32 ".", job->job, job->restart);
    int fd = directory_open(place, ".");
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    int error = fd < 0 ? fd : 0;
    if (directory == NULL) {
        if (fd >= 0)
            close(fd);
        return error != 0 ? error : -ENOMEM;
    }
    for (struct dirent *entry; error == 0 && (entry = readdir(directory)) != NULL;)
        if (is_profile(entry->d_name, words, (size_t)length))
            error = add_name(found, place, entry->d_name, job->uid);
    closedir(directory);
    if (found->count > 0)
        qsort(found->file, found->count, sizeof *found->file, by_name);
    return error;
}

/* The files of the step's nodes: its own name with one word more in it. */
static void find_parts(struct joining *joining, const struct found_files *found)
{
    size_t size = strlen(joining->file.name) - sizeof ending + 2; /* with the point */
    for (size_t i = 0; i < found->count; i++) {
        if (!is_profile(found->file[i].name, joining->file.name, size))
            continue;
        joining->parts[joining->count++] = &found->file[i];
        joining->bytes += found->file[i].bytes;
    }
}

static int join_step(struct kept_profiles *kept, const struct journal_step *step,
                     const struct found_files *found)
{
    const struct job_identity *job = &kept->journal->identity;
    struct joining joining = {.place = kept->place, .file = {.place = kept->place, .fd = -1}};
    CLEANUP_FREE const struct found_file **parts = calloc(found->count + 1, sizeof *parts);
    if (parts == NULL)
        return -ENOMEM;
    joining.parts = parts;
    int error = kept_file_name(job, step->step, "", joining.file.name);
    if (error != 0)
        return error;
    find_parts(&joining, found);
    if (joining.count != step->nodes || joining.bytes > PARTS_BYTES)
        return 0;
    error = kept_file_begin(&joining.file);
    if (error != 0)
        return error == -EAGAIN ? 0 : error; /* another node does it */
    error = run_child(&joining, job);
    if (error == 0)
        error = profile_room_make(&kept->room, joining.file.name, joining.written);
    return kept_file_end(&joining.file, job, error);
}

int profile_join(struct kept_profiles *kept)
{
    const struct journal *journal = kept->journal;
    struct found_files found = {.count = 0};
    bool has_steps = false;
    for (size_t i = 0; i < journal->step_count; i++)
        has_steps |= journal->steps[i].nodes > 1;
    int error = has_steps ? find_files(kept->place, &journal->identity, &found) : 0;
    for (size_t i = 0; error == 0 && i < journal->step_count; i++)
        if (journal->steps[i].nodes > 1)
            error = join_step(kept, &journal->steps[i], &found);
    for (size_t i = 0; i < found.count; i++)
        free(found.file[i].name);
    free(found.file);
    return error;
}
