/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/flush/kept_profiles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/access_list.h"
#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "conf/base/replacement.h"
#include "conf/base/trusted.h"
#include "preload/profile/profile_file.h"
#include "spank/journal.h"

/* A rank has no more files, with those of its step. */
enum { FILES_OF_RANK = 4 };

/* A small file takes a block and an inode, too. */
static uint64_t taken_by(uint64_t bytes)
{
    enum { BLOCK = 4096 };
    return (bytes / BLOCK + 1) * BLOCK;
}

static int by_age(const void *left, const void *right)
{
    const struct kept_name *a = left, *b = right;
    if (a->made.tv_sec != b->made.tv_sec)
        return a->made.tv_sec < b->made.tv_sec ? -1 : 1;
    if (a->made.tv_nsec != b->made.tv_nsec)
        return a->made.tv_nsec < b->made.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int add_name(struct profile_room *room, const char *name, const struct stat *status)
{
    if (GROW(room->names, room->count) != 0)
        return -ENOMEM;
    struct kept_name one = {strdup(name), status->st_mtim, status->st_uid,
                            (uint64_t)status->st_size};
    if (one.name == NULL)
        return -ENOMEM;
    room->names[room->count++] = one;
    room->bytes += taken_by(one.bytes);
    return 0;
}

int profile_room_count(int place, uint64_t most, struct profile_room *room)
{
    CLEANUP_LISTING DIR *listing = NULL;
    *room = (struct profile_room){.place = place, .most = most};
    int error = listing_open(place, ".", &listing);
    for (const char *name; error == 0 && (name = listing_next(listing)) != NULL;) {
        struct stat status;
        if (fstatat(place, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
            error = add_name(room, name, &status);
    }
    if (room->count > 0)
        qsort(room->names, room->count, sizeof *room->names, by_age);
    return error;
}

void profile_room_free(struct profile_room *room)
{
    for (size_t i = 0; i < room->count; i++)
        free(room->names[i].name);
    free(room->names);
}

int profile_room_make(struct profile_room *room, const char *name, uint64_t bytes)
{
    if (taken_by(bytes) > room->most)
        return -EFBIG;
    /* A flush that was killed may have made it before. */
    for (size_t i = room->next; i < room->count; i++)
        if (strcmp(room->names[i].name, name) == 0) {
            room->bytes -= taken_by(room->names[i].bytes);
            room->names[i].name[0] = '\0';
        }
    while (room->next < room->count && room->bytes + taken_by(bytes) > room->most) {
        const struct kept_name *oldest = &room->names[room->next];
        if (oldest->name[0] != '\0') {
            if (unlinkat(room->place, oldest->name, 0) != 0 && errno != ENOENT)
                return -errno;
            room->bytes -= taken_by(oldest->bytes);
        }
        room->next++;
    }
    if (room->bytes + taken_by(bytes) > room->most)
        return -EFBIG;
    room->bytes += taken_by(bytes);
    return 0;
}

/* ---- Files, and their records ---------------------------------------------------------------- */

static int open_place(const struct flush_state *state, uid_t uid)
{
    char culprit[PATH_MAX], name[16];
    CLEANUP_CLOSE int all =
        trusted_directory(state->conf->profile_directory, TRUSTED_ALONE, culprit, sizeof culprit);
    if (all < 0)
        return all;
    snprintf(name, sizeof name, "%" PRIu32, (uint32_t)uid);
    int error = directory_make_one(all, name, 0700);
    int place = error != 0 ? error : directory_open_own(all, name);
    /* the user may pass it; which names are in it is nobody else's business */
    if (place >= 0 && access_list_give(place, uid, ACL_EXECUTE, 0711) < 0) {
        close(place);
        return -EACCES;
    }
    return place;
}

int kept_profiles_open(const struct flush_state *state, const struct journal *journal,
                       struct kept_profiles *kept)
{
    *kept = (struct kept_profiles){.state = state, .journal = journal, .fd = -1};
    kept->others = (struct journal_step){
        .step = UINT32_MAX, .start_ns = journal->step_count == 0 ? 0 : journal->steps[0].start_ns};
    outbox_owner(state->outbox, journal->identity.uid, journal->identity.job);
    kept->place = open_place(state, journal->identity.uid);
    return kept->place < 0
               ? kept->place
               : profile_room_count(kept->place, state->conf->profile_user_bytes, &kept->room);
}

int kept_profiles_close(struct kept_profiles *kept, int error)
{
    int sent = outbox_commit(kept->state->outbox);
    if (kept->untold != 0 || sent != 0)
        fprintf(stderr,
                "jobtrail-submit: job %" PRIu32 ": profiles are kept that have no record: %s\n",
                kept->journal->identity.job, strerror(kept->untold != 0 ? -kept->untold : -sent));
    if (kept->left_out > 0)
        fprintf(stderr,
                "jobtrail-submit: job %" PRIu32 ": %" PRIu64
                " of the files beside its profiles are left out: [profile] user_size\n",
                kept->journal->identity.job, kept->left_out);
    profile_room_free(&kept->room);
    if (kept->place >= 0)
        close(kept->place);
    return error;
}

static int name_file(const struct kept_profiles *kept, uint32_t step, const char *node,
                     const char *ending, char name[NAME_MAX + 1])
{
    char text[16];
    const struct job_identity *job = &kept->journal->identity;
    journal_step_text(step, text, sizeof text);
    int length = snprintf(name, NAME_MAX + 1, "%" PRIu32 ".%" PRIu32 ".%s%s%s%s", job->job,
                          job->restart, text, node[0] == '\0' ? "" : ".", node, ending);
    return length < 0 || length > NAME_MAX ? -ENAMETOOLONG : 0;
}

int kept_profiles_name(const struct kept_profiles *kept, uint32_t step, const char *node,
                       char name[NAME_MAX + 1])
{
    return name_file(kept, step, node, KEPT_SET_ENDING, name);
}

/* Begins a file of the step, of KEPT_UNIT's `number`. It has another name until it is whole. */
static int begin_file(struct kept_profiles *kept, enum kept_kind kind, uint32_t number)
{
    char own[24], ending[32] = KEPT_SET_ENDING, unfinished[40];
    const uint32_t rank = number / KEPT_UNIT_PROGRAMS, program = number % KEPT_UNIT_PROGRAMS + 1;
    const char *node = kept->joined != NULL ? "" : kept->journal->identity.node;
    snprintf(own, sizeof own, program == 1 ? "_%" PRIu32 : "_%" PRIu32 ".%" PRIu32, rank, program);
    if (kind == KEPT_SUMMARY)
        strcpy(ending, ".log");
    else if (kind != KEPT_SET)
        snprintf(ending, sizeof ending, "%s%s", own, kind == KEPT_LOG ? ".log" : ".vfd");
    if (kind == KEPT_SAMPLES)
        snprintf(unfinished, sizeof unfinished, "%s.tmpvfd", own);
    else
        snprintf(unfinished, sizeof unfinished, "%s.new", ending);
    int error = name_file(kept, kept->step->step, node, ending, kept->name);
    if (error == 0)
        error = name_file(kept, kept->step->step, node, unfinished, kept->unfinished);
    if (error != 0)
        return error;
    kept->kind = kind;
    kept->size = 0;
    kept->fd = replacement_open_as(kept->place, kept->unfinished);
    return kept->fd < 0 ? kept->fd : 0;
}

/* `told`: as of struct profile_source. */
static int add_record(const struct kept_profiles *kept, const struct profile_told *told)
{
    char path[PATH_MAX];
    const struct flush_state *state = kept->state;
    const struct job_identity *job = &kept->journal->identity;
    int length = snprintf(path, sizeof path, "%s/%" PRIu32 "/%s", state->conf->profile_directory,
                          (uint32_t)job->uid, kept->name);
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    const struct profile_source source = {
        .part = {state->conf, job, kept->step},
        .path = path,
        .bytes = kept->size,
        .made_ns = state->now_ns,
        .told = told,
    };
    struct built_record record;
    int error = profile_record_build(&source, &record);
    if (error != 0)
        return error;
    const struct record_view view = record_view_of(&record);
    error = outbox_add(state->outbox, &view);
    record_free(&record);
    return error;
}

static int add_records(const struct kept_profiles *kept)
{
    int error = kept->joined != NULL ? add_record(kept, NULL) : 0;
    for (size_t i = 0; error == 0 && i < kept->told_count; i++)
        error = add_record(kept, &kept->told[i]);
    return error;
}

int kept_profiles_end(struct kept_profiles *kept, int error)
{
    const struct job_identity *job = &kept->journal->identity;
    if (kept->fd < 0)
        return error;
    if (error == 0)
        error = profile_room_make(&kept->room, kept->name, kept->size);
    bool is_left_out = error == -EFBIG && kept->kind != KEPT_SET;
    error = replacement_end_as(kept->place, kept->unfinished, kept->name, kept->fd, 0600, error);
    /* It stays root's, so that nobody adds to it; the user may read it. Without access control
     * lists it becomes the user's. */
    int given = error != 0 ? 0 : access_list_give(kept->fd, job->uid, ACL_READ, 0600);
    if (given < 0 || (given > 0 && fchown(kept->fd, job->uid, job->gid) != 0)) {
        error = given < 0 ? given : -errno;
        unlinkat(kept->place, kept->name, 0);
    }
    close(kept->fd);
    kept->fd = -1;
    int told = error == 0 && kept->kind == KEPT_SET ? add_records(kept) : 0;
    if (told != 0)
        kept->untold = told;
    kept->left_out += is_left_out;
    return is_left_out ? 0 : error;
}

/* ---- What a child sends ---------------------------------------------------------------------- */

void kept_profiles_begin(struct kept_profiles *kept, const struct journal_step *joined,
                         uint64_t most)
{
    kept->joined = kept->step = joined;
    kept->most = most;
    kept->bytes = kept->files = kept->unit = 0;
    kept->told_count = 0;
    kept->last[0] = '\0';
    kept->error = 0;
}

/* The message says what records are to tell of the set. Returns 0, or -EPROTO where it cannot. */
static int take_told(struct kept_profiles *kept, const struct worker_message *message)
{
    const struct flush_state *state = kept->state;
    struct profile_told *told = kept->told;
    size_t count = message->size / sizeof *told;
    if (message->size > sizeof kept->told || message->size % sizeof *told != 0)
        return -EPROTO;
    memcpy(told, message->bytes, message->size);
    const struct told_most most =
        told_most_of(kept->journal, kept->step, state->conf->profile_bytes, state->now_ns);
    if (!profile_told_is_sound(told, count) || !told_most_has_ranks(&most, told, count))
        return -EPROTO;
    bool is_cut = false;
    for (size_t i = 0; i < count; i++)
        is_cut |= told_most_cut(&most, &told[i]);
    if (is_cut)
        fprintf(stderr,
                "jobtrail-submit: job %" PRIu32
                ": a profile has more time or calls in MPI than possible: they are left out\n",
                kept->journal->identity.job);
    kept->told_count = count;
    return 0;
}

/* The first message of a set: of a step of the journal, or of all others, or of the one that is
 * joined, of which nothing is reported. */
static int begin_set(struct kept_profiles *kept, const struct worker_message *message)
{
    const uint32_t number = (uint32_t)((message->unit >> 31) - 1);
    const struct journal_step *step = journal_find_step(kept->journal, number);
    if (step == NULL && number == UINT32_MAX)
        step = &kept->others;
    if (step == NULL || (kept->joined != NULL && (step != kept->joined || message->size > 0)))
        return -EPROTO;
    kept->step = step;
    int error = kept->joined != NULL ? 0 : take_told(kept, message);
    return error != 0 ? error : begin_file(kept, KEPT_SET, 0);
}

/* Another file: of a step, or beside that of the same step. How many ranks a job's profile can have
 * is bounded by its bytes. Returns 0 or -errno; -EPROTO where that cannot be. */
static int next_file(struct kept_profiles *kept, const struct worker_message *message)
{
    const uint64_t unit = message->unit, last = kept->unit, set = unit - unit % KEPT_UNIT_SET(0);
    const enum kept_kind kind = (enum kept_kind)(unit >> 29 & 3);
    const uint64_t ranks = kept->state->conf->profile_bytes / PROFILE_THREAD_BYTES;
    if (unit <= last || unit < KEPT_UNIT_SET(0) ||
        unit >= KEPT_UNIT_SET(UINT32_MAX) + KEPT_UNIT_SET(0) ||
        kept->files / FILES_OF_RANK > ranks || (unit != set && (last < set || kind == KEPT_SET)))
        return -EPROTO;
    kept->unit = unit;
    kept->files++;
    int error = kept_profiles_end(kept, 0);
    if (error != 0)
        return error;
    if (unit == set)
        return begin_set(kept, message);
    if (kept->joined != NULL && last == set)
        kept->most = kept->bytes + kept->state->conf->profile_bytes;
    return begin_file(kept, kind, (uint32_t)(unit & ((UINT32_C(1) << 29) - 1)));
}

/* What is kept is not larger than what it was made of may be. */
enum worker_answer kept_profiles_take(struct kept_profiles *kept,
                                      const struct worker_message *message)
{
    if (message->is_last) {
        snprintf(kept->last, sizeof kept->last, "%s", message->bytes);
        return WORKER_GO_ON;
    }
    bool is_begun = message->unit == kept->unit;
    if (!is_begun)
        kept->error = next_file(kept, message);
    bool has_bytes = is_begun || kept->kind != KEPT_SET; /* and not what is reported */
    if (kept->error == 0 && message->size > kept->most - kept->bytes)
        kept->error = -EPROTO;
    kept->bytes += message->size;
    if (kept->error == 0 && has_bytes) {
        kept->size += message->size;
        kept->error = io_write_all(kept->fd, message->bytes, message->size);
    }
    if (kept->error == -EPROTO) {
        kept->error = 0; /* it is the child's */
        return WORKER_NOT_BELIEVED;
    }
    return kept->error == 0 ? WORKER_GO_ON : WORKER_ENOUGH;
}
