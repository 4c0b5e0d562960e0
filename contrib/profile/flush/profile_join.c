/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/flush/profile_join.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "contrib/profile/flush/kept_file.h"
#include "contrib/profile/flush/profile_logs.h"
#include "contrib/profile/set_file.h"

/* PARTS_BYTES: no more is read, of all files of a step. SILENCE_MS, CPU_S: what a child may take.
 * ALL_S: all joins of a flush together, on the clock. CLOCKS_S: by how much clocks may be set. */
enum { PARTS_BYTES = 1 << 30, SILENCE_MS = 60000, CPU_S = 60, ALL_S = 60, CLOCKS_S = 60 };

static const char ending[] = KEPT_SET_ENDING;

/* A plain file of the user's in the directory. */
struct found_file {
    char *name; /* owned */
    uint64_t bytes;
    int64_t made_s; /* by the file system's clock */
};

/* Of a job, sorted by their names. */
struct found_files {
    struct found_file *file; /* owned */
    size_t count;
};

struct joining {
    struct kept_profiles *kept;
    const struct journal_step *step;
    const struct found_file **parts; /* of the step */
    size_t count;
    uint64_t bytes;       /* of all parts */
    uint64_t deadline_ms; /* of the monotonic clock */
    struct kept_file file;
    uint64_t unit;    /* that the file is of */
    uint64_t written; /* to it */
    uint64_t logs;    /* bytes of all logs */
    int error;        /* of the parent's own work */
};

/* In the child, as the user, who may write to the file at any time. */
static int add_part(int place, const struct found_file *file, struct profile_set *set)
{
    struct profile_set part;
    struct stat status;
    CLEANUP_CLOSE int fd =
        openat(place, file->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0)
        return -errno;
    int error = (uint64_t)status.st_size == file->bytes ? set_file_read(fd, &part) : -ESTALE;
    return error != 0 ? error : profile_set_merge(set, &part);
}

static int join(void *context, struct worker_pipe *pipe)
{
    const struct joining *joining = context;
    const struct conf *conf = joining->kept->state->conf;
    const struct ranks_wanted wanted = ranks_wanted_of(conf->profile_logs, joining->step);
    struct profile_sending sending = {.pipe = pipe, .unit = PROFILE_UNIT_SET(joining->step->step)};
    const struct set_file_sink sink = {.put = profile_send, .context = &sending};
    struct profile_set set;
    size_t repeated;
    int error = profile_set_begin(&set);
    for (size_t i = 0; error == 0 && i < joining->count; i++)
        error = add_part(joining->kept->place, joining->parts[i], &set);
    if (error == 0)
        error = profile_set_drop_repeated(&set, &repeated);
    if (error == 0)
        error = set_file_write_to(&sink, &set);
    sending.most = sending.bytes + conf->profile_bytes;
    if (error == 0)
        error = profile_logs_send(&set, &wanted, joining->step->step, &sending);
    return error != 0 ? error : worker_send_last(pipe, "", 0); /* the process ends */
}

/* Gives the file its name, if one is open, and the whole its record; a log for which there is no
 * room is left out. */
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
    if (error == 0 && PROFILE_UNIT_KIND(joining->unit) == KEPT_SET)
        kept_profiles_tell_joined(kept, joining->step, joining->file.name, joining->written);
    return is_left_out ? 0 : error;
}

/* Returns 0 or -errno; -EALREADY where another node writes it. */
static int begin_file(struct joining *joining, uint64_t unit)
{
    char words[32];
    joining->unit = unit;
    joining->written = 0;
    kept_file_ending(PROFILE_UNIT_KIND(unit), PROFILE_UNIT_RANK(unit), words);
    int error = kept_file_name(&joining->kept->journal->identity, joining->step->step, "", words,
                               joining->file.name);
    if (error == 0)
        error = kept_file_begin(&joining->file);
    return error == -EAGAIN ? -EALREADY : error;
}

/* A log of the same step follows. Returns 0 or -errno; -EPROTO where it does not. */
static int next_log(struct joining *joining, uint64_t unit)
{
    enum kept_kind kind = PROFILE_UNIT_KIND(unit);
    if (unit <= joining->unit || PROFILE_UNIT_STEP(unit) != joining->step->step ||
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
                                  .deadline_ns = joining->deadline_ms * 1000000,
                                  .memory_bytes = worker_memory(joining->bytes),
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
    *file = (struct found_file){
        .name = strdup(name), .bytes = (uint64_t)status.st_size, .made_s = status.st_mtim.tv_sec};
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

static const struct found_file *find_file(const struct found_files *found, const char *name)
{
    const struct found_file key = {.name = (char *)(uintptr_t)name};
    return found->count == 0
               ? NULL
               : bsearch(&key, found->file, found->count, sizeof *found->file, by_name);
}

/* When the step began here, or a little earlier, by the clock of the file system that has just made
 * this node's own file: what is older is of a job that had the number before. 0: it is not known,
 * or this node has no file. */
static int64_t find_begin(const struct joining *joining, const struct journal_step *step,
                          const struct found_files *found)
{
    char name[NAME_MAX + 1];
    const struct job_identity *job = &joining->kept->journal->identity;
    int error = kept_file_name(job, step->step, job->node, ending, name);
    const struct found_file *own = error != 0 ? NULL : find_file(found, name);
    int64_t ago_s = time(NULL) - (int64_t)(step->start_ns / 1000000000u);
    return own == NULL || ago_s < 0 ? 0 : own->made_s - ago_s - CLOCKS_S;
}

/* The files of the step's nodes: its own name with one word more in it. */
static void find_parts(struct joining *joining, const struct journal_step *step,
                       const struct found_files *found)
{
    size_t size = strlen(joining->file.name) - sizeof ending + 2; /* with the point */
    int64_t begin_s = find_begin(joining, step, found);
    const struct found_file *whole = find_file(found, joining->file.name);
    if (whole != NULL && whole->made_s < begin_s)
        unlinkat(joining->kept->place, whole->name, 0);
    for (size_t i = 0; i < found->count; i++) {
        if (!is_profile(found->file[i].name, joining->file.name, size) ||
            found->file[i].made_s < begin_s)
            continue;
        joining->parts[joining->count++] = &found->file[i];
        joining->bytes += found->file[i].bytes;
    }
}

static void tell_unjoined(const struct joining *joining, const char *why)
{
    fprintf(stderr,
            "jobtrail-submit: job %" PRIu32 ": %s is not made of its nodes' files: %s; "
            "jobtrail-profile merge does it\n",
            joining->kept->journal->identity.job, joining->file.name, why);
}

/* Returns 0 too where they cannot be joined, which it says. */
static int join_parts(struct joining *joining)
{
    if (joining->bytes > PARTS_BYTES || clock_ms() >= joining->deadline_ms) {
        tell_unjoined(joining, joining->bytes > PARTS_BYTES ? "they are too large"
                                                            : "other steps took too long");
        return 0;
    }
    int error = begin_file(joining, PROFILE_UNIT_SET(joining->step->step));
    if (error == 0)
        error = run_child(joining);
    error = end_file(joining, error);
    if (error == -ECANCELED)
        tell_unjoined(joining, "reading them broke down");
    return error == -EALREADY || error == -ECANCELED ? 0 : error;
}

static int join_step(struct kept_profiles *kept, const struct journal_step *step,
                     uint64_t deadline_ms, const struct found_files *found)
{
    struct joining joining = {.kept = kept,
                              .step = step,
                              .deadline_ms = deadline_ms,
                              .file = {.place = kept->place, .fd = -1}};
    CLEANUP_FREE const struct found_file **parts = calloc(found->count + 1, sizeof *parts);
    if (parts == NULL)
        return -ENOMEM;
    joining.parts = parts;
    int error = kept_file_name(&kept->journal->identity, step->step, "", ending, joining.file.name);
    if (error != 0)
        return error;
    find_parts(&joining, step, found);
    return joining.count == step->nodes ? join_parts(&joining) : 0;
}

int profile_join(struct kept_profiles *kept)
{
    const struct journal *journal = kept->journal;
    struct found_files found = {.count = 0};
    const uint64_t deadline_ms = clock_ms() + ALL_S * UINT64_C(1000);
    bool has_steps = false;
    for (size_t i = 0; i < journal->step_count; i++)
        has_steps |= journal->steps[i].nodes > 1;
    int error = has_steps ? find_files(kept->place, &journal->identity, &found) : 0;
    for (size_t i = 0; error == 0 && i < journal->step_count; i++)
        if (journal->steps[i].nodes > 1)
            error = join_step(kept, &journal->steps[i], deadline_ms, &found);
    for (size_t i = 0; i < found.count; i++)
        free(found.file[i].name);
    free(found.file);
    return error;
}
