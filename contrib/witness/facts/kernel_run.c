/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/facts/kernel_run.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_segments.h"
#include "conf/base/uuid7.h"
#include "submit/evidence/watermark.h"
#include "submit/facts/coverage.h"
#include "submit/facts/file_facts.h"
#include "submit/facts/program_name.h"
#include "submit/facts/sampling_read.h"

#define TICK_NS UINT64_C(10000000)

/* The kernel reports a fork after the start that the journal has, which is cut to a whole tick. */
enum { TICKS_EARLY = 3, TICKS_LATE = 1, GENERATIONS_MAX = 256 };

const struct journal_task *kernel_run_task(const struct journal *journal,
                                           const struct kernel_note *note)
{
    const uint64_t ticks = note->start_ns / TICK_NS;
    const struct journal_task *task = NULL;
    for (uint64_t at = ticks < TICKS_EARLY ? 0 : ticks - TICKS_EARLY;
         task == NULL && at <= ticks + TICKS_LATE; at++)
        task = journal_find_task(journal, note->pid, at);
    return task;
}

static bool is_daemon(const struct journal *journal, int32_t pid)
{
    for (size_t i = 0; i < journal->step_count; i++)
        if (journal->steps[i].pid == pid)
            return true;
    return false;
}

static struct capture_bytes bytes_of(const char *text)
{
    return (struct capture_bytes){.at = text, .size = strlen(text)};
}

static void add_ancestor(struct capture *capture, const struct kernel_noted *noted)
{
    if (capture->ancestor_count == CAPTURE_ANCESTORS_MAX || noted->program == NULL)
        return;
    const char *path = noted->program->name, *slash = strrchr(path, '/');
    capture->ancestors[capture->ancestor_count++] = (struct capture_ancestor){
        .pid = noted->note.pid,
        .name = bytes_of(slash == NULL ? path : slash + 1),
        .path = slash == NULL ? (struct capture_bytes){0} : bytes_of(path)};
}

/* As kernel_run_task_above() of `*at`. `*at` becomes the last one that is known. `capture` gets its
 * ancestors, or is NULL. */
static const struct journal_task *go_up(const struct journal *journal,
                                        const struct kernel_notes *notes,
                                        const struct kernel_noted **at, struct capture *capture)
{
    const struct journal_task *task = NULL;
    for (int i = 0; i < GENERATIONS_MAX; i++) {
        task = kernel_run_task(journal, &(*at)->note);
        const struct kernel_noted *parent =
            task != NULL ? NULL : kernel_notes_parent(notes, &(*at)->note);
        if (parent == NULL)
            break;
        if (capture != NULL)
            add_ancestor(capture, parent);
        *at = parent;
    }
    return task;
}

/* Its task. Returns false for what slurmstepd has started itself, apart from tasks. */
static bool find_task(const struct kernel_run_source *source, const struct kernel_noted *noted,
                      struct kernel_run *run)
{
    struct capture *capture = &run->capture;
    const struct kernel_noted *at = noted;
    const struct journal_task *task = go_up(source->journal, source->notes, &at, capture);
    run->is_task = at == noted ? task : NULL;
    if (task == NULL)
        return !is_daemon(source->journal, at->note.parent);
    capture->step = task->step;
    capture->task = capture->rank = task->task;
    capture->task_pid = task->pid;
    return true;
}

const struct journal_task *kernel_run_task_above(const struct journal *journal,
                                                 const struct kernel_notes *notes,
                                                 const struct kernel_noted *noted)
{
    return go_up(journal, notes, &noted, NULL);
}

/* Where the step is not known it may be any. */
static bool has_opted_out(const struct journal *journal, const struct journal_step *step)
{
    return step == NULL ? journal->has_opted_out : step->opted_out;
}

bool kernel_run_has_opted_out(const struct journal *journal, const struct kernel_notes *notes,
                              const struct kernel_noted *noted)
{
    if (!journal->has_opted_out)
        return false;
    const struct journal_task *task = kernel_run_task_above(journal, notes, noted);
    return has_opted_out(journal, task == NULL ? NULL : journal_find_step(journal, task->step));
}

bool kernel_run_find(const struct kernel_run_source *source, const struct kernel_noted *noted,
                     struct kernel_run *run)
{
    const struct kernel_note *note = &noted->note;
    const bool is_kernels =
        (note->lack & KERNEL_LACK_OBJECTS) == 0 && (note->lack & KERNEL_LACK_CAPTURE) != 0;
    struct capture *capture = &run->capture;
    if (note->execs == 0 || !is_kernels || noted->program == NULL || noted->program->name[0] != '/')
        return false;
    *capture = (struct capture){.pid = note->pid,
                                .ppid = note->parent,
                                .start_ticks = note->start_ns / TICK_NS,
                                .start_ns = noted->exec_real_ns,
                                .up_ns = note->exec_ns,
                                .size = 1,
                                .step = UINT32_MAX,
                                .task = UINT32_MAX,
                                .unlisted = CAPTURE_UNKNOWN};
    capture->exec = bytes_of(noted->program->name);
    capture->argv = capture->exec;
    capture->argv.size++; /* its NUL */
    if (!find_task(source, noted, run))
        return false;
    const struct journal_step *step = journal_find_step(source->journal, capture->step);
    if (step != NULL && step->tasks > 0)
        capture->size = step->tasks;
    if (run->is_task != NULL)
        capture->start_ticks = run->is_task->ticks;
    capture->table = sampling_table(source->policy, capture->size);
    return !has_opted_out(source->journal, step) && !source->is_host_skipped &&
           !coverage_leaves_out(source->policy, step, noted->program->name);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static struct capture_bytes build_id_of(const struct kernel_program *file, unsigned char *id)
{
    size_t size = 0;
    while (size < KERNEL_BUILD_ID_BYTES &&
           sscanf(file->build_id + 2 * size, "%2hhx", id + size) == 1)
        size++;
    return (struct capture_bytes){.at = size == 0 ? NULL : (const char *)id, .size = size};
}

/* A file system may have other numbers of devices than those that stat(2) shows: then it is not
 * known. */
static bool is_file(const char *path, const struct kernel_note *note)
{
    struct stat status;
    return note->inode != 0 && stat(path, &status) == 0 && status.st_ino == note->inode &&
           status.st_dev == note->device;
}

bool kernel_run_is_program(const struct capture *capture, const struct kernel_note *note)
{
    char path[4096];
    const struct capture_bytes *exec = &capture->exec;
    if (exec->at == NULL || exec->cut || exec->size >= sizeof path)
        return false;
    memcpy(path, exec->at, exec->size);
    path[exec->size] = '\0';
    return is_file(path, note);
}

static void take_version(void *context, const char *key, const char *value)
{
    static const char ours[] = "jobtrail-";
    bool *is_ours = context;
    *is_ours |= strcmp(key, "XALT_Version") == 0 && strncmp(value, ours, sizeof ours - 1) == 0;
}

/* Whether jobtrail-ld has linked the file. */
static bool has_mark(const char *path)
{
    struct stat status;
    size_t size = 0;
    bool is_ours = false;
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    CLEANUP_FREE void *note = elf_note_find(fd, WATERMARK_OWNER, WATERMARK_TYPE, &size);
    if (note != NULL)
        watermark_read(note, size, take_version, &is_ours);
    return is_ours;
}

void kernel_run_name(const struct journal *journal, const struct kernel_note *note,
                     struct capture *capture)
{
    char what[512];
    const struct job_identity *identity = &journal->identity;
    int length = snprintf(what, sizeof what, "kernel %s %s %u.%u %d %llu %llu", identity->cluster,
                          identity->node, identity->job, identity->restart, (int)note->pid,
                          (unsigned long long)note->start_ns, (unsigned long long)note->exec_ns);
    size_t size = length < (int)sizeof what ? (size_t)length : sizeof what - 1;
    uuid7_of(capture->start_ns, what, size, capture->uuid);
    /* bytes of a hash are as good as random ones */
    memcpy(&capture->random, capture->uuid + 8, sizeof capture->random);
}

static struct capture_object object_of(const struct kernel_notes *notes,
                                       const struct kernel_noted *noted, size_t number,
                                       struct kernel_run *run)
{
    const struct kernel_program *file =
        &notes->programs[notes->object[noted->objects->first + number]];
    return (struct capture_object){.path = bytes_of(file->name),
                                   .build_id = build_id_of(file, run->id[number])};
}

/* How many objects have room in a run. Users name files, and many processes can have the same. */
static size_t object_count(const struct kernel_notes *notes, const struct kernel_noted *noted)
{
    size_t count = 0, bytes = 0;
    while (noted->objects != NULL && count < noted->objects->count && count < KERNEL_RUN_OBJECTS) {
        bytes += strlen(notes->programs[notes->object[noted->objects->first + count]].name);
        if (bytes > KERNEL_RUN_PATHS)
            break;
        count++;
    }
    return count;
}

static bool has_more(const struct kernel_noted *noted, size_t count)
{
    return noted->objects != NULL && count < noted->objects->count;
}

/* The kind of the container that a program made which its process ran before, or one above it;
 * NULL: none. */
static const char *container_of(const struct kernel_notes *notes, const struct kernel_noted *noted)
{
    const struct kernel_noted *process = noted;
    uint64_t at_ns = noted->note.exec_ns - 1;
    for (int i = 0; process != NULL && i < GENERATIONS_MAX; i++) {
        const struct kernel_noted *ran = process->note.exec_ns <= at_ns
                                             ? process
                                             : kernel_notes_replaced(notes, &process->note, at_ns);
        const char *path = ran == NULL || ran->program == NULL ? "" : ran->program->name;
        const char *kind = program_container(path, strlen(path));
        if (kind != NULL)
            return kind;
        const bool is_first = ran == NULL || ran->note.exec_ns == 0;
        at_ns = is_first ? process->note.start_ns : ran->note.exec_ns - 1;
        process = is_first ? kernel_notes_parent(notes, &process->note) : process;
    }
    return NULL;
}

int kernel_run_make(const struct kernel_run_source *source, const struct kernel_noted *noted,
                    struct kernel_run *run)
{
    struct capture *capture = &run->capture;
    capture->objects = run->object;
    capture->object_count = object_count(source->notes, noted);
    capture->cut = has_more(noted, capture->object_count);
    for (size_t i = 0; i < capture->object_count; i++)
        run->object[i] = object_of(source->notes, noted, i, run);
    capture->build_id = build_id_of(noted->program, run->id[KERNEL_RUN_OBJECTS]);
    run->is_elsewhere = !is_file(noted->program->name, &noted->note);
    const char *container = run->is_elsewhere ? container_of(source->notes, noted) : NULL;
    if (container != NULL)
        capture->container = bytes_of(container);
    run->is_marked = !run->is_elsewhere && has_mark(noted->program->name);
    kernel_run_name(source->journal, &noted->note, capture);
    return 0;
}

static bool is_same_bytes(struct capture_bytes a, struct capture_bytes b)
{
    return a.at != NULL && b.at != NULL && a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

/* The process has the path by which it asked, the kernel the one where that leads. */
static bool is_same(const struct capture_object *told, const struct capture_object *seen,
                    const char *real)
{
    return is_same_bytes(told->build_id, seen->build_id) || is_same_bytes(told->path, seen->path) ||
           is_same_bytes(bytes_of(real), seen->path);
}

static const char *real_path(struct capture_bytes path)
{
    char text[4096];
    snprintf(text, sizeof text, "%.*s", (int)path.size, path.at);
    const struct file_facts *facts = file_facts(text);
    return facts == NULL ? "" : facts->real;
}

void kernel_run_add_objects(const struct kernel_notes *notes, const struct kernel_noted *noted,
                            struct kernel_run *run, struct capture *capture)
{
    bool is_told[KERNEL_RUN_OBJECTS] = {false};
    const size_t seen = object_count(notes, noted);
    struct capture_object object;
    for (size_t i = 0; seen > 0 && i < capture->object_count; i++) {
        const struct capture_object *told = &capture->objects[i];
        const char *real = told->path.at == NULL ? "" : real_path(told->path);
        for (size_t j = 0; j < seen; j++) {
            object = object_of(notes, noted, j, run);
            is_told[j] = is_told[j] || is_same(told, &object, real);
        }
    }
    size_t count = capture->object_count;
    capture->cut |= has_more(noted, seen);
    if (count + seen > KERNEL_RUN_OBJECTS)
        return;
    memcpy(run->object, capture->objects, count * sizeof *run->object);
    for (size_t j = 0; j < seen; j++)
        if (!is_told[j])
            run->object[count++] = object_of(notes, noted, j, run);
    capture->objects = run->object;
    capture->object_count = count;
}
