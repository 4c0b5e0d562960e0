/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/flush/kept_profiles.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/base/replacement.h"
#include "conf/base/trusted.h"

/* Users may pass it; the names in it are nobody else's business. */
enum { PLACE_MODE = 0711 };

static int open_place(const struct flush_state *state, uid_t uid)
{
    char culprit[PATH_MAX], name[16];
    CLEANUP_CLOSE int all =
        trusted_directory(state->conf->profile_directory, TRUSTED_ALONE, culprit, sizeof culprit);
    if (all < 0)
        return all;
    snprintf(name, sizeof name, "%" PRIu32, (uint32_t)uid);
    int error = directory_make_one(all, name, PLACE_MODE);
    return error != 0 ? error : directory_open_own(all, name);
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
                "jobtrail-submit: job %" PRIu32 ": profiles are kept that no record tells of: %s\n",
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

/* Its name has another ending until it is whole. */
static int begin(struct kept_profiles *kept, enum kept_kind kind, uint32_t rank)
{
    char ending[32], unfinished[64];
    const struct job_identity *job = &kept->journal->identity;
    kept_file_ending(kind, rank, ending);
    if (kind == KEPT_SAMPLES)
        snprintf(unfinished, sizeof unfinished, "_%" PRIu32 ".tmpvfd", rank);
    else
        snprintf(unfinished, sizeof unfinished, "%s.new", ending);
    int error = kept_file_name(job, kept->step->step, job->node, ending, kept->name);
    if (error == 0)
        error = kept_file_name(job, kept->step->step, job->node, unfinished, kept->unfinished);
    if (error != 0)
        return error;
    kept->kind = kind;
    kept->bytes = 0;
    kept->fd = replacement_open_as(kept->place, kept->unfinished);
    return kept->fd < 0 ? kept->fd : 0;
}

int kept_profile_begin(struct kept_profiles *kept, const struct journal_step *step,
                       const struct profile_told *told, size_t count)
{
    kept->step = step == NULL ? &kept->others : step;
    memcpy(kept->told, told, count * sizeof *told);
    kept->told_count = count;
    return begin(kept, KEPT_SET, 0);
}

int kept_profile_beside(struct kept_profiles *kept, enum kept_kind kind, uint32_t rank)
{
    return begin(kept, kind, rank);
}

int kept_profile_write(struct kept_profiles *kept, const char *bytes, size_t size)
{
    kept->bytes += size;
    return io_write_all(kept->fd, bytes, size);
}

/* `told`: as of struct profile_source. */
static int add_record(const struct kept_profiles *kept, const struct journal_step *step,
                      const char *name, uint64_t bytes, const struct profile_told *told)
{
    char path[PATH_MAX];
    const struct flush_state *state = kept->state;
    const struct job_identity *job = &kept->journal->identity;
    int length = snprintf(path, sizeof path, "%s/%" PRIu32 "/%s", state->conf->profile_directory,
                          (uint32_t)job->uid, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    const struct profile_source source = {
        .part = {state->conf, job, step},
        .path = path,
        .bytes = bytes,
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

void kept_profiles_tell_joined(struct kept_profiles *kept, const struct journal_step *step,
                               const char *name, uint64_t bytes)
{
    int error = add_record(kept, step, name, bytes, NULL);
    if (error != 0)
        kept->untold = error;
}

static int add_records(const struct kept_profiles *kept)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < kept->told_count; i++)
        error = add_record(kept, kept->step, kept->name, kept->bytes, &kept->told[i]);
    return error;
}

int kept_profile_end(struct kept_profiles *kept, int error)
{
    const struct job_identity *job = &kept->journal->identity;
    if (kept->fd < 0)
        return error;
    if (error == 0)
        error = profile_room_make(&kept->room, kept->name, kept->bytes);
    bool is_left_out = error == -EFBIG && kept->kind != KEPT_SET;
    error = replacement_end_as(kept->place, kept->unfinished, kept->name, kept->fd, 0600, error);
    /* It becomes the user's last: of what a killed flush has left, the next one uses root's alone.
     */
    if (error == 0 && fchown(kept->fd, job->uid, job->gid) != 0) {
        error = -errno;
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
