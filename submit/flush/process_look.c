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
#include <sys/sysmacros.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/process.h"
#include "conf/base/worker.h"
#include "preload/ledger.h"
#include "submit/evidence/ledger_read.h"
#include "submit/facts/program_name.h"
#include "submit/flush/suspend_look.h"
#include "submit/job/looks.h"
#include "submit/job/spool_job.h"
#include "submit/job/spool_read.h"

/* SLOTS_MAX: so many new slots of a job are looked at; the next look goes on behind them. */
enum { SLOTS_MAX = 32768, JOB_MS = 2000, LOOK_MS = 10000, SILENCE_MS = 2000 };

/* So many threads of a process are asked for its executable. */
enum { THREADS_MAX = 8 };

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
    return looks_is_sound(look, before == NULL ? 0 : before->page) &&
           (look->flags & LOOK_OTHER) == 0 && look->alive_ns == 0 && look->gone_ns == 0 &&
           look->device == 0 && look->inode == 0;
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

/* A file as root sees it running. */
struct running_file {
    char
        path[PATH_MAX]; /* as the kernel gives it; it changes when the file is renamed or removed */
    size_t length;
    uint64_t device;
    uint64_t inode;
};

/* The executable of the thread or process whose directory in /proc is `name` below `process`. A
 * server that does not answer is not waited for: the kernel gives what it has. */
static bool read_running_file(int process, const char *name, struct running_file *file)
{
    char exe[NAME_MAX + sizeof "task//exe"];
    struct statx status;
    snprintf(exe, sizeof exe, "%s/exe", name);
    ssize_t got = readlinkat(process, exe, file->path, sizeof file->path - 1);
    if (got <= 0 || statx(process, exe, AT_STATX_DONT_SYNC, STATX_INO, &status) != 0)
        return false;
    file->path[got] = '\0';
    file->length = (size_t)got;
    file->device = makedev(status.stx_dev_major, status.stx_dev_minor);
    file->inode = status.stx_ino;
    return true;
}

/* The first thread shows no executable when it has ended before the others. Threads that have ended
 * are not listed, except for the first: so a few are enough. */
static bool find_running_file(int process, struct running_file *file)
{
    if (read_running_file(process, ".", file))
        return true;
    CLEANUP_LISTING DIR *threads = NULL;
    char thread[NAME_MAX + sizeof "task/"];
    bool is_found = false;
    const char *name;
    listing_open(process, "task", &threads);
    for (int i = 0; !is_found && i < THREADS_MAX && (name = listing_next(threads)) != NULL; i++) {
        snprintf(thread, sizeof thread, "task/%s", name);
        is_found = read_running_file(process, thread, file);
    }
    return is_found;
}

/* The kernel adds " (deleted)" to the path of a file that has lost it. A file's own name may end so
 * too, and that of one that never had a path does. */
static bool has_path(const struct running_file *file, uint64_t exec)
{
    static const char deleted[] = " (deleted)";
    const size_t extra = sizeof deleted - 1;
    return looks_hash(file->path, file->length) == exec ||
           (file->length > extra && strcmp(file->path + file->length - extra, deleted) == 0 &&
            looks_hash(file->path, file->length - extra) == exec);
}

/* A running program's path changes when somebody renames it or a directory above it, and is another
 * one in another mount namespace. So the program is another one only if the file is another one
 * than was seen before. */
static enum program_seen program_of(int process, struct look *look)
{
    struct running_file file;
    if (!find_running_file(process, &file) || file.inode == 0)
        return SEEN_UNKNOWN;
    if (has_path(&file, look->exec) ||
        (look->inode == 0 && program_is_stand_in(file.path, file.length))) {
        look->device = file.device;
        look->inode = file.inode;
        return SEEN_SAME;
    }
    if (look->inode == 0)
        return SEEN_UNKNOWN;
    return file.device == look->device && file.inode == look->inode ? SEEN_SAME : SEEN_OTHER;
}

/* Whether the process counts time as root does. In a time namespace of its own (time_namespaces(7))
 * its capture has another start. Kernels before 5.6 have no such namespaces. */
static bool shares_clock(int process)
{
    char own[64], its[64];
    ssize_t own_length = readlink("/proc/self/ns/time", own, sizeof own);
    ssize_t its_length = readlinkat(process, "ns/time", its, sizeof its);
    return own_length < 0 ||
           (its_length == own_length && memcmp(own, its, (size_t)own_length) == 0);
}

/* Whether the process of the line still runs. Returns 0; -ESRCH where it is gone; or another
 * -errno where that is not known. */
static int find_process(int process, const struct look *look)
{
    struct process_stat stat;
    if (process < 0)
        return process == -ENOENT ? -ESRCH : process;
    int error = process_stat_read(look->pid, &stat);
    if (error != 0)
        return error;
    if (process_stat_is_over(&stat))
        return -ESRCH;
    const uint64_t now_ticks = clock_ns(CLOCK_BOOTTIME) / 10000000; /* as the start */
    if (look->ticks == 0 || look->ticks > now_ticks)
        return -EINVAL;
    bool is_it = (look->flags & LOOK_FIRST) != 0 ? stat.start_ticks <= look->ticks
                                                 : stat.start_ticks == look->ticks;
    return is_it ? 0 : shares_clock(process) ? -ESRCH : -EINVAL;
}

/* Asks the kernel about one process, and leaves the line as it is where the kernel does not answer.
 * The descriptor stands for the process: where its pid is used again meanwhile, reading below it
 * fails. */
static void look_at_process(const struct job_look *job, struct look *look)
{
    char path[32];
    struct stat status;
    uint64_t before_ns = clock_ns(CLOCK_REALTIME);
    snprintf(path, sizeof path, "/proc/%d", look->pid);
    CLEANUP_CLOSE int opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int process = opened < 0 ? -errno : opened;
    int error = find_process(process, look);
    if (error == -ESRCH)
        look->gone_ns = clock_ns(CLOCK_REALTIME);
    if (error != 0 || fstat(process, &status) != 0 || status.st_uid != job->uid)
        return;
    enum program_seen seen = program_of(process, look);
    if (seen == SEEN_SAME)
        look->alive_ns = before_ns;
    if (seen != SEEN_OTHER || find_process(process, look) != 0)
        return;
    look->gone_ns = clock_ns(CLOCK_REALTIME);
    look->flags |= LOOK_OTHER;
}

/* Whether the process has begun another run since that of the line: a look would be at that one. */
static bool has_next(const struct look *look, const struct look *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].pid == look->pid && all[i].start_ns > look->start_ns &&
            (all[i].flags & LOOK_EMPTY) == 0 &&
            (all[i].ticks == look->ticks || ((all[i].flags | look->flags) & LOOK_FIRST) != 0))
            return true;
    return false;
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
        if (is_known && old->start_ns == look.start_ns) {
            look.alive_ns = old->alive_ns;
            look.device = old->device;
            look.inode = old->inode;
        }
        old += is_known;
        if ((look.flags & LOOK_EMPTY) == 0 && clock_left_ms(job->deadline_ns) > 0 &&
            !has_next(&look, &found[i], count - i) &&
            !has_next(&look, merged.look, merged.count)) /* slots are used again */
            look_at_process(job, &look);
        /* A process that signed and is gone says nothing more, unless it was seen before. */
        if ((look.flags & LOOK_SIGNED) == 0 || look.gone_ns == 0 || look.alive_ns != 0)
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
        .conf = conf, .uid = journal.identity.uid, .deadline_ns = clock_deadline(JOB_MS)};
    gid_t gid = journal.identity.gid;
    bool is_over = journal.epilog_ns != 0 || journal.reboot_ns != 0;
    if (!is_over)
        error = suspend_look(directory, &journal);
    journal_free(&journal);
    if (error != 0)
        return error;
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
                error == -EPROTO ? "its captures stop the reader" : strerror(-error));
}

int process_look(const struct conf *conf, int spool)
{
    static size_t first; /* each look begins with those that the last one had no time for */
    struct spool_jobs jobs;
    int error = spool_list(spool, 0, &jobs);
    if (error != 0)
        return error;
    uint64_t end_ns = clock_deadline(LOOK_MS);
    size_t i = 0;
    for (; i < jobs.count && clock_left_ms(end_ns) > 0; i++)
        look_at_directory(conf, spool, &jobs.job[(first + i) % jobs.count]);
    first = jobs.count == 0 ? 0 : (first + i) % jobs.count;
    free(jobs.job);
    return 0;
}
