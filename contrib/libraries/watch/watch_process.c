/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/watch_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/host.h"
#include "conf/base/io.h"
#include "conf/base/process.h"
#include "spank/spool_path.h"
#include "submit/job/job_cgroups.h"

/* In so short a time no other process gets the pid, unless some ten thousand are started. */
enum { PROCESSES = 256, HELD_MS = 2000, FRESH_MS = 20, STATUS_TEXT = 4096 };

struct watch_process {
    int32_t pid; /* 0: none */
    uint64_t start_ticks, seen_ms;
    bool is_stale; /* it has begun to run another program */
    struct library_who who;
};

struct watch_processes {
    char spool[PATH_MAX];
    struct watch_process process[PROCESSES]; /* by pid modulo their number */
};

struct watch_processes *watch_processes_new(const char *spool)
{
    struct watch_processes *processes = calloc(1, sizeof *processes);
    if (processes != NULL &&
        spool_expand(spool, host_node(), processes->spool, sizeof processes->spool) != 0)
        processes->spool[0] = '\0'; /* jobs are not known by all releases of Slurm then */
    return processes;
}

int watch_process_user(const char *status, uint32_t *uid)
{
    unsigned real, effective;
    const char *line = strstr(status, "\nUid:"); /* a newline in the name is escaped */
    if (line == NULL || sscanf(line, "\nUid: %u %u", &real, &effective) != 2)
        return -EPROTO;
    *uid = real != 0 ? real : effective;
    return 0;
}

static int read_uid(int directory, uint32_t *uid)
{
    char text[STATUS_TEXT];
    if (io_read_text(directory, "status", text, sizeof text) <= 0)
        return -ESRCH;
    return watch_process_user(text, uid);
}

static uint32_t read_login(int directory)
{
    char text[32];
    unsigned uid;
    return io_read_text(directory, "loginuid", text, sizeof text) > 0 &&
                   sscanf(text, "%u", &uid) == 1
               ? uid
               : LIBRARY_NO_USER;
}

/* What a path that is too long ends with says more than its begin. */
static void read_program(int directory, char program[LIBRARY_PROGRAM_SIZE])
{
    char path[4096];
    ssize_t size = readlinkat(directory, "exe", path, sizeof path);
    size_t length = size < 0 ? 0 : (size_t)size;
    size_t skip = length < LIBRARY_PROGRAM_SIZE ? 0 : length - (LIBRARY_PROGRAM_SIZE - 1);
    memcpy(program, path + skip, length - skip);
    program[length - skip] = '\0';
}

static bool read_process(const struct watch_processes *processes, int32_t pid,
                         struct library_who *who)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    CLEANUP_CLOSE int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *who = (struct library_who){.how = LIBRARY_WHO_BY_FILE, .pid = pid};
    if (directory < 0 || read_uid(directory, &who->uid) != 0)
        return false;
    ssize_t size = io_read_text(directory, "comm", who->command, LIBRARY_COMMAND_SIZE);
    if (size > 0 && who->command[size - 1] == '\n')
        who->command[size - 1] = '\0';
    read_program(directory, who->program);
    /* The leader of a session that this pid namespace does not show is not known. */
    struct process_stat leader;
    pid_t session = getsid(pid);
    who->session = session > 0 ? session : pid;
    who->session_ticks = process_stat_read(who->session, &leader) == 0 ? leader.start_ticks : 0;
    const struct job_cgroups cgroups = {.spool = processes->spool};
    _Static_assert(JOB_CGROUPS_NONE == LIBRARY_NO_JOB, "one number for no job");
    job_cgroups_read(&cgroups, directory, "cgroup", &who->job, &who->step);
    /* slurmd has none, so that processes of jobs may set any */
    who->login_uid = who->job == LIBRARY_NO_JOB ? read_login(directory) : LIBRARY_NO_USER;
    return true;
}

static bool take_held(const struct watch_process *held, int32_t pid, uint64_t now_ms,
                      struct library_who *who)
{
    if (held->pid != pid || now_ms - held->seen_ms > HELD_MS)
        return false;
    *who = held->who;
    return true;
}

/* A process keeps its pid until its parent has asked for its status. */
static bool is_there(const struct watch_event *event)
{
    if (event->pidfd < 0)
        return !event->is_gone;
    return syscall(SYS_pidfd_send_signal, event->pidfd, 0, NULL, 0) == 0 || errno != ESRCH;
}

bool watch_process_find(struct watch_processes *processes, const struct watch_event *event,
                        uint64_t now_ms, struct library_who *who)
{
    struct process_stat stat;
    const int32_t pid = event->pid;
    struct watch_process *held = &processes->process[(uint32_t)pid % PROCESSES];
    struct library_who found;
    *who = (struct library_who){.how = LIBRARY_WHO_UNKNOWN};
    if (pid <= 0)
        return false;
    if (event->is_gone || process_stat_read(pid, &stat) != 0)
        return take_held(held, pid, now_ms, who);
    /* What was read is used again within so short a time, since a process mostly has many events at
     * once. Of one that is over, and waits for its parent, the program is not known any more. */
    bool is_same = held->pid == pid && held->start_ticks == stat.start_ticks;
    if (is_same && !held->is_stale && now_ms - held->seen_ms <= FRESH_MS)
        return take_held(held, pid, now_ms, who);
    if (!read_process(processes, pid, &found) || !is_there(event))
        return take_held(held, pid, now_ms, who);
    if (found.program[0] == '\0' && is_same)
        found = held->who;
    *held = (struct watch_process){pid, stat.start_ticks, now_ms, false, found};
    *who = found;
    return true;
}

void watch_process_executes(struct watch_processes *processes, int32_t pid)
{
    struct watch_process *held = &processes->process[(uint32_t)pid % PROCESSES];
    held->is_stale |= held->pid == pid;
}
