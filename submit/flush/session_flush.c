/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/session_flush.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/as_user.h"
#include "conf/base/process.h"
#include "contrib/hooks/packages.h"
#include "preload/ledger.h"
#include "submit/evidence/user_files.h"
#include "submit/flush/job_progress.h"
#include "submit/flush/worker.h"
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
    int packages;   /* what hooks wrote; -errno: none that can be read */
    char name[64];  /* UID.SESSION, of its notes */
    char *sent;     /* owned: the notes, of runs */
    FILE *new_sent; /* names to be added to them */
    long last;      /* where the last of them begins */
    uint64_t taken; /* how many */
    size_t passed;  /* captures that have ended their reader twice */
};

/* What reading one session's ledger may take of processors, with what it hashes. */
#define SESSION_CPU_NS UINT64_C(20000000000)

static void complain(const struct visit *visit, const char *what, int error)
{
    fprintf(stderr, "jobtrail-submit: session %s: %s: %s\n", visit->name, what, strerror(-error));
}

static int take(void *context, const struct record_view *record)
{
    struct visit *visit = context;
    struct outbox *outbox = visit->sessions->outbox;
    if (record->kind != RECORD_RUN) /* packages go with their run */
        return outbox_add(outbox, record);
    if (outbox_room(outbox) < visit->sessions->conf->outbox_bytes / 2)
        return -ENOBUFS; /* the other half is for jobs */
    int result = outbox_add(outbox, record);
    if (result != 0)
        return result;
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
    int result = spool_read_file(visit->sessions->notes, visit->name, most, &visit->sent, &size);
    if (result != -ENOENT)
        return result == -EFBIG ? -EINVAL : result;
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
    int result = write(fd, names, size) == (ssize_t)size ? 0 : -EIO;
    close(fd);
    return result;
}

static void progress_name(const struct visit *visit, char name[80])
{
    snprintf(name, 80, "%s.flushed", visit->name);
}

static int is_fault_of_unit(int result)
{
    return result == -EINTR || result == -EPROTO || result == -ETIMEDOUT || result == -EOVERFLOW;
}

/* What ends the reader is passed over by the second flush after this one. */
static int settle_progress(const struct visit *visit, struct job_progress *progress, int result)
{
    char name[80];
    progress_name(visit, name);
    if (!is_fault_of_unit(result)) {
        job_progress_ended(progress);
        if (progress->passed_count == 0)
            job_progress_remove(visit->sessions->notes, name);
        return result;
    }
    job_progress_failed(progress);
    job_progress_note(progress);
    return progress->hopeless                          ? -EPROTO
           : result == -EPROTO || result == -EOVERFLOW ? -EINTR
                                                       : result;
}

static int run_worker(struct visit *visit, int ledger, struct worker_summary *summary)
{
    struct timespec now;
    struct job_progress progress;
    char name[80];
    progress_name(visit, name);
    int result = job_progress_open(visit->sessions->notes, name, &progress);
    if (result != 0)
        return result;
    clock_gettime(CLOCK_REALTIME, &now);
    const struct worker_order order = {
        .conf = visit->sessions->conf,
        .identity = &visit->user->identity,
        .ledger = ledger,
        .packages = visit->packages,
        .kind = WORKER_SESSION,
        .now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
        .over = !process_alive(visit->session.leader, visit->session.ticks),
        .deadline_ns = visit->user->end_ns,
        .cpu_ns = SESSION_CPU_NS,
        .begun = progress.begun,
        .passed = progress.passed,
        .passed_count = progress.passed_count,
        .started = visit->sent};
    result = progress.hopeless ? -EPROTO : worker_run(&order, take, visit, summary);
    result = settle_progress(visit, &progress, result);
    visit->passed = progress.passed_count;
    job_progress_close(&progress);
    summary->running += !order.over;
    if (visit->packages < 0 && visit->packages != -ENOENT)
        summary->bad_lines = 1; /* another kind of file */
    return result;
}

/* With what was taken, where the rest is for the next flush: so is the last run then, as its
 * packages may be missing. */
static int commit(const struct visit *visit, int result, const char *names, size_t size)
{
    if (result != 0 && result != -ENOBUFS && result != -ETIMEDOUT && result != -EINTR) {
        outbox_abort(visit->sessions->outbox);
        return result;
    }
    if (result != 0)
        size = (size_t)visit->last;
    int error = outbox_commit(visit->sessions->outbox);
    if (error == 0)
        error = note_sent(visit, names, size);
    if (error == 0 && result != 0)
        visit->sessions->count->records += visit->taken;
    return error != 0 ? error : result;
}

static int send_ended(struct visit *visit, int ledger, struct worker_summary *summary)
{
    char *names = NULL;
    size_t size = 0;
    int result = read_sent(visit);
    if (result != 0)
        return result;
    visit->new_sent = open_memstream(&names, &size);
    result = visit->new_sent == NULL ? -ENOMEM : run_worker(visit, ledger, summary);
    if (visit->new_sent != NULL)
        fclose(visit->new_sent);
    result = commit(visit, result, names, size);
    free(names);
    free(visit->sent);
    return result;
}

/* In the user's place: what lies in his directory is his to remove. What he has put beside the
 * ledger is not removed, but put out of the way. */
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
    int result = as_user(&order);
    if (result != 0) {
        complain(visit, "its directory cannot be removed", result);
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
static int set_aside(const struct visit *visit, int ledger, const char *reason)
{
    struct flush_count *count = visit->sessions->count;
    int result =
        quarantine_keep_session(visit->sessions->conf, visit->name, visit->user->identity.uid,
                                ledger, visit->packages, reason);
    if (result == 0) {
        fprintf(stderr, "jobtrail-submit: session %s: %s: kept in %s/quarantine/%s\n", visit->name,
                reason, visit->sessions->conf->state, visit->name);
        count->quarantined++;
        return 1;
    }
    complain(visit, reason, result);
    if (result == -EDQUOT)
        count->lost++;
    else
        count->failed++;
    return result == -EDQUOT;
}

static int is_no_ledger(int result)
{
    return result == -EINVAL || result == -EPROTO || result == -EPERM || result == -EXDEV;
}

/* Sends what there is to be sent. Returns whether the session is over and its directory may go, and
 * through `*stop` why the user's other sessions are for later, or 0. */
static int flush_ledger(struct visit *visit, int ledger, int *stop)
{
    struct worker_summary summary = {0};
    struct flush_count *count = visit->sessions->count;
    int result = ledger < 0 ? ledger : send_ended(visit, ledger, &summary);
    *stop = result == -ETIMEDOUT || result == -ENOBUFS ? result : 0;
    if (result == -ENOBUFS)
        return 0;
    if (result == -ENOENT) /* about to be made, unless nobody is there to do so */
        return !process_alive(visit->session.leader, visit->session.ticks);
    if (is_no_ledger(result))
        return set_aside(visit, ledger, "the ledger is not one");
    if (result != 0) {
        complain(visit, "not flushed, to be tried again", result);
        count->failed++;
        return 0;
    }
    count->records += summary.records;
    count->packages += summary.packages;
    count->unhooked += summary.unhooked;
    if (summary.running > 0)
        return 0;
    count->dropped += summary.dropped;
    count->damaged += summary.damaged + summary.bad_lines;
    if (visit->passed > 0)
        return set_aside(visit, ledger, "captures that ended their reader twice are not recorded");
    if (summary.damaged > 0)
        return set_aside(visit, ledger, "damaged captures in the ledger");
    return summary.bad_lines == 0 || set_aside(visit, ledger, "damaged lines in the packages");
}

/* Returns as session_flush(). */
static int flush_locked(struct visit *visit)
{
    int stop;
    uid_t uid = visit->user->identity.uid;
    int ledger = user_file_open(visit->directory, "ledger", uid);
    visit->packages = user_file_open(visit->directory, PACKAGES_NAME, uid);
    if (flush_ledger(visit, ledger, &stop))
        remove_session(visit);
    if (ledger >= 0)
        close(ledger);
    if (visit->packages >= 0)
        close(visit->packages);
    return stop;
}

/* One of a container that goes on, whose processes have other pids here than its captures say: it
 * waits until it is over. */
static int is_inside(const struct session *session, uid_t uid)
{
    return !process_alive(session->leader, session->ticks) &&
           process_alive_inside(session->leader, session->ticks, uid);
}

int session_flush(const struct session_user *user, const char *name)
{
    struct visit visit = {.user = user, .sessions = user->sessions, .session_name = name};
    int result = 0;
    if (!session_parse(name, &visit.session) || is_inside(&visit.session, user->identity.uid))
        return 0;
    snprintf(visit.name, sizeof visit.name, "%u.%.40s", (unsigned)user->identity.uid, name);
    visit.directory = user_directory_open(user->directory, name, user->identity.uid);
    if (visit.directory < 0)
        return 0;
    if (spool_lock(visit.directory, 0) == 0)
        result = flush_locked(&visit);
    close(visit.directory);
    return result;
}
