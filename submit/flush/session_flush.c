/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/session_flush.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/privileges.h"
#include "conf/base/process.h"
#include "contrib/hooks/packages.h"
#include "preload/ledger.h"
#include "submit/evidence/user_files.h"
#include "submit/flush/job_progress.h"
#include "submit/flush/reading.h"
#include "submit/hand_in/hand_in_read.h"
#include "submit/job/quarantine.h"
#include "submit/job/session.h"
#include "submit/job/spool_read.h"

struct visit {
    const struct session_user *user;
    struct sessions *sessions;
    struct session session;
    const char *session_name;
    int directory;
    int packages;        /* what hooks wrote; -errno: none that can be read */
    char name[64];       /* UID.SESSION, of its notes */
    char *sent;          /* owned: the notes, of runs */
    FILE *new_sent;      /* names to be added to them */
    long last;           /* where the last of them begins */
    uint64_t taken;      /* how many */
    size_t passed_over;  /* captures that have ended their reader twice */
    bool is_out_of_room; /* what is left of the outbox is not for sessions */
};

/* What reading one session's ledger may take of processors, with what it hashes. */
#define SESSION_CPU_NS UINT64_C(20000000000)

static void tell_of_session(const struct visit *visit, const char *what, int error)
{
    fprintf(stderr, "jobtrail-submit: session %s: %s: %s\n", visit->name, what, strerror(error));
}

static int take_record(void *context, const struct record_view *record)
{
    struct visit *visit = context;
    struct outbox *outbox = visit->sessions->outbox;
    /* packages go with their run; the other half is for jobs */
    bool is_run = record->kind == RECORD_RUN;
    int error = is_run && outbox_room(outbox) < visit->sessions->conf->outbox_bytes / 2
                    ? -ENOBUFS
                    : outbox_add(outbox, record);
    visit->is_out_of_room = error == -ENOBUFS;
    if (error != 0 || !is_run)
        return error;
    visit->last = ftell(visit->new_sent);
    fprintf(visit->new_sent, "%s\n", record->name);
    visit->taken++;
    return 0;
}

static int read_sent(struct visit *visit)
{
    size_t size;
    /* a name for each capture that there is room for */
    size_t most = visit->sessions->conf->ledger_bytes / LEDGER_PAGE * (NAME_MAX + 1);
    int error = spool_read_file(visit->sessions->notes, visit->name, most, &visit->sent, &size);
    if (error != -ENOENT)
        return error;
    visit->sent = strdup("");
    return visit->sent == NULL ? -ENOMEM : 0;
}

static int note_sent(const struct visit *visit, const char *names, size_t size)
{
    if (size == 0)
        return 0;
    int fd = openat(visit->sessions->notes, visit->name,
                    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int error = write(fd, names, size) == (ssize_t)size ? 0 : -EIO;
    close(fd);
    return error;
}

static void progress_name(const struct visit *visit, char name[80])
{
    snprintf(name, 80, "%s.flushed", visit->name);
}

static bool is_leader_gone(const struct visit *visit)
{
    return !process_alive(visit->session.leader, visit->session.ticks);
}

/* What ends the reader is passed over by the second flush after this one. */
static enum flush_outcome settle_progress(const struct visit *visit, struct job_progress *progress,
                                          enum flush_outcome outcome)
{
    char name[80];
    progress_name(visit, name);
    if (outcome != FLUSH_KILLED && outcome != FLUSH_BROKEN && outcome != FLUSH_LATE &&
        outcome != FLUSH_SPENT) {
        job_progress_ended(progress);
        if (progress->passed_over_count == 0)
            job_progress_remove(visit->sessions->notes, name);
        return outcome;
    }
    job_progress_failed(progress);
    job_progress_note(progress);
    return progress->is_hopeless ? FLUSH_BROKEN : outcome == FLUSH_LATE ? FLUSH_LATE : FLUSH_KILLED;
}

/* Returns 0 and the outcome, or -errno. */
static int read_session(struct visit *visit, int ledger, struct reading_summary *summary,
                        enum flush_outcome *outcome)
{
    struct job_progress progress;
    char name[80];
    progress_name(visit, name);
    int error = job_progress_open(visit->sessions->notes, name, &progress);
    if (error != 0)
        return error;
    const struct reading_request request = {
        .kind = READING_SESSION,
        .conf = visit->sessions->conf,
        .identity = &visit->user->identity,
        .take = take_record,
        .context = visit,
        .deadline_ns = visit->user->end_ns,
        .cpu_ns = SESSION_CPU_NS,
        .ledger = ledger,
        .packages = visit->packages,
        .now_ns = clock_ns(CLOCK_REALTIME),
        .is_leader_gone = is_leader_gone(visit),
        .sent = visit->sent,
        .units = {.begun = progress.begun,
                  .passed_over = progress.passed_over,
                  .passed_over_count = progress.passed_over_count},
    };
    *outcome = FLUSH_BROKEN;
    if (!progress.is_hopeless)
        error = reading_run(&request, summary, outcome);
    if (visit->is_out_of_room) {
        error = 0;
        *outcome = FLUSH_NO_ROOM;
    }
    if (error == 0)
        *outcome = settle_progress(visit, &progress, *outcome);
    else
        job_progress_ended(&progress);
    visit->passed_over = progress.passed_over_count;
    job_progress_close(&progress);
    summary->running += !request.is_leader_gone;
    if (visit->packages < 0 && visit->packages != -ENOENT)
        summary->bad_lines = 1; /* another kind of file */
    return error;
}

/* With what was taken, where the rest is for the next flush: so is the last run then, as its
 * packages may be missing. */
static int commit_taken(const struct visit *visit, enum flush_outcome outcome, const char *names,
                        size_t size)
{
    bool is_done = outcome == FLUSH_DONE;
    if (!is_done && outcome != FLUSH_NO_ROOM && outcome != FLUSH_LATE && outcome != FLUSH_KILLED) {
        outbox_abort(visit->sessions->outbox);
        return 0;
    }
    int error = outbox_commit(visit->sessions->outbox);
    if (error == 0)
        error = note_sent(visit, names, is_done ? size : (size_t)visit->last);
    if (error == 0 && !is_done)
        visit->sessions->count->records += visit->taken;
    return error;
}

/* Returns 0 and the outcome, or -errno. */
static int send_ended(struct visit *visit, int ledger, struct reading_summary *summary,
                      enum flush_outcome *outcome)
{
    char *names = NULL;
    size_t size = 0;
    int error = read_sent(visit);
    if (error == -EFBIG) { /* more names than the ledger has room for captures */
        *outcome = FLUSH_NO_LEDGER;
        return 0;
    }
    if (error != 0)
        return error;
    visit->new_sent = open_memstream(&names, &size);
    error = visit->new_sent == NULL ? -ENOMEM : read_session(visit, ledger, summary, outcome);
    if (visit->new_sent != NULL)
        fclose(visit->new_sent);
    if (error == 0)
        error = commit_taken(visit, *outcome, names, size);
    else
        outbox_abort(visit->sessions->outbox);
    free(names);
    free(visit->sent);
    return error;
}

/* As the user, whose directory it is. What they have put beside the ledger is not removed, but put
 * out of the way. */
static int remove_directory(const void *context)
{
    const struct visit *visit = context;
    int user = visit->user->directory;
    unlinkat(visit->directory, "ledger", 0);
    unlinkat(visit->directory, PACKAGES_NAME, 0);
    if (unlinkat(user, visit->session_name, AT_REMOVEDIR) == 0 || errno == ENOENT)
        return 0;
    mkdirat(user, HAND_IN_REFUSED, 0700);
    int refused = user_directory_open(user, HAND_IN_REFUSED, visit->user->identity.uid);
    return refused < 0 ? refused
                       : renameat(user, visit->session_name, refused, visit->session_name);
}

static void remove_session(const struct visit *visit)
{
    const struct job_identity *who = &visit->user->identity;
    const struct as_user_order order = {
        .uid = who->uid,
        .gid = who->gid,
        .keep = {visit->user->directory, visit->directory},
        .act = remove_directory,
        .context = visit,
    };
    int error = as_user(&order);
    if (error != 0) {
        tell_of_session(visit, "its directory cannot be removed", -error);
        visit->sessions->count->failed++;
        return;
    }
    char name[80];
    progress_name(visit, name);
    job_progress_remove(visit->sessions->notes, name);
    unlinkat(visit->sessions->notes, visit->name, 0);
    visit->sessions->count->jobs++;
}

/* What cannot be used. Returns whether the session may be removed. */
static bool set_aside(const struct visit *visit, int ledger, const char *reason)
{
    struct flush_count *count = visit->sessions->count;
    int error = quarantine_keep_session(visit->sessions->conf, visit->name,
                                        visit->user->identity.uid, ledger, visit->packages, reason);
    if (error == 0) {
        fprintf(stderr, "jobtrail-submit: session %s: %s: kept in %s/quarantine/%s\n", visit->name,
                reason, visit->sessions->conf->state, visit->name);
        count->quarantined++;
        return 1;
    }
    tell_of_session(visit, reason, -error);
    if (error == -EDQUOT)
        count->lost++;
    else
        count->failed++;
    return error == -EDQUOT;
}

/* Sends what there is to be sent. Returns whether the session is over and its directory may go, and
 * the outcome. */
static bool flush_ledger(struct visit *visit, int ledger, enum flush_outcome *outcome)
{
    struct reading_summary summary = {0};
    struct flush_count *count = visit->sessions->count;
    int error = 0;
    *outcome = FLUSH_DONE;
    if (ledger == -ENOENT) /* about to be made, unless nobody is there to do so */
        return is_leader_gone(visit);
    if (ledger == -EINVAL || ledger == -EPERM || ledger == -EXDEV)
        *outcome = FLUSH_NO_LEDGER;
    else
        error = ledger < 0 ? ledger : send_ended(visit, ledger, &summary, outcome);
    if (error != 0) {
        tell_of_session(visit, "not flushed, to be tried again", -error);
        *outcome = FLUSH_DONE;
        count->failed++;
        return false;
    }
    if (*outcome == FLUSH_NO_ROOM)
        return false;
    if (*outcome == FLUSH_NO_LEDGER || *outcome == FLUSH_BROKEN)
        return set_aside(visit, ledger, flush_outcome_text(FLUSH_NO_LEDGER));
    if (*outcome != FLUSH_DONE) {
        fprintf(stderr, "jobtrail-submit: session %s: %s\n", visit->name,
                flush_outcome_text(*outcome));
        count->failed++;
        return false;
    }
    count->records += summary.records;
    count->packages += summary.packages;
    count->unhooked += summary.unhooked;
    if (summary.running > 0)
        return false;
    count->dropped += summary.dropped;
    count->misdated += summary.misdated;
    count->damaged += summary.damaged + summary.bad_lines;
    enum flush_outcome trouble = visit->passed_over > 0  ? FLUSH_PASSED_OVER
                                 : summary.damaged > 0   ? FLUSH_DAMAGED
                                 : summary.bad_lines > 0 ? FLUSH_BAD_LINES
                                                         : FLUSH_DONE;
    return trouble == FLUSH_DONE || set_aside(visit, ledger, flush_outcome_text(trouble));
}

enum flush_outcome session_flush(const struct session_user *user, const char *name)
{
    struct visit visit = {.user = user, .sessions = user->sessions, .session_name = name};
    enum flush_outcome outcome = FLUSH_DONE;
    uid_t uid = user->identity.uid;
    const struct session *session = &visit.session;
    /* One of a container that still runs, whose processes have other pids here than its captures
     * say, waits until it is over. */
    if (!session_parse(name, &visit.session) ||
        (!process_alive(session->leader, session->ticks) &&
         process_alive_inside(session->leader, session->ticks, uid)))
        return FLUSH_DONE;
    snprintf(visit.name, sizeof visit.name, "%u.%.40s", (unsigned)uid, name);
    CLEANUP_CLOSE int directory = user_directory_open(user->directory, name, uid);
    if (directory < 0 || spool_lock(directory, 0) != 0)
        return FLUSH_DONE;
    CLEANUP_CLOSE int ledger = user_file_open(directory, "ledger", uid);
    CLEANUP_CLOSE int packages = user_file_open(directory, PACKAGES_NAME, uid);
    visit.directory = directory;
    visit.packages = packages;
    if (flush_ledger(&visit, ledger, &outcome))
        remove_session(&visit);
    return outcome;
}
