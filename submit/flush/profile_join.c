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
#include "submit/flush/profile_logs.h"
#include "submit/profile/set_file.h"

/* PARTS_BYTES: no more is read, of all files of a step. SILENCE_MS, CPU_S: what the child may take.
 */
enum { PARTS_BYTES = 1 << 30, SILENCE_MS = 60000, CPU_S = 60 };

static const char ending[] = KEPT_SET_ENDING;

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
    struct kept_profiles *kept;
    uint32_t step;
    const struct found_file **parts; /* of the step */
    size_t count;
    uint64_t bytes; /* of all parts */
    struct kept_file file;
    uint64_t unit;    /* that the file is of */
    uint64_t written; /* to it */
    uint64_t logs;    /* bytes of all logs */
    int error;        /* of the parent's own work */
};

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
    const struct conf *conf = joining->kept->state->conf;
    struct profile_sending sending = {.pipe = pipe, .unit = PROFILE_UNIT_SET(joining->step)};
    const struct set_file_sink sink = {.put = profile_send, .context = &sending};
    struct profile_set set;
    size_t repeated;
    int error = profile_set_begin(&set);
    for (size_t i = 0; error == 0 && i < joining->count; i++)
        error = add_part(joining->kept->place, joining->parts[i]->name, &set);
    if (error == 0)
        error = profile_set_drop_repeated(&set, &repeated);
    if (error == 0)
        error = set_file_write_to(&sink, &set);
    sending.most = sending.bytes + conf->profile_bytes;
    if (error == 0)
        error = profile_logs_send(&set, conf->profile_logs, joining->step, &sending);
    return error != 0 ? error : worker_send_last(pipe, "", 0); /* the process ends */
}

/* Gives the file its name, if one is open; a log for which there is no room is left out. */
static int end_file(struct joining *joining, int error)
{
    struct kept_profiles *kept = joining->kept;
    if (joining->file.fd < 0)
        return error;
    if (error == 0)
        error = profile_room_make(&kept->room, joining->file.name, joining->written);
    bool is_left_out = error == -EFBIG && PROFILE_UNIT_KIND(joining->unit) != KEPT_SET;
    error = kept_file_end(&joining->file, &kept->journal->identity, error);
    kept->left_out += is_left_out;
    return is_left_out ? 0 : error;
}

/* Returns 0 or -errno; -EALREADY where another node writes it. */
static int begin_file(struct joining *joining, uint64_t unit)
{
    char words[32];
    joining->unit = unit;
    joining->written = 0;
    kept_file_ending(PROFILE_UNIT_KIND(unit), PROFILE_UNIT_RANK(unit), words);
    int error = kept_file_name(&joining->kept->journal->identity, joining->step, "", words,
                               joining->file.name);
    if (error == 0)
        error = kept_file_begin(&joining->file);
    return error == -EAGAIN ? -EALREADY : error;
}

/* A log of the same step follows. Returns 0 or -errno; -EPROTO where it does not. */
static int next_log(struct joining *joining, uint64_t unit)
{
    enum kept_kind kind = PROFILE_UNIT_KIND(unit);
    if (unit <= joining->unit || PROFILE_UNIT_STEP(unit) != joining->step ||
        (kind != KEPT_SUMMARY && kind != KEPT_LOG))
        return -EPROTO;
    int error = end_file(joining, 0);
    return error != 0 ? error : begin_file(joining, unit);
}

/* The whole is not larger than its parts, and the logs not than those of one node may be. */
static enum worker_answer take(void *context, const struct worker_message *message)
{
    struct joining *joining = context;
    int error =
        message->unit == joining->unit || message->is_last ? 0 : next_log(joining, message->unit);
    bool is_log = PROFILE_UNIT_KIND(joining->unit) != KEPT_SET;
    uint64_t room = is_log ? joining->kept->state->conf->profile_bytes - joining->logs
                           : joining->bytes - joining->written;
    if (error == -EPROTO || message->size > room)
        return WORKER_NOT_BELIEVED;
    joining->error = error;
    if (error != 0)
        return WORKER_ENOUGH;
    joining->logs += is_log ? message->size : 0;
    joining->written += message->size;
    joining->error = io_write_all(joining->file.fd, message->bytes, message->size);
    return joining->error == 0 ? WORKER_GO_ON : WORKER_ENOUGH;
}

static int run_child(struct joining *joining)
{
    enum worker_outcome outcome;
    const struct job_identity *job = &joining->kept->journal->identity;
    const struct worker worker = {.uid = job->uid,
                                  .gid = job->gid,
                                  .keep = &joining->kept->place,
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
    struct joining joining = {
        .kept = kept, .step = step->step, .file = {.place = kept->place, .fd = -1}};
    CLEANUP_FREE const struct found_file **parts = calloc(found->count + 1, sizeof *parts);
    if (parts == NULL)
        return -ENOMEM;
    joining.parts = parts;
    int error = kept_file_name(&kept->journal->identity, step->step, "", ending, joining.file.name);
    if (error != 0)
        return error;
    find_parts(&joining, found);
    if (joining.count != step->nodes || joining.bytes > PARTS_BYTES)
        return 0;
    error = begin_file(&joining, PROFILE_UNIT_SET(step->step));
    if (error == 0)
        error = run_child(&joining);
    error = end_file(&joining, error);
    return error == -EALREADY ? 0 : error;
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
