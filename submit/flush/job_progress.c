/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/job_progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "submit/job/spool_read.h"

#define BEGUN ".begun"

enum { TEXT_MAX = 512, PATH_SIZE = 96 };

/* The next number of the text, 0 at its end. */
static uint64_t next_number(char **at)
{
    char *end;
    uint64_t number = strtoull(*at, &end, 10);
    *at = end;
    return number;
}

static double next_sum(char **at)
{
    char *end;
    double sum = strtod(*at, &end);
    *at = end;
    return sum;
}

static void parse_notes(struct job_progress *progress, char *at)
{
    progress->place.unit = next_number(&at);
    progress->place.records = next_number(&at);
    progress->used_ns = next_number(&at) * 1000000u;
    progress->all_failures = next_number(&at);
    progress->failed = next_number(&at);
    progress->failures = next_number(&at);
    for (uint64_t unit; (unit = next_number(&at)) != 0;) {
        if (progress->passed_over_count == JOB_PROGRESS_PASSED_OVER)
            progress->is_hopeless = true;
        else
            progress->passed_over[progress->passed_over_count++] = unit;
    }
    progress->told.runs = next_sum(&at);
    progress->told.run_days = next_sum(&at);
    progress->told.rows = next_sum(&at);
    progress->told.row_runs = next_sum(&at);
    progress->told.row_tasks = next_sum(&at);
}

/* The file of one number, with its block: a page that finds no room would end us with SIGBUS. */
static int open_begun(const struct job_progress *progress)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s" BEGUN, progress->name);
    int fd = openat(progress->directory, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int error = fd < 0 ? errno : posix_fallocate(fd, 0, sizeof *progress->begun);
    if (error == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -error;
}

/* Its room is taken before there is anything to note: a file system may be full by then. It is
 * empty until then. Where room cannot be taken beforehand, the first note does. */
static int open_notes(const struct job_progress *progress)
{
    int fd = progress->directory < 0 ? -1
                                     : openat(progress->directory, progress->name,
                                              O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return progress->directory < 0 ? -ENOENT : -errno;
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, TEXT_MAX) == 0 || errno == EOPNOTSUPP)
        return fd;
    int error = errno;
    close(fd);
    return -error;
}

int job_progress_open(int directory, const char *name, struct job_progress *progress)
{
    char *text;
    size_t size;
    *progress = (struct job_progress){.directory = directory};
    snprintf(progress->name, sizeof progress->name, "%s", name);
    if (directory >= 0 && spool_read_file(directory, name, TEXT_MAX, &text, &size) == 0) {
        parse_notes(progress, text);
        free(text);
    }
    progress->notes = open_notes(progress);
    /* Where there is no room for it, it is lost with this flush. */
    int fd = progress->directory < 0 ? -ENOENT : open_begun(progress);
    void *mapped = mmap(NULL, sizeof *progress->begun, PROT_READ | PROT_WRITE,
                        fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd < 0 ? -1 : fd, 0);
    int error = mapped == MAP_FAILED ? -errno : 0;
    if (fd >= 0)
        close(fd);
    if (error == 0)
        progress->begun = mapped;
    if (error != 0)
        job_progress_close(progress);
    if (error != 0 || *progress->begun == READING_UNIT_NONE)
        return error;
    job_progress_failed(progress);
    job_progress_note(progress); /* or the next flush would count it for the first time, too */
    return 0;
}

/* The child may have written anything there: then it is that which is passed over. */
void job_progress_failed(struct job_progress *progress)
{
    uint64_t unit = __atomic_exchange_n(progress->begun, READING_UNIT_NONE, __ATOMIC_RELAXED);
    progress->is_hopeless |= ++progress->all_failures >= JOB_PROGRESS_FAILURES;
    if (unit == READING_UNIT_NONE)
        return;
    progress->failures = unit == progress->failed ? progress->failures + 1 : 1;
    progress->failed = unit;
    if (progress->failures < JOB_PROGRESS_TRIES)
        return;
    progress->failures = 0;
    if (unit == READING_UNIT_WHOLE || progress->passed_over_count == JOB_PROGRESS_PASSED_OVER)
        progress->is_hopeless = true;
    else
        progress->passed_over[progress->passed_over_count++] = unit;
}

void job_progress_ended(struct job_progress *progress)
{
    __atomic_store_n(progress->begun, READING_UNIT_NONE, __ATOMIC_RELAXED);
}

/* In place and in one piece of always the same size: so there is room for it, and none of an older
 * one is left behind it. */
int job_progress_note(const struct job_progress *progress)
{
    const struct reading_place *place = &progress->place;
    const struct core_time_sums *told = &progress->told;
    char text[TEXT_MAX + 1];
    if (progress->directory < 0)
        return 0;
    if (progress->notes < 0)
        return progress->notes;
    int size = snprintf(text, sizeof text,
                        "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                        place->unit, place->records, progress->used_ns / 1000000u,
                        progress->all_failures, progress->failed, progress->failures);
    for (size_t i = 0; i < progress->passed_over_count; i++)
        size += snprintf(text + size, sizeof text - (size_t)size, " %" PRIu64,
                         progress->passed_over[i]);
    size += snprintf(text + size, sizeof text - (size_t)size, " 0 %.6f %.6f %.6f %.0f %.0f",
                     told->runs, told->run_days, told->rows, told->row_runs, told->row_tasks);
    snprintf(text + size, sizeof text - (size_t)size, "%*s", TEXT_MAX - size, "\n");
    ssize_t written = pwrite(progress->notes, text, TEXT_MAX, 0);
    if (written != TEXT_MAX)
        return written < 0 ? -errno : -EIO;
    return fsync(progress->notes) != 0 || fsync(progress->directory) != 0 ? -errno : 0;
}

int64_t job_progress_time(int spool, const char *job)
{
    struct stat status;
    char path[NAME_MAX + sizeof "/" JOB_PROGRESS_NAME];
    snprintf(path, sizeof path, "%s/" JOB_PROGRESS_NAME, job);
    if (fstatat(spool, path, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_size == 0)
        return 0;
    return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

void job_progress_remove(int directory, const char *name)
{
    char path[PATH_SIZE];
    unlinkat(directory, name, 0);
    snprintf(path, sizeof path, "%s" BEGUN, name);
    unlinkat(directory, path, 0);
}

void job_progress_close(struct job_progress *progress)
{
    if (progress->begun != NULL)
        munmap(progress->begun, sizeof *progress->begun);
    progress->begun = NULL;
    if (progress->notes >= 0)
        close(progress->notes);
    progress->notes = -EBADF;
}
