/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sessions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "directory.h"
#include "hand_in.h"
#include "journal.h"
#include "process.h"
#include "quarantine.h"
#include "session.h"
#include "spool_read.h"
#include "worker.h"

enum { SENT_MAX_BYTES = 64 << 20 };

struct sessions {
    const struct conf *conf;
    const char *node;
    struct outbox *outbox;
    struct flush_count *count;
    int notes; /* <state>/sessions */
};

/* One of them. */
struct visit {
    struct sessions *sessions;
    struct session session;
    uid_t uid;
    char name[64];  /* UID.SESSION, of its notes */
    char *sent;     /* owned: the notes */
    FILE *new_sent; /* names to be added to them */
};

static void complain(const struct visit *visit, const char *what, int error)
{
    fprintf(stderr, "jobtrail-submit: session %s: %s: %s\n", visit->name, what, strerror(-error));
}

static int take(void *context, const struct transport_record *record)
{
    struct visit *visit = context;
    fprintf(visit->new_sent, "%s\n", record->name);
    return outbox_add(visit->sessions->outbox, record);
}

static int read_sent(struct visit *visit)
{
    size_t size;
    int result =
        spool_read_file(visit->sessions->notes, visit->name, SENT_MAX_BYTES, &visit->sent, &size);
    if (result != -ENOENT)
        return result;
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

/* What stands for a job's journal: root knows whose session it is and nothing else. */
static int make_journal(const struct visit *visit, struct journal *journal)
{
    char text[512];
    struct passwd entry, *found = NULL;
    char buffer[4096];
    getpwuid_r(visit->uid, &entry, buffer, sizeof buffer, &found);
    int length =
        snprintf(text, sizeof text, "step time=1.000000000 step=%u uid=%u gid=%u node=%.200s\n",
                 JOURNAL_STEP_BATCH, (unsigned)visit->uid,
                 (unsigned)(found == NULL ? visit->uid : found->pw_gid), visit->sessions->node);
    int result = journal_parse(text, (size_t)length, journal);
    if (result == 0 && found != NULL) {
        free(journal->user);
        journal->user = strdup(found->pw_name);
    }
    return result == 0 && journal->user == NULL ? -ENOMEM : result;
}

static int run_worker(struct visit *visit, int ledger, struct worker_summary *summary)
{
    struct journal journal = {0};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int result = make_journal(visit, &journal);
    if (result != 0)
        return result;
    const struct worker_order order = {
        .conf = visit->sessions->conf,
        .journal = &journal,
        .ledger = ledger,
        .packages = -1,
        .kind = WORKER_SESSION,
        .now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
        .over = !process_alive(visit->session.leader, visit->session.ticks),
        .started = visit->sent};
    result = worker_run(&order, take, visit, summary);
    summary->running += !order.over;
    journal_free(&journal);
    return result;
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
    if (result == 0)
        result = outbox_commit(visit->sessions->outbox);
    else
        outbox_abort(visit->sessions->outbox);
    if (result == 0)
        result = note_sent(visit, names, size);
    free(names);
    free(visit->sent);
    return result;
}

/* The ledger, which must be the user's own: he could have moved another file there. */
static int open_ledger(const struct visit *visit, int directory)
{
    struct stat status;
    int ledger = spool_open_file(directory, "ledger");
    if (ledger < 0 || (fstat(ledger, &status) == 0 && status.st_uid == visit->uid))
        return ledger;
    close(ledger);
    return -EPERM;
}

/* What lies in the user's directory is his to remove, too. */
static void remove_session(const struct visit *visit, int user, int directory, const char *name)
{
    unlinkat(directory, "ledger", 0);
    unlinkat(user, name, AT_REMOVEDIR);
    unlinkat(visit->sessions->notes, visit->name, 0);
    visit->sessions->count->jobs++;
}

static void flush_locked(struct visit *visit, int user, int directory, const char *name)
{
    struct worker_summary summary = {0};
    struct flush_count *count = visit->sessions->count;
    int ledger = open_ledger(visit, directory);
    int result = ledger < 0 ? ledger : send_ended(visit, ledger, &summary);
    if (ledger >= 0)
        close(ledger);
    if (result == -ENOENT) /* about to be made, unless nobody is there to do so */
        summary.running = (uint64_t)process_alive(visit->session.leader, visit->session.ticks);
    else if (result == -EINVAL || result == -EPROTO || result == -EPERM) {
        complain(visit, "the ledger is not one", result);
        struct spool_job aside = {.name = ""};
        snprintf(aside.name, sizeof aside.name, "%.31s", visit->name);
        char kept[NAME_MAX + 1];
        if (quarantine_keep(visit->sessions->conf, &aside, directory, "the ledger is not one", kept,
                            sizeof kept) != 0) {
            count->failed++;
            return;
        }
        count->quarantined++;
        summary.running = 0;
    } else if (result != 0) {
        complain(visit, "not flushed, to be tried again", result);
        count->failed++;
        return;
    }
    count->records += summary.records;
    count->damaged += summary.damaged;
    if (summary.running > 0)
        return;
    count->dropped += summary.dropped;
    remove_session(visit, user, directory, name);
}

static void flush_session(struct sessions *sessions, int user, uid_t uid, const char *name)
{
    struct visit visit = {.sessions = sessions, .uid = uid};
    if (!session_parse(name, &visit.session))
        return;
    snprintf(visit.name, sizeof visit.name, "%u.%.40s", (unsigned)uid, name);
    int directory = openat(user, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (directory < 0)
        return;
    if (spool_lock(directory, 0) == 0)
        flush_locked(&visit, user, directory, name);
    close(directory);
}

static void collect(struct sessions *sessions, int user, uid_t uid)
{
    struct passwd entry, *found = NULL;
    char buffer[4096];
    uint64_t left = 0;
    if (getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) != 0 || found == NULL)
        return;
    int result = hand_in_collect(sessions->outbox, user, uid, found->pw_name,
                                 &sessions->count->records, &left);
    if (result == 0)
        return;
    fprintf(stderr, "jobtrail-submit: user %u: records handed in not taken: %s\n", (unsigned)uid,
            strerror(-result));
    sessions->count->failed++;
}

/* Calls flush_session() for each name in the user's directory, of which he can make as many as he
 * likes. */
static void flush_user(struct sessions *sessions, int base, const char *name)
{
    enum { NAMES_MAX = 10000 };
    struct stat status;
    char *end;
    unsigned long uid = strtoul(name, &end, 10);
    if (*name < '0' || *name > '9' || *end != '\0' || uid >= UINT32_MAX)
        return;
    int user = openat(base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (user >= 0 && (fstat(user, &status) != 0 || status.st_uid != uid)) {
        close(user);
        return;
    }
    DIR *listing = user < 0 ? NULL : fdopendir(user);
    if (listing == NULL) {
        if (user >= 0)
            close(user);
        return;
    }
    const struct dirent *entry;
    collect(sessions, user, (uid_t)uid);
    for (int i = 0; i < NAMES_MAX && (entry = readdir(listing)) != NULL; i++)
        flush_session(sessions, user, (uid_t)uid, entry->d_name);
    closedir(listing);
}

static int open_notes(const struct conf *conf)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/sessions", conf->state);
    return length < 0 || (size_t)length >= sizeof path ? -ENAMETOOLONG : directory_make(path, 0700);
}

int sessions_flush(const struct conf *conf, const char *node, struct outbox *outbox,
                   struct flush_count *count)
{
    struct sessions sessions = {.conf = conf, .node = node, .outbox = outbox, .count = count};
    if (conf->sessions[0] == '\0')
        return 0;
    int base = directory_make(conf->sessions, 01733);
    if (base < 0)
        return base;
    sessions.notes = open_notes(conf);
    DIR *listing = sessions.notes < 0 ? NULL : fdopendir(base);
    int result = listing != NULL ? 0 : sessions.notes < 0 ? sessions.notes : -errno;
    const struct dirent *entry;
    while (listing != NULL && (entry = readdir(listing)) != NULL)
        flush_user(&sessions, base, entry->d_name);
    if (listing != NULL)
        closedir(listing);
    else
        close(base);
    if (sessions.notes >= 0)
        close(sessions.notes);
    return result;
}
