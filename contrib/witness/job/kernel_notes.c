/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/job/kernel_notes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "submit/job/spool_read.h"

#define TICK_NS UINT64_C(10000000)

/* The kernel reports a fork after the start that /proc shows; that is cut to a whole tick. */
enum { TICKS_EARLY = 1, TICKS_LATE = 3 };

enum { BUILD_ID_BYTES = 20 };

/* A program maps jobtrail's library so soon, also from a file system of a network; the kernel maps
 * the loader in the call that executes the program. */
#define LIBRARY_NS UINT64_C(10000000000)
#define LOADER_NS  UINT64_C(1000000000)

/* ---- Writing --------------------------------------------------------------------------------- */

size_t kernel_note_print(const char *verb, const struct kernel_note *note, char *line, size_t room)
{
    char faults[24] = "";
    if (note->major_faults > 0)
        snprintf(faults, sizeof faults, " %" PRIu64, note->major_faults);
    int length =
        snprintf(line, room,
                 "%s %" PRId32 " %" PRId32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                 " %" PRIu32 " %" PRIu32 " %d %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64
                 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 "%s\n",
                 verb, note->pid, note->parent, note->start_ns, note->parent_start_ns, note->end_ns,
                 note->exec_ns, note->execs, note->program, note->status, note->lack, note->uid,
                 note->run_ns, note->system_ns, note->peak_kib, note->read_bytes, note->write_bytes,
                 note->device, note->inode, note->objects, faults);
    return length < 0 || (size_t)length >= room ? 0 : (size_t)length;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Events were lost between these times since boot. */
struct loss {
    uint64_t from_ns, to_ns;
};

/* What the lines so far say about those that follow. */
struct notes_reading {
    struct kernel_notes notes;
    size_t room, replaced_room, program_room, set_room, object_room, gap_room;
    size_t first_program, first_set; /* of this listener */
    bool is_unfit;     /* a number of this listener does not follow: they may be another one's */
    struct loss *loss; /* owned: apart from each other, by time */
    size_t loss_count, loss_room;
    uint64_t boot_ns, real_ns;
};

/* A line is missing between this one and the one before, which may be the listener's. */
static int refuse_number(struct notes_reading *reading)
{
    reading->is_unfit = true;
    return -EINVAL;
}

/* Programs move as their array grows: they are numbers until all are read. */
static int take_program(struct notes_reading *reading, char *line, char *end)
{
    uint32_t number;
    int at = 0;
    struct kernel_notes *notes = &reading->notes;
    if (sscanf(line, "program %" SCNu32 " %n", &number, &at) != 1 || at == 0)
        return -EINVAL;
    if (number != notes->program_count - reading->first_program + 1)
        return refuse_number(reading);
    char *build_id = line + at, *blank = strchr(build_id, ' ');
    if (blank == NULL || (size_t)(blank - build_id) > 2 * (size_t)BUILD_ID_BYTES)
        return -EINVAL;
    *blank = '\0';
    for (char *byte = blank + 1; byte < end; byte++)
        if (*byte == '\0')
            *byte = '\n';
    int error = GROW_TO(notes->programs, reading->program_room, notes->program_count + 1);
    if (error == 0)
        notes->programs[notes->program_count++] =
            (struct kernel_program){strcmp(build_id, "-") == 0 ? "" : build_id, blank + 1};
    return error;
}

/* What is no file of this listener's ends the set. */
static int take_objects(struct notes_reading *reading, const char *line)
{
    uint32_t number;
    int at = 0;
    struct kernel_notes *notes = &reading->notes;
    if (sscanf(line, "objects %" SCNu32 "%n", &number, &at) != 1)
        return -EINVAL;
    if (reading->is_unfit || number != notes->set_count - reading->first_set + 1)
        return refuse_number(reading);
    if (GROW_TO(notes->sets, reading->set_room, notes->set_count + 1) != 0)
        return -ENOMEM;
    struct kernel_objects set = {.first = notes->object_count};
    char *end;
    for (const char *text = line + at; *text == ' '; text = end) {
        size_t file = reading->first_program + strtoul(text, &end, 10);
        if (end == text || file <= reading->first_program || file > notes->program_count)
            break;
        if (GROW_TO(notes->object, reading->object_room, notes->object_count + 1) != 0)
            return -ENOMEM;
        notes->object[notes->object_count++] = (uint32_t)(file - 1);
        set.count++;
    }
    notes->sets[notes->set_count++] = set;
    return 0;
}

/* What stands behind the other numbers, or nothing does. */
static bool parse_faults(const char *text, uint64_t *faults)
{
    char end = 'x';
    *faults = 0;
    return *text == '\0' || sscanf(text, " %" SCNu64 "%c", faults, &end) == 1;
}

static bool parse_note(const char *numbers, struct kernel_note *note)
{
    int at = 0;
    return sscanf(numbers,
                  "%" SCNd32 " %" SCNd32 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu32
                  " %" SCNu32 " %d %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64
                  " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu32 "%n",
                  &note->pid, &note->parent, &note->start_ns, &note->parent_start_ns, &note->end_ns,
                  &note->exec_ns, &note->execs, &note->program, &note->status, &note->lack,
                  &note->uid, &note->run_ns, &note->system_ns, &note->peak_kib, &note->read_bytes,
                  &note->write_bytes, &note->device, &note->inode, &note->objects, &at) == 19 &&
           parse_faults(numbers + at, &note->major_faults) && note->pid > 0 &&
           note->start_ns <= note->end_ns;
}

static int take_note(struct notes_reading *reading, const char *numbers, struct kernel_noted *noted)
{
    const struct kernel_notes *notes = &reading->notes;
    struct kernel_note note;
    if (!parse_note(numbers, &note))
        return -EINVAL;
    if (reading->is_unfit) {
        note.program = note.objects = 0;
        note.lack |= KERNEL_LACK_OBJECTS;
    }
    size_t program = reading->first_program + note.program;
    if (note.program == 0 || program > notes->program_count)
        program = 0;
    note.program = (uint32_t)program;
    size_t set = reading->first_set + note.objects;
    note.objects = note.objects == 0 || set > notes->set_count ? 0 : (uint32_t)set;
    const uint64_t offset_ns = reading->real_ns - reading->boot_ns;
    *noted =
        (struct kernel_noted){.note = note,
                              .end_real_ns = note.end_ns + offset_ns,
                              .exec_real_ns = note.exec_ns == 0 ? 0 : note.exec_ns + offset_ns};
    return 0;
}

static int take_end(struct notes_reading *reading, const char *numbers)
{
    struct kernel_notes *notes = &reading->notes;
    int error = GROW_TO(notes->noted, reading->room, notes->count + 1);
    if (error == 0)
        error = take_note(reading, numbers, &notes->noted[notes->count]);
    notes->left += error == -EINVAL; /* a process that is not here */
    notes->count += error == 0;
    return error;
}

static int take_replaced(struct notes_reading *reading, const char *numbers)
{
    struct kernel_notes *notes = &reading->notes;
    int error = GROW_TO(notes->replaced, reading->replaced_room, notes->replaced_count + 1);
    if (error == 0)
        error = take_note(reading, numbers, &notes->replaced[notes->replaced_count]);
    notes->replaced_count += error == 0;
    return error;
}

/* Those that it meets become one with it. */
static int take_loss(struct notes_reading *reading, struct loss loss, uint64_t count)
{
    if (loss.from_ns > loss.to_ns)
        return -EINVAL;
    for (; reading->loss_count > 0; reading->loss_count--) {
        const struct loss *before = &reading->loss[reading->loss_count - 1];
        if (before->to_ns < loss.from_ns)
            break;
        loss.from_ns = before->from_ns < loss.from_ns ? before->from_ns : loss.from_ns;
        loss.to_ns = before->to_ns > loss.to_ns ? before->to_ns : loss.to_ns;
    }
    reading->notes.lost += count;
    int error = GROW_TO(reading->loss, reading->loss_room, reading->loss_count + 1);
    if (error == 0)
        reading->loss[reading->loss_count++] = loss;
    return error;
}

/* What was lost as a program began may have been the mapping of jobtrail's library, or of the
 * loader; and where no exec was seen, at any time, that. */
static bool has_loss(const struct notes_reading *reading, const struct kernel_note *note)
{
    const bool is_static = (note->lack & KERNEL_LACK_LOADER) != 0;
    const uint64_t begin_ns = note->execs == 0 ? note->start_ns : note->exec_ns;
    const uint64_t most_ns = note->execs == 0 ? UINT64_MAX : is_static ? LOADER_NS : LIBRARY_NS;
    size_t low = 0, high = reading->loss_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = reading->loss[middle].to_ns < begin_ns;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    if (low == reading->loss_count)
        return false;
    const uint64_t from_ns = reading->loss[low].from_ns;
    return from_ns <= note->end_ns && (from_ns <= begin_ns || from_ns - begin_ns <= most_ns);
}

static int take_gap(struct notes_reading *reading, uint64_t from_ns, uint64_t to_ns)
{
    struct kernel_notes *notes = &reading->notes;
    const uint64_t offset_ns = reading->real_ns - reading->boot_ns;
    if (from_ns > to_ns)
        return -EINVAL;
    int error = GROW_TO(notes->gaps, reading->gap_room, notes->gap_count + 1);
    if (error == 0)
        notes->gaps[notes->gap_count++] =
            (struct kernel_gap){from_ns == 0 ? 0 : from_ns + offset_ns, to_ns + offset_ns};
    return error;
}

static int take_listen(struct notes_reading *reading, const char *line)
{
    struct kernel_notes *notes = &reading->notes;
    int has_maps, has_ends;
    if (sscanf(line, "listen %" SCNu64 " %" SCNu64 " %d %d", &reading->boot_ns, &reading->real_ns,
               &has_maps, &has_ends) != 4)
        return -EINVAL;
    bool is_first = notes->listeners++ == 0;
    if (is_first)
        notes->since_ns = reading->real_ns;
    notes->has_maps = (is_first || notes->has_maps) && has_maps != 0;
    notes->has_ends = (is_first || notes->has_ends) && has_ends != 0;
    reading->first_program = notes->program_count;
    reading->first_set = notes->set_count;
    reading->is_unfit = false;
    return 0;
}

static int take_line(struct notes_reading *reading, char *line, char *end)
{
    if (strncmp(line, "end ", 4) == 0)
        return take_end(reading, line + 4);
    if (strncmp(line, "replaced ", 9) == 0)
        return take_replaced(reading, line + 9);
    if (strncmp(line, "program ", 8) == 0)
        return take_program(reading, line, end);
    if (strncmp(line, "objects ", 8) == 0)
        return take_objects(reading, line);
    if (strncmp(line, "listen ", 7) == 0)
        return take_listen(reading, line);
    /* Lines of one to three numbers. */
    uint64_t a, b, count;
    if (sscanf(line, "clock %" SCNu64 " %" SCNu64, &a, &b) == 2) {
        reading->boot_ns = a;
        reading->real_ns = b;
        return 0;
    }
    if (sscanf(line, "unheard %" SCNu64 " %" SCNu64, &a, &b) == 2)
        return take_gap(reading, a, b);
    if (sscanf(line, "lost %" SCNu64 " %" SCNu64 " %" SCNu64, &a, &b, &count) == 3)
        return take_loss(reading, (struct loss){a, b}, count);
    if (sscanf(line, "overrun %" SCNu64 " %" SCNu64, &a, &b) == 2)
        reading->notes.overruns += b;
    else if (sscanf(line, "left %" SCNu64, &a) == 1)
        reading->notes.left += a;
    else
        return -EINVAL;
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct kernel_note *a = &((const struct kernel_noted *)left)->note,
                             *b = &((const struct kernel_noted *)right)->note;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->exec_ns < b->exec_ns ? -1 : a->exec_ns > b->exec_ns;
}

static int take_lines(struct notes_reading *reading, char *text, size_t size)
{
    for (char *line = text, *end; line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (end == NULL) { /* a full file system has cut it */
            reading->notes.bad_lines++;
            break;
        }
        *end = '\0';
        int error = take_line(reading, line, end);
        reading->notes.bad_lines += error == -EINVAL;
        if (error != 0 && error != -EINVAL)
            return error;
    }
    return 0;
}

/* What the numbers of programs and sets lead to, when all of these are read. */
static void resolve(const struct notes_reading *reading, struct kernel_noted *noted, size_t count)
{
    const struct kernel_notes *notes = &reading->notes;
    for (size_t i = 0; i < count; i++) {
        const uint32_t program = noted[i].note.program, set = noted[i].note.objects;
        if (has_loss(reading, &noted[i].note))
            noted[i].note.lack |= KERNEL_LACK_OBJECTS;
        noted[i].program = program == 0 ? NULL : &notes->programs[program - 1];
        noted[i].objects = set == 0 ? NULL : &notes->sets[set - 1];
    }
}

/* How many processes have a smaller pid, or the same one and started before `before_ns`. */
static size_t count_before(const struct kernel_notes *notes, int32_t pid, uint64_t before_ns)
{
    size_t low = 0, high = notes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct kernel_note *note = &notes->noted[middle].note;
        bool is_before = note->pid != pid ? note->pid < pid : note->start_ns < before_ns;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

const struct kernel_noted *kernel_notes_parent(const struct kernel_notes *notes,
                                               const struct kernel_note *note)
{
    size_t at = count_before(notes, note->parent, note->parent_start_ns);
    const struct kernel_noted *found = at == notes->count ? NULL : &notes->noted[at];
    bool is_it = found != NULL && found->note.pid == note->parent &&
                 found->note.start_ns == note->parent_start_ns;
    return is_it ? found : NULL;
}

/* ---- What children used that a program has forked and that executed nothing: no run is theirs, as
 * of workers of Python's multiprocessing (struct kernel_forked) ------------------------------- */

/* Of a process: whose program forked it, by its place plus FIRST. */
enum { UNASKED, OF_NONE, FIRST };

/* What is older than the listener may have executed a program before. */
static bool executed_nothing(const struct kernel_note *note)
{
    return note->execs == 0 && (note->lack & KERNEL_LACK_START) == 0;
}

/* The place above `*at`, which executed nothing; or what `found` has of it. 0: go on from `*at`. */
static size_t step_up(const struct kernel_notes *notes, const size_t *found, size_t *at)
{
    const struct kernel_note *note = &notes->noted[*at].note;
    const struct kernel_noted *parent = kernel_notes_parent(notes, note);
    if (parent == NULL || parent->note.start_ns > note->start_ns)
        return OF_NONE;
    const size_t above = (size_t)(parent - notes->noted);
    if (executed_nothing(&parent->note)) {
        *at = above;
        return found[above];
    }
    const bool is_last = parent->note.execs > 0 && note->start_ns >= parent->note.exec_ns;
    return is_last ? above + FIRST : OF_NONE;
}

/* All on the way up have the same answer, so that each is asked once. */
static void find_owner(const struct kernel_notes *notes, size_t *found, size_t of)
{
    size_t at = of, owner = found[of];
    for (size_t i = 0; owner == UNASKED && i < notes->count; i++)
        owner = step_up(notes, found, &at);
    owner = owner == UNASKED ? OF_NONE : owner;
    for (at = of; found[at] == UNASKED;) {
        found[at] = owner;
        step_up(notes, found, &at);
    }
}

static void add_forked(struct kernel_forked *forked, const struct kernel_note *note)
{
    forked->count++;
    forked->signaled += (note->lack & KERNEL_LACK_STATUS) == 0 && WIFSIGNALED(note->status);
    forked->run_ns += note->run_ns;
    forked->read_bytes += note->read_bytes;
    forked->write_bytes += note->write_bytes;
    if (note->peak_kib > forked->peak_kib)
        forked->peak_kib = note->peak_kib;
    forked->is_least |= (note->lack & KERNEL_LACK_USED) != 0;
}

/* Adds each such process to the nearest one above it that executed a program, if that was its last
 * one by then: what an earlier program of the process had forked is reported of none. The notes are
 * in order. Returns 0 or -ENOMEM. */
static int add_all_forked(struct kernel_notes *notes)
{
    const bool has_gaps =
        notes->lost > 0 || notes->left > 0 || notes->overruns > 0 || notes->bad_lines > 0;
    CLEANUP_FREE void *memory = calloc(notes->count + 1, sizeof(size_t));
    size_t *found = memory;
    if (found == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < notes->count; i++) {
        notes->noted[i].forked.is_least |= has_gaps;
        if (!executed_nothing(&notes->noted[i].note))
            continue;
        find_owner(notes, found, i);
        if (found[i] >= FIRST)
            add_forked(&notes->noted[found[i] - FIRST].forked, &notes->noted[i].note);
    }
    return 0;
}

int kernel_notes_parse(char *text, size_t size, struct kernel_notes *notes)
{
    struct notes_reading reading = {.notes = {.text = text}};
    int error = take_lines(&reading, text, size);
    struct kernel_notes *found = &reading.notes;
    CLEANUP_FREE void *losses = reading.loss;
    resolve(&reading, found->noted, found->count);
    resolve(&reading, found->replaced, found->replaced_count);
    if (error == 0 && found->count > 0)
        qsort(found->noted, found->count, sizeof *found->noted, compare);
    if (error == 0 && found->replaced_count > 0)
        qsort(found->replaced, found->replaced_count, sizeof *found->replaced, compare);
    if (error == 0)
        error = add_all_forked(found);
    if (error == 0)
        *notes = *found;
    else
        kernel_notes_free(found);
    return error;
}

int kernel_notes_read(int directory, struct kernel_notes *notes)
{
    char *text = NULL;
    size_t size = 0;
    int error = spool_read_file(directory, KERNEL_NOTES_NAME, KERNEL_NOTES_BYTES, &text, &size);
    if (error == 0)
        return kernel_notes_parse(text, size, notes);
    *notes = (struct kernel_notes){0};
    return error == -ENOENT ? 0 : error;
}

void kernel_notes_free(struct kernel_notes *notes)
{
    free(notes->text);
    free(notes->noted);
    free(notes->replaced);
    free(notes->programs);
    free(notes->gaps);
    free(notes->sets);
    free(notes->object);
    *notes = (struct kernel_notes){0};
}

const struct kernel_noted *kernel_notes_find(const struct kernel_notes *notes, int32_t pid,
                                             uint64_t ticks, bool is_first)
{
    if (ticks > UINT64_MAX / TICK_NS - TICKS_LATE)
        return NULL;
    size_t end = count_before(notes, pid, (ticks + TICKS_LATE) * TICK_NS);
    const struct kernel_noted *found = end == 0 ? NULL : &notes->noted[end - 1];
    if (found == NULL || found->note.pid != pid)
        return NULL;
    const struct kernel_note *note = &found->note;
    uint64_t start_ticks = note->start_ns / TICK_NS;
    bool is_it = is_first ? note->end_ns / TICK_NS + TICKS_LATE >= ticks
                          : start_ticks + TICKS_EARLY >= ticks;
    return is_it ? found : NULL;
}

const struct kernel_noted *kernel_notes_replaced(const struct kernel_notes *notes,
                                                 const struct kernel_note *process, uint64_t at_ns)
{
    struct kernel_noted key = {.note = *process};
    key.note.exec_ns = at_ns;
    size_t low = 0, high = notes->replaced_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = compare(&notes->replaced[middle], &key) <= 0;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    const struct kernel_noted *found = low == 0 ? NULL : &notes->replaced[low - 1];
    bool is_it = found != NULL && found->note.pid == process->pid &&
                 found->note.start_ns == process->start_ns && found->note.end_ns > at_ns;
    return is_it ? found : NULL;
}
