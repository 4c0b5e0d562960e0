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

#include "as_user.h"
#include "directory.h"
#include "hand_in_collect.h"
#include "hand_in_read.h"
#include "journal.h"
#include "ledger.h"
#include "process.h"
#include "quarantine.h"
#include "session.h"
#include "spool_read.h"
#include "transport.h"
#include "user_files.h"
#include "worker.h"

/* Of one user in one go: he can make as many sessions as he likes, and each may take its time. */
enum { NAMES_MAX = 10000, USER_MS = 60000 };

struct sessions {
    const struct conf *conf;
    const char *node;
    struct outbox *outbox;
    struct flush_count *count;
    int notes;       /* <state>/sessions */
    uint64_t others; /* directories that another user than theirs has made */
};

/* One whose directory is there. */
struct user {
    struct sessions *sessions;
    struct journal journal; /* owned: what stands for a job's, see make_journal() */
    int directory;
    uint64_t deadline_ns;
};

/* One of his sessions. */
struct visit {
    const struct user *user;
    struct sessions *sessions;
    struct session session;
    const char *session_name;
    int directory;
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

/* What stands for a job's journal: root knows whose session it is and nothing else. One whom nobody
 * knows has the group with which he made his directory. */
static int make_journal(const struct stat *directory, const char *node, struct journal *journal)
{
    char text[512];
    struct passwd entry, *found = NULL;
    char buffer[4096];
    getpwuid_r(directory->st_uid, &entry, buffer, sizeof buffer, &found);
    int length =
        snprintf(text, sizeof text, "step time=1.000000000 step=%u uid=%u gid=%u node=%.200s\n",
                 JOURNAL_STEP_BATCH, (unsigned)directory->st_uid,
                 (unsigned)(found == NULL ? directory->st_gid : found->pw_gid), node);
    int result = journal_parse(text, (size_t)length, journal);
    if (result != 0 || found == NULL)
        return result;
    char *name = strdup(found->pw_name);
    if (name == NULL) {
        journal_free(journal);
        return -ENOMEM;
    }
    free(journal->user);
    journal->user = name;
    return 0;
}

static int run_worker(struct visit *visit, int ledger, struct worker_summary *summary)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const struct worker_order order = {
        .conf = visit->sessions->conf,
        .journal = &visit->user->journal,
        .ledger = ledger,
        .packages = -1,
        .kind = WORKER_SESSION,
        .now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
        .over = !process_alive(visit->session.leader, visit->session.ticks),
        .started = visit->sent};
    int result = worker_run(&order, take, visit, summary);
    summary->running += !order.over;
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

/* In the user's place: what lies in his directory is his to remove. What he has put beside the
 * ledger is not removed, but put out of the way. */
static int remove_directory(const void *context)
{
    const struct visit *visit = context;
    int user = visit->user->directory;
    unlinkat(visit->directory, "ledger", 0);
    if (unlinkat(user, visit->session_name, AT_REMOVEDIR) == 0 || errno == ENOENT)
        return 0;
    mkdirat(user, HAND_IN_REFUSED, 0700);
    int refused = user_directory_open(user, HAND_IN_REFUSED, visit->user->journal.uid);
    return refused < 0 ? refused
                       : renameat(user, visit->session_name, refused, visit->session_name);
}

static void remove_session(const struct visit *visit)
{
    const struct journal *who = &visit->user->journal;
    int result = as_user(who->uid, who->gid, remove_directory, visit);
    if (result != 0) {
        complain(visit, "its directory cannot be removed", result);
        visit->sessions->count->failed++;
        return;
    }
    unlinkat(visit->sessions->notes, visit->name, 0);
    visit->sessions->count->jobs++;
}

/* What cannot be used. Returns whether the session may be removed. */
static int set_aside(const struct visit *visit, int ledger, const char *reason)
{
    struct flush_count *count = visit->sessions->count;
    int result = quarantine_keep_session(visit->sessions->conf, visit->name, ledger, reason);
    if (result == 0) {
        fprintf(stderr, "jobtrail-submit: session %s: %s: kept in %s/quarantine/%s\n", visit->name,
                reason, visit->sessions->conf->state, visit->name);
        count->quarantined++;
        return 1;
    }
    complain(visit, reason, result);
    if (result == -EDQUOT)
        count->damaged++;
    else
        count->failed++;
    return result == -EDQUOT;
}

static int is_no_ledger(int result)
{
    return result == -EINVAL || result == -EPROTO || result == -EPERM || result == -EXDEV;
}

/* Sends what there is to be sent. Returns whether the session is over and its directory may go, and
 * through `*timed_out` whether the user's other sessions are for later. */
static int flush_ledger(struct visit *visit, int ledger, int *timed_out)
{
    struct worker_summary summary = {0};
    struct flush_count *count = visit->sessions->count;
    int result = ledger < 0 ? ledger : send_ended(visit, ledger, &summary);
    *timed_out = result == -ETIMEDOUT;
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
    if (summary.running > 0)
        return 0;
    count->dropped += summary.dropped;
    count->damaged += summary.damaged;
    return summary.damaged == 0 || set_aside(visit, ledger, "damaged captures in the ledger");
}

static int flush_locked(struct visit *visit)
{
    int timed_out;
    int ledger = user_file_open(visit->directory, "ledger", visit->user->journal.uid);
    if (flush_ledger(visit, ledger, &timed_out))
        remove_session(visit);
    if (ledger >= 0)
        close(ledger);
    return timed_out ? -ETIMEDOUT : 0;
}

/* Returns 0, or -ETIMEDOUT. */
static int flush_session(const struct user *user, const char *name)
{
    struct visit visit = {.user = user, .sessions = user->sessions, .session_name = name};
    int result = 0;
    if (!session_parse(name, &visit.session))
        return 0;
    snprintf(visit.name, sizeof visit.name, "%u.%.40s", (unsigned)user->journal.uid, name);
    visit.directory = user_directory_open(user->directory, name, user->journal.uid);
    if (visit.directory < 0)
        return 0;
    if (spool_lock(visit.directory, 0) == 0)
        result = flush_locked(&visit);
    close(visit.directory);
    return result;
}

static void collect(const struct user *user)
{
    struct flush_count *count = user->sessions->count;
    const struct journal *who = &user->journal;
    uint64_t refused = 0;
    if (who->user[0] == '\0')
        return; /* nobody can say now which records are his */
    int result = hand_in_collect(user->sessions->conf, who, user->directory, user->sessions->outbox,
                                 &count->records, &refused);
    count->damaged += refused;
    if (refused > 0)
        fprintf(stderr,
                "jobtrail-submit: user %u: %llu files that are no records of his: now in "
                "%s/%u/refused\n",
                (unsigned)who->uid, (unsigned long long)refused, user->sessions->conf->sessions,
                (unsigned)who->uid);
    if (result == 0)
        return;
    fprintf(stderr,
            "jobtrail-submit: user %u: what he has handed in is not taken, or not removed: %s\n",
            (unsigned)who->uid, strerror(-result));
    count->failed++;
}

static void flush_user_sessions(const struct user *user)
{
    int fd = openat(user->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry = NULL;
    if (listing == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    int result = 0, left = NAMES_MAX;
    while (result == 0 && left > 0 && transport_left_ms(user->deadline_ns) > 0 &&
           (entry = readdir(listing)) != NULL) {
        result = flush_session(user, entry->d_name);
        left--;
    }
    if (entry != NULL)
        fprintf(stderr, "jobtrail-submit: user %u: %s: the other sessions are for the next flush\n",
                (unsigned)user->journal.uid, left == 0 ? "too many names" : "no more time");
    closedir(listing);
}

/* Returns whether the name is a number, and the number. */
static int parse_uid(const char *name, uid_t *uid)
{
    char *end;
    unsigned long number = strtoul(name, &end, 10);
    if (*name < '0' || *name > '9' || *end != '\0' || number >= UINT32_MAX)
        return 0;
    *uid = (uid_t)number;
    return 1;
}

static void flush_user(struct sessions *sessions, int base, const char *name)
{
    struct user user = {.sessions = sessions, .deadline_ns = transport_deadline(USER_MS)};
    struct stat status;
    uid_t uid;
    if (!parse_uid(name, &uid))
        return;
    user.directory = user_directory_open(base, name, uid);
    sessions->others += user.directory == -EPERM;
    if (user.directory < 0)
        return;
    if (fstat(user.directory, &status) == 0 &&
        make_journal(&status, sessions->node, &user.journal) == 0) {
        collect(&user);
        flush_user_sessions(&user);
        journal_free(&user.journal);
    }
    close(user.directory);
}

static int open_notes(const struct conf *conf)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/sessions", conf->state);
    return length < 0 || (size_t)length >= sizeof path ? -ENAMETOOLONG : directory_make(path, 0700);
}

/* Root's, with the sticky bit: or users could put others' directories aside. */
static int open_base(const char *path)
{
    struct stat status;
    int fd = directory_make(path, 01733);
    if (fd < 0)
        return fd;
    if (fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
        ((status.st_mode & S_ISVTX) != 0 || (status.st_mode & (S_IWGRP | S_IWOTH)) == 0))
        return fd;
    fprintf(stderr, "jobtrail-submit: %s: is to be root's, with mode 1733\n", path);
    close(fd);
    return -EPERM;
}

static void flush_users(struct sessions *sessions, DIR *base)
{
    const struct dirent *entry;
    while ((entry = readdir(base)) != NULL)
        flush_user(sessions, dirfd(base), entry->d_name);
    if (sessions->others == 0)
        return;
    fprintf(stderr,
            "jobtrail-submit: %s: %llu directories are not of the user whose number they have: "
            "remove them\n",
            sessions->conf->sessions, (unsigned long long)sessions->others);
    sessions->count->failed += sessions->others;
}

int sessions_flush(const struct conf *conf, const char *node, struct outbox *outbox,
                   struct flush_count *count)
{
    struct sessions sessions = {.conf = conf, .node = node, .outbox = outbox, .count = count};
    if (conf->sessions[0] == '\0')
        return 0;
    int base = open_base(conf->sessions);
    if (base < 0)
        return base;
    sessions.notes = open_notes(conf);
    DIR *listing = sessions.notes < 0 ? NULL : fdopendir(base);
    int result = listing != NULL ? 0 : sessions.notes < 0 ? sessions.notes : -errno;
    if (listing != NULL)
        flush_users(&sessions, listing);
    if (listing != NULL)
        closedir(listing);
    else
        close(base);
    if (sessions.notes >= 0)
        close(sessions.notes);
    return result;
}
