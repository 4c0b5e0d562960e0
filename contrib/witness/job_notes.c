/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/job_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/text.h"

/* What is gathered at the most until it must be appended. */
enum { TEXT_BYTES = 64 << 10 };

static int open_file(int directory, int flags)
{
    int fd = openat(directory, KERNEL_NOTES_NAME,
                    O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0600);
    return fd < 0 ? -errno : fd;
}

/* Adds a line, or counts it as no room where `limit` does not have any. */
static bool add_line(struct job_notes *notes, const char *line, size_t length, uint64_t limit)
{
    if (length == 0 || notes->size + length > limit)
        return false;
    if (notes->length + length > TEXT_BYTES && job_notes_write(notes) != 0)
        return false;
    memcpy(notes->text + notes->length, line, length);
    notes->length += length;
    notes->size += length;
    return true;
}

/* The first line, of a fixed length. */
static int write_left(int fd, uint64_t left)
{
    char line[KERNEL_LEFT_SIZE + 1];
    snprintf(line, sizeof line, KERNEL_LEFT_LINE, left);
    ssize_t written = pwrite(fd, line, KERNEL_LEFT_SIZE, 0);
    return written == KERNEL_LEFT_SIZE ? 0 : written < 0 ? -errno : -ENOSPC;
}

/* What an earlier listener has left. One that is damaged in front is none of ours. */
static int read_left(int fd, uint64_t *left)
{
    char line[KERNEL_LEFT_SIZE + 1] = "";
    ssize_t got = io_read_at(fd, line, KERNEL_LEFT_SIZE, 0);
    if (got < 0)
        return (int)got;
    if (got == 0)
        return write_left(fd, 0);
    return sscanf(line, "left %" SCNu64, left) == 1 ? 0 : -EINVAL;
}

void job_notes_numbers(struct job_notes *notes, const char *verb, uint64_t first, uint64_t second)
{
    char line[64];
    int length = snprintf(line, sizeof line, "%s %" PRIu64 " %" PRIu64 "\n", verb, first, second);
    add_line(notes, line, (size_t)length, KERNEL_NOTES_BYTES);
}

/* A line that a listener before could not finish, as on a full disk, would swallow the next one, or
 * be read as another. */
static int end_line(int fd, struct job_notes *notes)
{
    static const char cut[] = " cut\n";
    char last;
    ssize_t got = io_read_at(fd, &last, 1, (off_t)notes->size - 1);
    if (got == 1 && last != '\n')
        add_line(notes, cut, sizeof cut - 1, KERNEL_NOTES_BYTES);
    return got < 0 ? (int)got : 0;
}

int job_notes_begin(int directory, const struct kernel_listen *listen, struct job_notes *notes)
{
    struct stat status;
    char line[128];
    uint64_t left = 0;
    CLEANUP_CLOSE int fd = open_file(directory, O_CREAT);
    if (fd < 0)
        return fd;
    int error = read_left(fd, &left);
    if (error != 0 || fstat(fd, &status) != 0)
        return error != 0 ? error : -errno;
    if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || status.st_nlink != 1)
        return -EPERM;
    *notes = (struct job_notes){
        .directory = directory, .size = (uint64_t)status.st_size, .left = left, .told = left};
    notes->text = malloc(TEXT_BYTES);
    if (notes->text == NULL)
        return -ENOMEM;
    error = end_line(fd, notes);
    if (error != 0) {
        job_notes_free(notes);
        return error;
    }
    int length = snprintf(line, sizeof line, "listen %" PRIu64 " %" PRIu64 " %d %d\n",
                          listen->boot_ns, listen->real_ns, listen->has_maps, listen->has_ends);
    add_line(notes, line, (size_t)length, KERNEL_NOTES_BYTES);
    if ((uint64_t)status.st_size > KERNEL_LEFT_SIZE)
        job_notes_numbers(notes, "unheard", listen->before_ns, listen->boot_ns);
    return 0;
}

void job_notes_free(struct job_notes *notes)
{
    free(notes->text);
    id_cache_free(&notes->programs);
    id_cache_free(&notes->sets);
    *notes = (struct job_notes){.directory = -1};
}

/* ---- Programs -------------------------------------------------------------------------------- */

/* Print the line of a file, or of a set of files, into KERNEL_LINE_MAX bytes. Return its length,
 * without what is too long of a name; 0: it has no room. */
static size_t print_program(uint32_t number, const struct kernel_event *event, char *line)
{
    char hex[2 * KERNEL_BUILD_ID_MAX + 1] = "-";
    if (event->build_id_size > 0)
        text_hex(event->build_id, event->build_id_size, hex);
    size_t length = (size_t)snprintf(line, KERNEL_LINE_MAX, "program %" PRIu32 " %s ", number, hex);
    for (size_t i = 0; i < event->name_size && length + 1 < KERNEL_LINE_MAX; i++)
        line[length++] = event->name[i] == '\n' ? '\0' : event->name[i];
    line[length++] = '\n';
    return length;
}

static size_t print_objects(uint32_t number, const uint32_t *file, size_t count, char *line)
{
    const size_t room = KERNEL_LINE_MAX;
    size_t length = (size_t)snprintf(line, room, "objects %" PRIu32, number);
    for (size_t i = 0; i < count && length < room; i++)
        length += (size_t)snprintf(line + length, room - length, " %" PRIu32, file[i]);
    if (length + 1 >= room)
        return 0;
    line[length++] = '\n';
    return length;
}

uint32_t job_notes_program(struct job_notes *notes, const struct kernel_event *event)
{
    char line[KERNEL_LINE_MAX];
    struct digest digest;
    const void *const pieces[] = {event->build_id, event->name};
    const size_t sizes[] = {event->build_id_size, event->name_size};
    hash_pieces(pieces, sizes, 2, &digest);
    uint32_t known = (uint32_t)id_cache_find(&notes->programs, &digest);
    if (known != 0 || notes->programs.used == JOB_PROGRAMS_MAX)
        return known;
    uint32_t number = (uint32_t)notes->programs.used + 1;
    size_t length = print_program(number, event, line);
    if (!add_line(notes, line, length, KERNEL_NOTES_BYTES - KERNEL_NOTES_RESERVE))
        return 0;
    id_cache_add(&notes->programs, &digest, number);
    return number;
}

uint32_t job_notes_objects(struct job_notes *notes, const uint32_t *file, size_t count)
{
    char line[KERNEL_LINE_MAX];
    struct digest digest;
    hash_bytes(file, count * sizeof *file, &digest);
    uint32_t known = (uint32_t)id_cache_find(&notes->sets, &digest);
    if (known != 0 || notes->sets.used == JOB_SETS_MAX)
        return known;
    uint32_t number = (uint32_t)notes->sets.used + 1;
    size_t length = print_objects(number, file, count, line);
    if (!add_line(notes, line, length, KERNEL_NOTES_BYTES - KERNEL_NOTES_RESERVE))
        return 0;
    id_cache_add(&notes->sets, &digest, number);
    return number;
}

/* ---- Other lines ----------------------------------------------------------------------------- */

bool job_notes_end(struct job_notes *notes, const struct kernel_note *note)
{
    char line[KERNEL_LINE_MAX];
    size_t length = kernel_note_print("end", note, line, sizeof line);
    bool has_room = add_line(notes, line, length, KERNEL_NOTES_BYTES - KERNEL_NOTES_RESERVE);
    notes->left += !has_room;
    notes->waiting += has_room;
    return has_room;
}

void job_notes_replaced(struct job_notes *notes, const struct kernel_note *note)
{
    char line[KERNEL_LINE_MAX];
    size_t length = kernel_note_print("replaced", note, line, sizeof line);
    add_line(notes, line, length, KERNEL_NOTES_BYTES - KERNEL_NOTES_RESERVE);
}

void job_notes_left(struct job_notes *notes)
{
    notes->left++;
}

void job_notes_lost(struct job_notes *notes, uint64_t from_ns, uint64_t to_ns, uint64_t count)
{
    char line[96];
    int length = snprintf(line, sizeof line, "lost %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", from_ns,
                          to_ns, count);
    add_line(notes, line, (size_t)length, KERNEL_NOTES_BYTES);
}

/* What has been written of it in part, as to a full file system, is taken back. */
static int append(int fd, const struct job_notes *notes)
{
    const off_t before = (off_t)(notes->size - notes->length);
    if (lseek(fd, before, SEEK_SET) < 0)
        return -errno;
    int error = io_write_all(fd, notes->text, notes->length);
    if (error != 0 && ftruncate(fd, before) != 0)
        return -errno;
    return error;
}

int job_notes_write(struct job_notes *notes)
{
    if (notes->length == 0 && notes->left == notes->told)
        return 0;
    CLEANUP_CLOSE int fd = open_file(notes->directory, 0);
    int error = fd < 0 ? fd : append(fd, notes);
    if (fd >= 0) { /* the first line is there, also where the file system is full */
        int told = write_left(fd, notes->left + (error == 0 ? 0 : notes->waiting));
        error = error != 0 ? error : told;
    }
    if (error != 0 && error != -ENOENT) /* a flush has removed it, and removes the directory */
        return error;
    notes->length = notes->waiting = 0;
    notes->told = notes->left;
    return 0;
}
