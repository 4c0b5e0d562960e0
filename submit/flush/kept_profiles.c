/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/kept_profiles.h"

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
    profile_room_free(&kept->room);
    if (kept->place >= 0)
        close(kept->place);
    return error;
}

/* JOB.RESTART.STEP.NODE and what follows; `unfinished` is its name until it is whole. */
static int begin(struct kept_profiles *kept, const char *ending, const char *unfinished)
{
    char word[16];
    const struct job_identity *job = &kept->journal->identity;
    record_step_text(kept->step->step, word, sizeof word);
    int length = snprintf(kept->name, sizeof kept->name, "%" PRIu32 ".%" PRIu32 ".%s.%s%s",
                          job->job, job->restart, word, job->node, ending);
    int other =
        snprintf(kept->unfinished, sizeof kept->unfinished, "%" PRIu32 ".%" PRIu32 ".%s.%s%s",
                 job->job, job->restart, word, job->node, unfinished);
    if (length < 0 || (size_t)length >= sizeof kept->name || other < 0 ||
        (size_t)other >= sizeof kept->unfinished)
        return -ENAMETOOLONG;
    kept->bytes = 0;
    kept->fd = replacement_open_as(kept->place, kept->unfinished);
    return kept->fd < 0 ? kept->fd : 0;
}

int kept_profile_begin(struct kept_profiles *kept, const struct journal_step *step,
                       const struct profile_told *told)
{
    kept->step = step == NULL ? &kept->others : step;
    kept->told = *told;
    kept->is_samples = false;
    return begin(kept, ".profile", ".profile.new");
}

int kept_samples_begin(struct kept_profiles *kept, uint32_t rank)
{
    char ending[32], unfinished[32];
    snprintf(ending, sizeof ending, "_%" PRIu32 ".vfd", rank);
    snprintf(unfinished, sizeof unfinished, "_%" PRIu32 ".tmpvfd", rank);
    kept->is_samples = true;
    return begin(kept, ending, unfinished);
}

int kept_profile_write(struct kept_profiles *kept, const char *bytes, size_t size)
{
    kept->bytes += size;
    return io_write_all(kept->fd, bytes, size);
}

static int add_record(const struct kept_profiles *kept)
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
        .bytes = kept->bytes,
        .made_ns = state->now_ns,
        .told = &kept->told,
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

int kept_profile_end(struct kept_profiles *kept, int error)
{
    const struct job_identity *job = &kept->journal->identity;
    if (kept->fd < 0)
        return error;
    if (error == 0)
        error = profile_room_make(&kept->room, kept->name, kept->bytes);
    error = replacement_end_as(kept->place, kept->unfinished, kept->name, kept->fd, 0600, error);
    /* It becomes the user's last: of what a killed flush has left, the next one uses root's alone.
     */
    if (error == 0 && fchown(kept->fd, job->uid, job->gid) != 0) {
        error = -errno;
        unlinkat(kept->place, kept->name, 0);
    }
    close(kept->fd);
    kept->fd = -1;
    int told = error == 0 && !kept->is_samples ? add_record(kept) : 0;
    if (told != 0)
        kept->untold = told;
    return error;
}
