/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/process_look.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/process.h"
#include "preload/ledger.h"
#include "submit/evidence/ledger_read.h"
#include "submit/flush/worker.h"
#include "submit/job/looks.h"
#include "submit/job/spool_job.h"
#include "submit/job/spool_read.h"
#include "submit/outbox/transport.h"

/* SLOTS_MAX: so many new slots of a job are looked at; the next look goes on behind them. */
enum { SLOTS_MAX = 32768, JOB_MS = 2000, LOOK_MS = 10000, SILENCE_MS = 2000 };

#define JOB_CPU_NS UINT64_C(2000000000)

/* A look at one job. The reader has a copy of it. */
struct job_look {
    const struct conf *conf;
    uid_t uid;
    int ledger;
    uint64_t deadline_ns;
    struct looks old;   /* owned */
    struct looks found; /* owned; what the reader has seen, later with what root has */
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- In the reader --------------------------------------------------------------------------- */

/* A pid of another namespace cannot be looked for. A damaged slot is the flush's. */
static void add_slot(struct looks *found, uint64_t offset, int result,
                     const struct capture *capture)
{
    struct look look = {.page = (uint32_t)(offset / LEDGER_PAGE), .flags = LOOK_EMPTY};
    if (result < 0 || (result == 1 && capture->name_space != 0))
        return;
    if (result == 1) {
        look.pid = capture->pid;
        look.ticks = capture->start_ticks;
        look.flags = (capture->first ? LOOK_FIRST : 0u) | (capture->end_ns != 0 ? LOOK_SIGNED : 0u);
        look.start_ns = capture->start_ns;
        look.exec = looks_hash(capture->exec.at, capture->exec.size);
    }
    found->look[found->count++] = look;
}

static int look_again(const struct job_look *look, struct ledger_reader *reader,
                      struct looks *found)
{
    for (size_t i = 0; i < look->old.count; i++) {
        const struct look *old = &look->old.look[i];
        struct capture capture;
        uint32_t step;
        uint64_t offset = (uint64_t)old->page * LEDGER_PAGE;
        int result = old->gone_ns != 0 ? -EINVAL : ledger_slot(reader, offset, &step, &capture);
        if (result < 0 && result != -EINVAL)
            return result;
        add_slot(found, offset, result, &capture);
    }
    return 0;
}

static int look_at_new(const struct job_look *look, size_t room, struct ledger_reader *reader,
                       struct looks *found)
{
    uint64_t offset = look->old.next_offset < reader->at ? reader->at : look->old.next_offset;
    for (int i = 0; i < SLOTS_MAX && offset < reader->end && found->count < room; i++) {
        struct capture capture;
        uint32_t step;
        int result = ledger_slot(reader, offset, &step, &capture);
        if (result < 0 && result != -EINVAL)
            return result;
        add_slot(found, offset, result, &capture);
        offset += step;
    }
    found->next_offset = offset;
    return 0;
}

static size_t count_gone(const struct looks *looks)
{
    size_t gone = 0;
    for (size_t i = 0; i < looks->count; i++)
        gone += looks->look[i].gone_ns != 0;
    return gone;
}

/* The message: the next offset, then the slots, in the order of their pages. */
static int read_as_user(void *context, struct worker_pipe *pipe)
{
    const struct job_look *look = context;
    struct looks found = {.look = calloc(LOOKS_MAX, sizeof *found.look)};
    struct ledger_reader reader;
    int error =
        found.look == NULL ? -ENOMEM : ledger_open(look->ledger, look->conf->ledger_bytes, &reader);
    if (error != 0)
        return error;
    error = look_again(look, &reader, &found);
    if (error == 0)
        error = look_at_new(look, LOOKS_MAX - count_gone(&look->old), &reader, &found);
    const struct iovec parts[] = {{&found.next_offset, sizeof found.next_offset},
                                  {found.look, found.count * sizeof *found.look}};
    if (error == 0)
        error = worker_send(pipe, 0, parts, 2);
    return error != 0 ? error : worker_send_last(pipe, "", 0);
}

/* ---- In the parent --------------------------------------------------------------------------- */

static bool is_sound(const struct look *look, const struct look *before)
{
    const uint32_t known = LOOK_EMPTY | LOOK_FIRST | LOOK_SIGNED;
    return look->page > (before == NULL ? 0 : before->page) &&
           ((look->flags & LOOK_EMPTY) != 0 || look->pid > 0) && (look->flags & ~known) == 0 &&
           look->alive_ns == 0 && look->gone_ns == 0;
}

/* The user may have got the reader under control: then it can name any process, and root looks for
 * those of this user alone. */
static enum worker_answer take_message(void *context, const struct worker_message *message)
{
    struct job_look *look = context;
    struct looks *found = &look->found;
    if (message->is_last)
        return WORKER_GO_ON;
    if (message->size < sizeof found->next_offset || found->look != NULL)
        return WORKER_NOT_BELIEVED;
    size_t size = message->size - sizeof found->next_offset;
    size_t count = size / sizeof *found->look;
    if (size % sizeof *found->look != 0 || count > LOOKS_MAX - count_gone(&look->old))
        return WORKER_NOT_BELIEVED;
    found->look = calloc(LOOKS_MAX, sizeof *found->look);
    if (found->look == NULL)
        return WORKER_ENOUGH;
    memcpy(&found->next_offset, message->bytes, sizeof found->next_offset);
    memcpy(found->look, message->bytes + sizeof found->next_offset, size);
    for (; found->count < count; found->count++)
        if (!is_sound(&found->look[found->count],
                      found->count == 0 ? NULL : &found->look[found->count - 1]))
            return WORKER_NOT_BELIEVED;
    return WORKER_GO_ON;
}

enum program_seen { SEEN_SAME, SEEN_OTHER, SEEN_UNKNOWN };

/* The text of a link below /proc/PID, without what the kernel adds where the file is gone. Returns
 * its length, 0: unknown. */
static size_t read_link(int process, const char *name, char text[PATH_MAX])
{
    static const char deleted[] = " (deleted)";
    const size_t extra = sizeof deleted - 1;
    ssize_t got = readlinkat(process, name, text, PATH_MAX - 1);
    size_t length = got < 0 ? 0 : (size_t)got;
    text[length] = '\0';
    if (length > extra && strcmp(text + length - extra, deleted) == 0)
        text[length -= extra] = '\0';
    return length;
}

/* Whether paths mean the same to this process: it has no mount namespace or root of its own. */
static bool shares_paths(int process)
{
    char own[PATH_MAX], its[PATH_MAX];
    ssize_t length = readlink("/proc/self/ns/mnt", own, sizeof own - 1);
    own[length < 0 ? 0 : length] = '\0';
    return length > 0 && read_link(process, "ns/mnt", its) > 0 && strcmp(own, its) == 0 &&
           read_link(process, "root", its) > 0 && strcmp(its, "/") == 0;
}

static enum program_seen program_of(int process, uint64_t exec)
{
    char path[PATH_MAX];
    size_t length = read_link(process, "exe", path);
    if (length == 0)
        return SEEN_UNKNOWN;
    if (looks_hash(path, length) == exec)
        return SEEN_SAME;
    return shares_paths(process) ? SEEN_OTHER : SEEN_UNKNOWN;
}

static bool is_process(const struct look *look)
{
    uint64_t ticks;
    return process_start(look->pid, &ticks) &&
           ((look->flags & LOOK_FIRST) != 0 ? ticks <= look->ticks : ticks == look->ticks);
}

/* Asks the kernel about one process. The descriptor stands for the process: where its pid is used
 * again meanwhile, reading below it fails. */
static void look_at_process(const struct job_look *job, struct look *look)
{
    char path[32];
    struct stat status;
    uint64_t before_ns = now_ns();
    snprintf(path, sizeof path, "/proc/%d", look->pid);
    CLEANUP_CLOSE int process = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (process < 0 || !is_process(look)) {
        look->gone_ns = now_ns();
        return;
    }
    if (fstat(process, &status) != 0 || status.st_uid != job->uid)
        return;
    enum program_seen seen = program_of(process, look->exec);
    if (seen == SEEN_SAME)
        look->alive_ns = before_ns;
    if (seen != SEEN_OTHER || !is_process(look))
        return;
    look->gone_ns = now_ns();
    look->flags |= LOOK_OTHER;
}

/* A process that signed and is gone says nothing more, unless it was seen before. */
static bool is_kept(const struct look *look)
{
    return (look->flags & LOOK_SIGNED) == 0 || look->gone_ns == 0 || look->alive_ns != 0;
}

/* Puts what was noted before into what the reader has found, and looks at the processes. Where a
 * process was gone without an end, its line stays, and the reader does not ask for it again. */
static void merge_looks(struct job_look *job)
{
    struct looks merged = {.next_offset = job->found.next_offset, .look = job->found.look};
    const struct look *old = job->old.look, *old_end = old + job->old.count;
    size_t count = job->found.count;
    /* The lines are made in the same memory: there is room for those found and those that stay. */
    struct look *found = job->found.look + (LOOKS_MAX - count);
    memmove(found, job->found.look, count * sizeof *found);
    for (size_t i = 0; i <= count; i++) {
        uint32_t page = i < count ? found[i].page : UINT32_MAX;
        for (; old < old_end && old->page < page; old++)
            if (old->gone_ns != 0)
                merged.look[merged.count++] = *old;
        if (i == count)
            break;
        struct look look = found[i];
        bool is_known = old < old_end && old->page == page;
        if (is_known && old->start_ns == look.start_ns)
            look.alive_ns = old->alive_ns;
        old += is_known;
        if ((look.flags & LOOK_EMPTY) == 0 && transport_left_ms(job->deadline_ns) > 0)
            look_at_process(job, &look);
        if (is_kept(&look))
            merged.look[merged.count++] = look;
    }
    job->found = merged;
}

static bool is_same(const struct looks *a, const struct looks *b)
{
    return a->next_offset == b->next_offset && a->count == b->count &&
           (a->count == 0 || memcmp(a->look, b->look, a->count * sizeof *a->look) == 0);
}

/* Returns 0; -EPROTO where the reader came to no end; or another -errno. */
static int read_slots(struct job_look *job, gid_t gid)
{
    const int keep[] = {job->ledger};
    const struct worker worker = {
        .uid = job->uid,
        .gid = gid,
        .keep = keep,
        .keep_count = 1,
        .sandbox = SANDBOX_READS,
        .work = read_as_user,
        .take = take_message,
        .context = job,
        .silence_ms = SILENCE_MS,
        .deadline_ns = job->deadline_ns,
        .cpu_ns = JOB_CPU_NS,
    };
    enum worker_outcome outcome;
    int error = worker_run(&worker, &outcome);
    return error != 0 ? error : outcome == WORKER_DONE && job->found.look != NULL ? 0 : -EPROTO;
}

static int look_at_job(const struct conf *conf, int directory)
{
    struct journal journal;
    int error = spool_job_journal(directory, &journal);
    if (error != 0)
        return error;
    struct job_look job = {
        .conf = conf, .uid = journal.identity.uid, .deadline_ns = transport_deadline(JOB_MS)};
    gid_t gid = journal.identity.gid;
    bool is_over = journal.epilog_ns != 0 || journal.reboot_ns != 0;
    journal_free(&journal);
    CLEANUP_CLOSE int ledger = is_over ? -ENOENT : spool_open_users(directory, "ledger", job.uid);
    if (ledger < 0)
        return ledger;
    job.ledger = ledger;
    error = looks_read(directory, &job.old);
    if (error == 0)
        error = read_slots(&job, gid);
    if (error == 0) {
        merge_looks(&job);
        error = is_same(&job.old, &job.found) ? 0 : looks_write(directory, &job.found);
    }
    looks_free(&job.old);
    looks_free(&job.found);
    return error;
}

static void look_at_directory(const struct conf *conf, int spool, const struct spool_job *job)
{
    CLEANUP_CLOSE int directory = job->left ? -1 : spool_open_job(spool, job);
    if (directory < 0)
        return;
    int error = spool_lock(directory, 0);
    if (error == 0)
        error = look_at_job(conf, directory);
    if (error != 0 && error != -EAGAIN && error != -ENOENT && error != -ENODATA &&
        error != -SPOOL_FOREIGN) /* the flush says so */
        fprintf(stderr, "jobtrail-submit: job %s: its processes are not looked at: %s\n", job->name,
                error == -EPROTO ? "its captures end their reader" : strerror(-error));
}

int process_look(const struct conf *conf, int spool)
{
    static size_t first; /* each look begins with those that the last one had no time for */
    struct spool_jobs jobs;
    int error = spool_list(spool, 0, &jobs);
    if (error != 0)
        return error;
    uint64_t end_ns = transport_deadline(LOOK_MS);
    size_t i = 0;
    for (; i < jobs.count && transport_left_ms(end_ns) > 0; i++)
        look_at_directory(conf, spool, &jobs.job[(first + i) % jobs.count]);
    first = jobs.count == 0 ? 0 : (first + i) % jobs.count;
    free(jobs.job);
    return 0;
}
