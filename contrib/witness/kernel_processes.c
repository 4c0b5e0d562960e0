/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/kernel_processes.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/witness/pid_map.h"

/* The kernel reports a fork after the start that /proc shows in ticks of 10 ms. */
#define START_ERROR_NS UINT64_C(30000000)
#define TICK_NS        UINT64_C(10000000)

#define LIBRARY         "/libjobtrail.so"
#define PROFILE_LIBRARY "/libjobtrail-profile.so"

/* What is known of the objects that a process has mapped. */
enum { OF_OBJECTS = KERNEL_LACK_OBJECTS | KERNEL_LACK_CAPTURE | KERNEL_LACK_LOADER };

struct waiting_end {
    struct task_end end;
    uint64_t round;
};

/* What a job has of the room. */
struct share {
    uint32_t processes;
    size_t files;
};

struct kernel_processes {
    struct kernel_processes_calls calls;
    struct share share[KERNEL_JOBS_MAX + 1];
    struct pid_map process_map, end_map;
    struct kernel_process *process; /* by places of process_map; owned */
    struct waiting_end *end;        /* by places of end_map; owned */
    uint64_t round, unmatched;
    size_t files;  /* room of all processes for what they mapped */
    uint32_t over; /* processes that are over, and threads of which are still to be reported */
};

struct kernel_processes *kernel_processes_new(const struct kernel_processes_calls *calls)
{
    struct kernel_processes *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->calls = *calls;
    made->round = 1;
    made->process = calloc(KERNEL_PROCESSES_MAX + 1, sizeof *made->process);
    made->end = calloc(KERNEL_ENDS_MAX + 1, sizeof *made->end);
    if (made->process != NULL && made->end != NULL &&
        pid_map_new(KERNEL_PROCESSES_MAX, &made->process_map) == 0 &&
        pid_map_new(KERNEL_ENDS_MAX, &made->end_map) == 0)
        return made;
    kernel_processes_free(made);
    return NULL;
}

static void forget_files(struct kernel_processes *processes, struct kernel_process *process)
{
    free(process->file);
    processes->files -= process->file_room;
    processes->share[process->job].files -= process->file_room;
    process->file = NULL;
    process->file_count = process->file_room = 0;
}

void kernel_processes_free(struct kernel_processes *processes)
{
    if (processes == NULL)
        return;
    for (uint32_t place = 1; processes->process != NULL && place <= processes->process_map.highest;
         place++)
        forget_files(processes, &processes->process[place]);
    pid_map_free(&processes->process_map);
    pid_map_free(&processes->end_map);
    free(processes->process);
    free(processes->end);
    free(processes);
}

static struct kernel_process *find(const struct kernel_processes *processes, int32_t pid)
{
    uint32_t place = pid_map_find(&processes->process_map, pid);
    return place == 0 ? NULL : &processes->process[place];
}

static void forget(struct kernel_processes *processes, struct kernel_process *process)
{
    forget_files(processes, process);
    processes->share[process->job].processes--;
    pid_map_remove(&processes->process_map, (uint32_t)(process - processes->process));
}

/* The kernel counts the ticks in which a thread was in it; so it divides the time that it has
 * measured. */
static uint64_t system_part(const struct kernel_process *process)
{
    const uint64_t all_us = process->user_us + process->system_us;
    return all_us == 0 ? 0
                       : (uint64_t)((long double)process->note.run_ns *
                                    (long double)process->system_us / (long double)all_us);
}

/* Sorted, so that processes that map the same have the same set. */
static int compare_files(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static uint32_t objects_of(struct kernel_processes *processes, struct kernel_process *process)
{
    if (process->file_count == 0)
        return 0;
    qsort(process->file, process->file_count, sizeof *process->file, compare_files);
    uint32_t set = processes->calls.take_objects(processes->calls.context, process->job,
                                                 process->file, process->file_count);
    process->note.lack |= set == 0 ? KERNEL_LACK_OBJECTS : 0;
    return set;
}

static void finish(struct kernel_processes *processes, struct kernel_process *process,
                   uint64_t end_ns, uint32_t lack)
{
    process->note.end_ns = end_ns > process->note.start_ns ? end_ns : process->note.start_ns;
    process->note.lack |= lack;
    processes->over -= process->over_round != 0;
    if (!process->is_daemon) {
        process->note.system_ns = system_part(process);
        process->note.objects = objects_of(processes, process);
        processes->calls.take_end(processes->calls.context, process->job, &process->note);
    }
    forget(processes, process);
}

static bool is_same_start(uint64_t a, uint64_t b)
{
    return (a > b ? a - b : b - a) <= START_ERROR_NS;
}

/* One that is there under the same pid has ended unseen. */
static struct kernel_process *add(struct kernel_processes *processes,
                                  const struct kernel_process *process)
{
    struct kernel_process *old = find(processes, process->note.pid);
    if (old != NULL)
        finish(processes, old, process->note.start_ns, KERNEL_LACK_END | KERNEL_LACK_STATUS);
    struct share *share = &processes->share[process->job];
    const bool has_room = share->processes < KERNEL_PROCESSES_MAX - processes->process_map.used;
    uint32_t place = has_room ? pid_map_add(&processes->process_map, process->note.pid) : 0;
    if (place == 0) {
        processes->calls.take_loss(processes->calls.context, process->job);
        return NULL;
    }
    share->processes++;
    processes->process[place] = *process;
    return &processes->process[place];
}

static void move_to(struct kernel_processes *processes, struct kernel_process *process,
                    uint32_t job)
{
    processes->share[process->job].processes--;
    processes->share[process->job].files -= process->file_room;
    process->job = job;
    processes->share[job].processes++;
    processes->share[job].files += process->file_room;
}

void kernel_processes_daemon(struct kernel_processes *processes, int32_t pid, uint64_t start_ns,
                             uint32_t job)
{
    struct kernel_process *known = find(processes, pid);
    if (known != NULL && is_same_start(known->note.start_ns, start_ns)) {
        known->is_daemon = true;
        move_to(processes, known, job);
        return;
    }
    if (known != NULL && known->note.start_ns > start_ns)
        return; /* which has its pid now */
    add(processes, &(struct kernel_process){.note = {.pid = pid, .start_ns = start_ns},
                                            .job = job,
                                            .threads = 1,
                                            .known_ns = start_ns,
                                            .is_daemon = true});
}

void kernel_processes_older(struct kernel_processes *processes,
                            const struct kernel_process *process)
{
    struct kernel_process *known = find(processes, process->note.pid);
    if (known != NULL && is_same_start(known->note.start_ns, process->note.start_ns)) {
        known->threads = process->threads;
        known->known_ns = process->known_ns;
        return;
    }
    known = add(processes, process);
    if (known != NULL)
        known->note.lack |= KERNEL_LACK_START | KERNEL_LACK_OBJECTS;
}

uint32_t kernel_processes_job(const struct kernel_processes *processes, int32_t pid,
                              uint64_t start_ns)
{
    const struct kernel_process *process = find(processes, pid);
    return process != NULL && is_same_start(process->note.start_ns, start_ns) ? process->job : 0;
}

/* ---- Ends of threads ------------------------------------------------------------------------- */

void kernel_processes_end(struct kernel_processes *processes, const struct task_end *end)
{
    uint32_t place = end->tid <= 0 ? 0 : pid_map_add(&processes->end_map, end->tid);
    if (place == 0)
        processes->unmatched++;
    else
        processes->end[place] = (struct waiting_end){*end, processes->round};
}

static bool take_waiting(struct kernel_processes *processes, int32_t tid, struct task_end *end)
{
    uint32_t place = pid_map_find(&processes->end_map, tid);
    if (place == 0)
        return false;
    *end = processes->end[place].end;
    pid_map_remove(&processes->end_map, place);
    return true;
}

/* Of those that are over since the round before, the events of some threads were lost. */
static void finish_over(struct kernel_processes *processes)
{
    for (uint32_t place = 1; processes->over > 0 && place <= processes->process_map.highest;
         place++) {
        struct kernel_process *process = &processes->process[place];
        if (processes->process_map.pid[place] != 0 && process->over_round != 0 &&
            process->over_round < processes->round)
            finish(processes, process, process->note.end_ns, KERNEL_LACK_THREADS);
    }
}

void kernel_processes_round(struct kernel_processes *processes)
{
    for (uint32_t place = 1; processes->end_map.used > 0 && place <= processes->end_map.highest;
         place++) {
        const struct waiting_end *end = &processes->end[place];
        bool is_free = processes->end_map.pid[place] == 0;
        if (is_free || end->round == processes->round || find(processes, end->end.pid) != NULL)
            continue;
        pid_map_remove(&processes->end_map, place);
        processes->unmatched++;
    }
    finish_over(processes);
    processes->round++;
}

uint64_t kernel_processes_unmatched(const struct kernel_processes *processes)
{
    return processes->unmatched;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* A daemon may have been told of before, and an older process been seen in /proc. */
static void take_fork(struct kernel_processes *processes, const struct kernel_event *event)
{
    struct kernel_process *known = find(processes, event->pid);
    const struct kernel_process *parent = find(processes, event->parent);
    if (known != NULL && is_same_start(known->note.start_ns, event->time_ns)) {
        known->note.start_ns = event->time_ns;
        known->note.lack &= ~(uint32_t)KERNEL_LACK_START;
        return;
    }
    if (known != NULL && known->note.start_ns > event->time_ns)
        return; /* the process before it */
    if (parent == NULL || parent->note.start_ns > event->time_ns + START_ERROR_NS) {
        if (known != NULL)
            finish(processes, known, event->time_ns, KERNEL_LACK_END | KERNEL_LACK_STATUS);
        return;
    }
    struct kernel_process child = {.note = {.pid = event->pid,
                                            .parent = event->parent,
                                            .program = parent->note.program,
                                            .start_ns = event->time_ns,
                                            .parent_start_ns = parent->note.start_ns,
                                            .lack = parent->note.lack & OF_OBJECTS},
                                   .job = parent->job,
                                   .threads = 1,
                                   .known_ns = event->time_ns};
    add(processes, &child);
}

/* A program that had the library, and a ledger, tells of its objects itself. */
static void tell_replaced(struct kernel_processes *processes, struct kernel_process *process,
                          uint64_t time_ns)
{
    const uint32_t lack = process->note.lack;
    if (process->note.execs == 0 || process->wants_program || time_ns < process->note.exec_ns ||
        (lack & KERNEL_LACK_OBJECTS) != 0)
        return;
    struct kernel_note note = process->note;
    note.objects = (lack & KERNEL_LACK_CAPTURE) == 0 ? 0 : objects_of(processes, process);
    note.lack = process->note.lack | KERNEL_LACK_STATUS;
    note.end_ns = time_ns;
    processes->calls.take_replaced(processes->calls.context, process->job, &note);
}

static void take_exec(struct kernel_processes *processes, const struct kernel_event *event)
{
    struct kernel_process *process = find(processes, event->pid);
    if (process == NULL || process->is_daemon || event->time_ns < process->note.start_ns)
        return;
    tell_replaced(processes, process, event->time_ns);
    process->note.execs++;
    process->note.exec_ns = event->time_ns;
    forget_files(processes, process);
    process->wants_program = processes->calls.has_maps;
    process->note.lack &= ~(uint32_t)OF_OBJECTS;
    process->note.lack |=
        processes->calls.has_maps ? KERNEL_LACK_LIBRARY | KERNEL_LACK_LOADER : KERNEL_LACK_OBJECTS;
    if (!processes->calls.has_maps)
        process->note.program =
            processes->calls.take_program(processes->calls.context, process->job, event);
}

static bool ends_in(const struct kernel_event *event, const char *text)
{
    const size_t size = strlen(text);
    return event->name_size >= size &&
           memcmp(event->name + event->name_size - size, text, size) == 0;
}

static bool has_file(const struct kernel_process *process, uint32_t file)
{
    for (uint32_t i = 0; i < process->file_count; i++)
        if (process->file[i] == file)
            return true;
    return false;
}

/* Whether there is room for one more. */
static bool make_room(struct kernel_processes *processes, struct kernel_process *process)
{
    const uint32_t room = process->file_room == 0 ? 8 : 2 * process->file_room;
    const uint32_t more = room - process->file_room;
    struct share *share = &processes->share[process->job];
    if (process->file_count < process->file_room)
        return true;
    if (room > KERNEL_OBJECTS_MAX || share->files + more > KERNEL_FILES_MAX - processes->files)
        return false;
    uint32_t *larger = realloc(process->file, room * sizeof *larger);
    if (larger == NULL)
        return false;
    processes->files += more;
    share->files += more;
    process->file = larger;
    process->file_room = room;
    return true;
}

static void add_file(struct kernel_processes *processes, struct kernel_process *process,
                     uint32_t file)
{
    if (file != 0 && (file == process->note.program || has_file(process, file)))
        return;
    process->note.lack &= ~(uint32_t)KERNEL_LACK_LOADER;
    if (file != 0 && make_room(processes, process))
        process->file[process->file_count++] = file;
    else
        process->note.lack |= KERNEL_LACK_OBJECTS;
}

/* What has no path in a file system is no object: "[vdso]", "//anon". The library for profiles is
 * none of the program's. */
static bool is_object(const struct kernel_event *event)
{
    return event->name_size > 1 && event->name[0] == '/' && event->name[1] != '/' &&
           !ends_in(event, PROFILE_LIBRARY);
}

/* Its code is mapped from its start on. What is mapped from elsewhere tells that it can leave no
 * capture (preload/entry.c), or is another file of that name. */
static void take_library(struct kernel_process *process, const struct kernel_event *event)
{
    process->note.lack &= ~(uint32_t)KERNEL_LACK_LOADER;
    if (event->offset == 0)
        process->note.lack &= ~(uint32_t)KERNEL_LACK_LIBRARY;
    else
        process->note.lack |= KERNEL_LACK_LEDGER;
}

/* The first mapping after an exec is the program. */
static void take_map(struct kernel_processes *processes, const struct kernel_event *event)
{
    struct kernel_process *process = find(processes, event->pid);
    if (process == NULL || process->note.execs == 0 || event->time_ns < process->note.exec_ns ||
        !(process->wants_program || is_object(event)))
        return;
    /* The loader maps jobtrail's own library before all that the program asks for. */
    if (!process->wants_program && ends_in(event, LIBRARY)) {
        take_library(process, event);
        return;
    }
    uint32_t file = processes->calls.take_program(processes->calls.context, process->job, event);
    if (!process->wants_program) {
        add_file(processes, process, file);
        return;
    }
    process->wants_program = false;
    process->note.program = file;
}

/* Between the end of a process and the event the kernel frees its memory, which may take long. What
 * is older has started within the tick that follows its start here. */
static uint64_t end_of(const struct kernel_process *process, const struct kernel_event *event,
                       const struct task_end *end)
{
    const uint64_t tick_ns = (process->note.lack & KERNEL_LACK_START) != 0 ? TICK_NS : 0;
    const uint64_t told_ns = process->note.start_ns + tick_ns + end->process_us * 1000;
    return told_ns < event->time_ns ? told_ns : event->time_ns;
}

/* The events of other threads may still come after that of the last one. */
static void add_end(struct kernel_processes *processes, struct kernel_process *process,
                    const struct kernel_event *event, const struct task_end *end)
{
    process->note.run_ns += end->run_ns;
    process->user_us += end->user_us;
    process->system_us += end->system_us;
    process->note.read_bytes += end->read_bytes;
    process->note.write_bytes += end->write_bytes;
    process->note.major_faults += end->major_faults;
    if (end->peak_kib > process->note.peak_kib)
        process->note.peak_kib = end->peak_kib;
    if (!end->is_last || process->over_round != 0)
        return;
    process->note.uid = end->uid;
    process->note.status = end->status;
    process->note.device = end->device;
    process->note.inode = end->inode;
    process->note.end_ns = end_of(process, event, end);
    process->over_round = processes->round;
    processes->over++;
}

/* The kernel also reports an exit when a thread executes a set-user-id program, or one that its
 * user may not read: it ends the watches of that thread then. That comes between the exec and the
 * first mapping, and mostly before the thread's end is reported. */
static bool is_only_exec(const struct kernel_processes *processes,
                         const struct kernel_process *process, int32_t tid)
{
    return process->wants_program ||
           (processes->calls.has_ends && pid_map_find(&processes->end_map, tid) == 0);
}

static void take_exit(struct kernel_processes *processes, const struct kernel_event *event)
{
    struct task_end end = {0};
    struct kernel_process *process = find(processes, event->pid);
    if (process != NULL && event->time_ns >= process->note.start_ns &&
        is_only_exec(processes, process, event->tid))
        return;
    bool is_told = take_waiting(processes, event->tid, &end);
    if (process == NULL || event->time_ns < process->note.start_ns)
        return;
    if (event->time_ns >= process->known_ns && process->threads > 0)
        process->threads--;
    if (is_told && end.pid == event->pid)
        add_end(processes, process, event, &end);
    else if (processes->calls.has_ends)
        process->note.lack |= KERNEL_LACK_THREADS;
    bool is_over = process->over_round != 0;
    if (process->threads == 0)
        finish(processes, process, is_over ? process->note.end_ns : event->time_ns,
               is_over ? 0 : KERNEL_LACK_STATUS);
}

void kernel_processes_event(struct kernel_processes *processes, const struct kernel_event *event)
{
    if (event->pid <= 0)
        return;
    switch (event->kind) {
    case KERNEL_EVENT_FORK:
        if (event->pid == event->parent) {
            struct kernel_process *process = find(processes, event->pid);
            if (process != NULL && event->time_ns >= process->known_ns)
                process->threads++;
        } else {
            take_fork(processes, event);
        }
        break;
    case KERNEL_EVENT_EXIT:
        take_exit(processes, event);
        break;
    case KERNEL_EVENT_EXEC:
        take_exec(processes, event);
        break;
    case KERNEL_EVENT_MAP:
        take_map(processes, event);
        break;
    default:
        break;
    }
}

void kernel_processes_sweep(struct kernel_processes *processes, uint64_t now_ns,
                            bool (*is_alive)(int32_t pid, uint64_t start_ns))
{
    for (uint32_t place = 1; place <= processes->process_map.highest; place++) {
        struct kernel_process *process = &processes->process[place];
        if (processes->process_map.pid[place] != 0 && process->note.start_ns < now_ns &&
            !is_alive(process->note.pid, process->note.start_ns))
            finish(processes, process, now_ns, KERNEL_LACK_END | KERNEL_LACK_STATUS);
    }
}

void kernel_processes_drop(struct kernel_processes *processes, uint32_t job)
{
    for (uint32_t place = 1; place <= processes->process_map.highest; place++)
        if (processes->process_map.pid[place] != 0 && processes->process[place].job == job) {
            processes->over -= processes->process[place].over_round != 0;
            forget(processes, &processes->process[place]);
        }
}
