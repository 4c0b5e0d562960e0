/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/witness_jobs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
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
#include "conf/base/host.h"
#include "conf/base/io.h"
#include "conf/base/process.h"
#include "spank/journal.h"
#include "submit/job/job_cgroups.h"
#include "submit/job/journal_words.h"
#include "submit/job/spool_read.h"

#define TICK_NS UINT64_C(10000000)

/* Bytes of a journal that are read at once; a look reads so many pieces of a job at the most. */
enum { PIECE_BYTES = 64 << 10, PIECES_MAX = 64, ANCESTORS_MAX = 256 };

struct witness_job {
    struct spool_job name;
    int directory;       /* -1: no job has this number */
    bool is_broken;      /* its file could not be begun, which was reported */
    uint64_t broken_ns;  /* since boot: what was reported from then on is not written down */
    uint64_t journal_at; /* so far its journal was read */
    struct job_notes notes;
};

struct witness_jobs {
    int spool;
    struct kernel_listen listen;
    struct timespec changed; /* the spool directory, as it was listed last */
    char boot[HOST_BOOT_SIZE];
    uint64_t name_space; /* inode of this process's pid namespace; 0: unknown */
    uint32_t count;      /* numbers that have been used are below or equal */
    struct witness_job job[WITNESS_JOBS_MAX + 1]; /* from 1 on */
};

struct witness_jobs *witness_jobs_new(int spool, const struct kernel_listen *listen)
{
    struct stat status;
    struct witness_jobs *jobs = calloc(1, sizeof *jobs);
    if (jobs == NULL)
        return NULL;
    jobs->spool = spool;
    jobs->listen = *listen;
    host_boot(jobs->boot);
    if (stat("/proc/self/ns/pid", &status) == 0)
        jobs->name_space = status.st_ino;
    for (uint32_t i = 0; i <= WITNESS_JOBS_MAX; i++)
        jobs->job[i].directory = -1;
    return jobs;
}

static void end_job(struct witness_job *job)
{
    if (job->directory >= 0)
        close(job->directory);
    job_notes_free(&job->notes);
    *job = (struct witness_job){.directory = -1};
}

void witness_jobs_free(struct witness_jobs *jobs)
{
    for (uint32_t i = 1; jobs != NULL && i <= jobs->count; i++)
        end_job(&jobs->job[i]);
    free(jobs);
}

struct job_notes *witness_jobs_notes(struct witness_jobs *jobs, uint32_t job)
{
    bool is_there =
        job > 0 && job <= jobs->count && jobs->job[job].directory >= 0 && !jobs->job[job].is_broken;
    return is_there ? &jobs->job[job].notes : NULL;
}

uint32_t witness_jobs_next(const struct witness_jobs *jobs, uint32_t job)
{
    while (++job <= jobs->count)
        if (jobs->job[job].directory >= 0 && !jobs->job[job].is_broken)
            return job;
    return 0;
}

/* Of one that was requeued, the last start. */
static uint32_t find_running(const struct witness_jobs *jobs, uint32_t job)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i <= jobs->count; i++)
        if (jobs->job[i].directory >= 0 && jobs->job[i].name.job == job &&
            (found == 0 || jobs->job[found].name.restart < jobs->job[i].name.restart))
            found = i;
    return found;
}

/* The job in whose cgroup of root's the process `pid` is; 0: none. Daemons of steps are in none:
 * journals name them. */
static uint32_t job_of_cgroup(const struct witness_jobs *jobs, int32_t pid)
{
    char spool[32], path[48];
    const struct job_cgroups cgroups = {.spool = spool};
    uint32_t job, step;
    snprintf(spool, sizeof spool, "/proc/self/fd/%d", jobs->spool);
    snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
    job_cgroups_read(&cgroups, AT_FDCWD, path, &job, &step);
    return job == JOB_CGROUPS_NONE || step_daemon_is(pid) ? 0 : find_running(jobs, job);
}

/* ---- Journals -------------------------------------------------------------------------------- */

/* Whether the daemon may still fork what this listener hears: a line stays in the journal when its
 * daemon has ended, and another process may have the pid then. After a reboot all have ended. */
static bool may_live(const struct witness_jobs *jobs, const struct journal_words *line, int32_t pid,
                     uint64_t ticks)
{
    const char *boot = journal_words_value(line, "boot");
    if (boot != NULL && boot[0] != '\0' && jobs->boot[0] != '\0' && strcmp(boot, jobs->boot) != 0)
        return false;
    return ticks * TICK_NS > jobs->listen.boot_ns || process_alive(pid, ticks);
}

/* The pid of a daemon in another pid namespace is another process's here. */
static void take_line(const struct witness_jobs *jobs, uint32_t job, char *text,
                      struct kernel_processes *processes)
{
    struct journal_words line;
    if (journal_words_cut(text, &line) != 0 || strcmp(line.verb, "step") != 0)
        return;
    uint64_t name_space = journal_words_number(&line, "name_space", 0);
    uint32_t pid = journal_words_number32(&line, "pid", 0);
    uint64_t ticks = journal_words_number(&line, "ticks", 0);
    bool is_here = name_space == 0 || jobs->name_space == 0 || name_space == jobs->name_space;
    if (is_here && pid > 0 && pid <= INT32_MAX && ticks > 0 && ticks < UINT64_MAX / TICK_NS &&
        may_live(jobs, &line, (int32_t)pid, ticks))
        kernel_processes_daemon(processes, (int32_t)pid, ticks * TICK_NS, job);
}

/* Takes the whole lines of a piece. Returns how many bytes they have; of a line without an end that
 * is too long for one, all. */
static size_t take_lines(const struct witness_jobs *jobs, uint32_t job, char *piece, size_t size,
                         struct kernel_processes *processes)
{
    size_t taken = 0;
    for (char *end; (end = memchr(piece + taken, '\n', size - taken)) != NULL;) {
        char *line = piece + taken;
        *end = '\0';
        taken = (size_t)(end - piece) + 1;
        take_line(jobs, job, line, processes);
    }
    return size - taken > JOURNAL_LINE_MAX ? size : taken;
}

static void read_journal(struct witness_jobs *jobs, uint32_t number,
                         struct kernel_processes *processes)
{
    struct witness_job *job = &jobs->job[number];
    struct stat status;
    char piece[PIECE_BYTES];
    if (fstatat(job->directory, JOURNAL_NAME, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        (uint64_t)status.st_size <= job->journal_at)
        return;
    CLEANUP_CLOSE int fd = spool_open_file(job->directory, JOURNAL_NAME);
    for (int i = 0; fd >= 0 && i < PIECES_MAX; i++) {
        ssize_t got = io_read_at(fd, piece, sizeof piece, (off_t)job->journal_at);
        size_t taken = got <= 0 ? 0 : take_lines(jobs, number, piece, (size_t)got, processes);
        if (taken == 0)
            return;
        job->journal_at += taken;
    }
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static bool is_known(const struct witness_jobs *jobs, const struct spool_job *name)
{
    for (uint32_t i = 1; i <= jobs->count; i++)
        if (jobs->job[i].directory >= 0 && strcmp(jobs->job[i].name.name, name->name) == 0)
            return true;
    return false;
}

/* A full file system may have room a moment later. */
static void begin_notes(const struct witness_jobs *jobs, struct witness_job *job, uint64_t heard_ns)
{
    int error = job_notes_begin(job->directory, &jobs->listen, &job->notes);
    if (error == 0 && job->is_broken)
        job_notes_numbers(&job->notes, "unheard", job->broken_ns, heard_ns);
    if (error != 0 && !job->is_broken) {
        job->broken_ns = heard_ns;
        fprintf(stderr, "jobtrail-submit: witness: job %s: nothing can be written now: %s\n",
                job->name.name, strerror(-error));
    }
    job->is_broken = error != 0;
}

static void add_job(struct witness_jobs *jobs, const struct spool_job *name, uint64_t heard_ns)
{
    uint32_t number = 1;
    while (number <= jobs->count && jobs->job[number].directory >= 0)
        number++;
    int directory = number > WITNESS_JOBS_MAX ? -EMFILE : spool_open_job(jobs->spool, name);
    if (directory < 0)
        return;
    struct witness_job *job = &jobs->job[number];
    *job = (struct witness_job){.name = *name, .directory = directory};
    begin_notes(jobs, job, heard_ns);
    if (number > jobs->count)
        jobs->count = number;
}

/* A directory that was renamed or removed is that of no running job. */
static void drop_gone(struct witness_jobs *jobs, struct kernel_processes *processes)
{
    for (uint32_t i = 1; i <= jobs->count; i++) {
        struct witness_job *job = &jobs->job[i];
        struct stat own, named;
        if (job->directory < 0 ||
            (fstat(job->directory, &own) == 0 &&
             fstatat(jobs->spool, job->name.name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
             own.st_ino == named.st_ino && own.st_dev == named.st_dev))
            continue;
        kernel_processes_drop(processes, i);
        end_job(job);
    }
}

/* Directories of jobs that end or begin change the time of the spool's. In the second after a
 * change another one may have the same time. */
static int list_jobs(struct witness_jobs *jobs, struct kernel_processes *processes,
                     uint64_t heard_ns)
{
    struct stat status;
    struct timespec now;
    struct spool_jobs found = {0};
    if (fstat(jobs->spool, &status) != 0)
        return -errno;
    if (status.st_mtim.tv_sec == jobs->changed.tv_sec &&
        status.st_mtim.tv_nsec == jobs->changed.tv_nsec)
        return 0;
    drop_gone(jobs, processes);
    int error = spool_list(jobs->spool, 0, &found);
    if (error != 0)
        return error;
    for (size_t i = 0; i < found.count; i++)
        if (!found.job[i].left && !is_known(jobs, &found.job[i]))
            add_job(jobs, &found.job[i], heard_ns);
    free(found.job);
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    bool is_settled = now.tv_sec > status.st_mtim.tv_sec + 1;
    jobs->changed = is_settled ? status.st_mtim : (struct timespec){0};
    return 0;
}

int witness_jobs_look(struct witness_jobs *jobs, struct kernel_processes *processes,
                      uint64_t heard_ns)
{
    for (uint32_t i = 1; i <= jobs->count; i++)
        if (jobs->job[i].directory >= 0 && jobs->job[i].is_broken)
            begin_notes(jobs, &jobs->job[i], heard_ns);
    int error = list_jobs(jobs, processes, heard_ns);
    for (uint32_t i = 1; error == 0 && i <= jobs->count; i++)
        if (jobs->job[i].directory >= 0)
            read_journal(jobs, i, processes);
    return error;
}

/* ---- Processes that are older than the listener ---------------------------------------------- */

struct walked {
    int32_t pid;
    struct process_stat stat;
    uint64_t known_ns;
    uint32_t job; /* by its cgroup; 0: in none */
};

struct process_walk {
    struct walked *process; /* owned, by pid */
    size_t count, room;
};

static int compare_walked(const void *left, const void *right)
{
    const struct walked *a = left, *b = right;
    return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static int list_processes(const struct witness_jobs *jobs, struct process_walk *walk)
{
    CLEANUP_LISTING DIR *proc = NULL;
    int error = listing_open(AT_FDCWD, "/proc", &proc);
    for (const char *name; error == 0 && (name = listing_next(proc)) != NULL;) {
        struct walked process = {.pid = isdigit((unsigned char)name[0]) ? atoi(name) : 0,
                                 .known_ns = clock_ns(CLOCK_BOOTTIME)};
        if (process.pid <= 0 || process_stat_read(process.pid, &process.stat) != 0 ||
            process_stat_is_over(&process.stat))
            continue;
        process.job = job_of_cgroup(jobs, process.pid);
        error = GROW_TO(walk->process, walk->room, walk->count + 1);
        if (error == 0)
            walk->process[walk->count++] = process;
    }
    if (error == 0 && walk->count > 0)
        qsort(walk->process, walk->count, sizeof *walk->process, compare_walked);
    return error;
}

static const struct walked *find_walked(const struct process_walk *walk, int32_t pid)
{
    const struct walked key = {.pid = pid};
    return walk->count == 0
               ? NULL
               : bsearch(&key, walk->process, walk->count, sizeof *walk->process, compare_walked);
}

/* Who forked it is surer than where it was put. */
static uint32_t job_of(const struct process_walk *walk, const struct kernel_processes *processes,
                       const struct walked *process)
{
    uint32_t by_cgroup = 0;
    for (int i = 0; i < ANCESTORS_MAX && process != NULL; i++) {
        by_cgroup = by_cgroup != 0 ? by_cgroup : process->job;
        process = find_walked(walk, process->stat.parent);
        uint32_t job = process == NULL ? 0
                                       : kernel_processes_job(processes, process->pid,
                                                              process->stat.start_ticks * TICK_NS);
        if (job != 0)
            return job;
    }
    return by_cgroup;
}

int witness_jobs_walk(const struct witness_jobs *jobs, struct kernel_processes *processes)
{
    struct process_walk walk = {0};
    int error = list_processes(jobs, &walk);
    for (size_t i = 0; error == 0 && i < walk.count; i++) {
        const struct walked *walked = &walk.process[i];
        struct kernel_process process = {
            .note = {.pid = walked->pid,
                     .parent = walked->stat.parent,
                     .start_ns = walked->stat.start_ticks * TICK_NS},
            .job = job_of(&walk, processes, walked),
            .threads = (uint32_t)walked->stat.threads,
            .known_ns = walked->known_ns,
        };
        if (process.job != 0)
            kernel_processes_older(processes, &process);
    }
    free(walk.process);
    return error;
}
