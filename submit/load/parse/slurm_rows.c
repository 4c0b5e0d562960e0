/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/slurm_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "conf/base/text.h"

/* In the order of SLURM_ROWS_FORMAT. */
enum slurm_cell {
    JOB_ID_RAW,
    JOB_ID,
    CLUSTER,
    USER,
    ACCOUNT,
    PARTITION,
    STATE,
    SUBMIT,
    START,
    END,
    ALLOC_CPUS,
    ALLOC_NODES,
    CPU_TIME_RAW,
    SUSPENDED,
    CELLS
};

#define MAX_NUMBER 9007199254740992LL /* exact as a double, too */

/* ---- Values --------------------------------------------------------------------------------- */

/* The number in decimal digits at `*at`, behind which `*at` stands then. */
static bool take_whole(const char **at, int64_t *number)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *number = strtoll(*at, &end, 10);
    *at = end;
    return errno == 0 && *number <= MAX_NUMBER;
}

static bool is_whole(const char *text, int64_t *number)
{
    return take_whole(&text, number) && *text == '\0';
}

/* Unknown or None where there is none. */
static bool read_time(const char *text, struct record_real *when)
{
    int64_t seconds = 0;
    when->known = is_whole(text, &seconds) && seconds > 0;
    when->value = (double)seconds;
    return when->known || strcmp(text, "Unknown") == 0 || strcmp(text, "None") == 0;
}

/* [[DAYS-]HOURS:]MINUTES:SECONDS */
static bool read_duration(const char *text, double *seconds)
{
    int64_t parts[3] = {0}, days = 0, part;
    size_t count = 0;
    const char *dash = strchr(text, '-');
    if (dash != NULL && (!take_whole(&text, &days) || text++ != dash))
        return false;
    do {
        if (count == 3 || !take_whole(&text, &part))
            return false;
        parts[count++] = part;
    } while (*text++ == ':');
    *seconds = (double)days * 86400;
    for (size_t i = 0, unit = 1; i < count; i++, unit *= 60)
        *seconds += (double)parts[count - 1 - i] * (double)unit;
    return count >= 2 && text[-1] == '\0' && *seconds <= (double)MAX_NUMBER;
}

/* 12, 12_3 of an array, 12+3 of a heterogeneous job. */
static bool read_name(const char *text, struct slurm_job *job)
{
    int64_t first, second;
    if (!take_whole(&text, &first))
        return false;
    char mark = *text;
    if (mark == '\0')
        return true;
    text++;
    if ((mark != '_' && mark != '+') || !is_whole(text, &second))
        return false;
    *(mark == '_' ? &job->array_job_id : &job->het_job_id) = (struct record_int){true, first};
    *(mark == '_' ? &job->array_task_id : &job->het_offset) = (struct record_int){true, second};
    return true;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

enum row_kind { ROW_JOB, ROW_PENDING, ROW_DAMAGED };

static bool has_name_sizes(char *const cells[CELLS])
{
    for (enum slurm_cell cell = CLUSTER; cell <= STATE; cell++)
        if (strlen(cells[cell]) > RECORD_NAME_MAX_BYTES)
            return false;
    return cells[CLUSTER][0] != '\0';
}

/* A job whose size was changed has a further row, submitted at that time, that begins when the job
 * began. What was before is in the row before. */
static void cut_before_submission(struct slurm_job *job)
{
    double cut = (double)job->submit_time;
    if (job->end_time.known && job->end_time.value < cut)
        cut = job->end_time.value;
    if (job->start_time >= cut)
        return;
    job->core_seconds -= (double)job->alloc_cpus * (cut - job->start_time);
    if (job->core_seconds < 0)
        job->core_seconds = 0;
    job->start_time = cut;
}

static enum row_kind read_job(char *const cells[CELLS], struct slurm_job *job)
{
    struct record_real start;
    int64_t core_seconds;
    if (!is_whole(cells[JOB_ID_RAW], &job->job_id_raw) || !read_time(cells[START], &start) ||
        !read_time(cells[END], &job->end_time))
        return ROW_DAMAGED;
    /* Of a run that was requeued Slurm 22.05 may not know the start. It counts as one. */
    if (!start.known && (!job->end_time.known || strcmp(cells[STATE], "REQUEUED") != 0))
        return ROW_PENDING;
    bool is_read = has_name_sizes(cells) && read_name(cells[JOB_ID], job) &&
                   is_whole(cells[SUBMIT], &job->submit_time) &&
                   is_whole(cells[ALLOC_CPUS], &job->alloc_cpus) &&
                   is_whole(cells[ALLOC_NODES], &job->nodes) &&
                   is_whole(cells[CPU_TIME_RAW], &core_seconds) &&
                   read_duration(cells[SUSPENDED], &job->suspended);
    if (!is_read || (job->end_time.known && job->end_time.value < start.value))
        return ROW_DAMAGED;
    job->start_time = start.value;
    job->core_seconds = start.known ? (double)core_seconds : 0;
    if (start.known)
        cut_before_submission(job);
    job->cluster = cells[CLUSTER];
    job->user = cells[USER];
    job->account = cells[ACCOUNT];
    job->partition = cells[PARTITION];
    job->state = cells[STATE];
    cells[STATE][strcspn(cells[STATE], " ")] = '\0'; /* CANCELLED by UID */
    return ROW_JOB;
}

/* Cuts the text into its cells, each of which the delimiter ends. */
static bool cut_cells(char *text, const char *delimiter, char *cells[CELLS])
{
    for (size_t i = 0; i < CELLS; i++) {
        char *end = strstr(text, delimiter);
        if (end == NULL)
            return false;
        *end = '\0';
        cells[i] = text;
        text = end + strlen(delimiter);
    }
    return *text == '\0';
}

static int take_row(struct slurm_rows *rows, const char *bytes, size_t size)
{
    size_t length;
    char *cells[CELLS];
    struct slurm_job job = {0};
    enum row_kind kind = ROW_DAMAGED;
    if (memchr(bytes, '\0', size) == NULL) {
        job.text = text_from_bytes(bytes, size, &length);
        if (job.text == NULL)
            return -ENOMEM;
        if (cut_cells(job.text, rows->delimiter, cells))
            kind = read_job(cells, &job);
    }
    if (kind == ROW_JOB)
        return rows->take(rows->context, &job);
    rows->pending += kind == ROW_PENDING;
    rows->damaged += kind == ROW_DAMAGED;
    slurm_job_free(&job);
    return 0;
}

/* The heading is the names of SLURM_ROWS_FORMAT, with the delimiter behind each. */
static int read_heading(struct slurm_rows *rows, const char *line, size_t size,
                        struct load_reason *reason)
{
    static const char first[] = "JobIDRaw", second[] = "JobID";
    static const char format[] = SLURM_ROWS_FORMAT ",";
    const char *from = line + strlen(first), *to;
    bool is_heading = size > strlen(first) && memcmp(line, first, strlen(first)) == 0 &&
                      (to = memmem(from, size - strlen(first), second, strlen(second))) != NULL &&
                      to > from && to - from <= SLURM_DELIMITER_MAX;
    if (is_heading) {
        size_t length = (size_t)(to - from), at = 0;
        memcpy(rows->delimiter, from, length);
        rows->delimiter[length] = '\0';
        for (const char *name = format; is_heading && *name != '\0'; name++) {
            bool is_end = *name == ',';
            const char *part = is_end ? rows->delimiter : name;
            size_t bytes = is_end ? length : 1;
            is_heading = size - at >= bytes && memcmp(line + at, part, bytes) == 0;
            at += bytes;
        }
        is_heading = is_heading && at == size && strlen(rows->delimiter) == length &&
                     text_is_ascii(rows->delimiter, length);
    }
    return is_heading ? 0
                      : load_refuse(reason, "is no output of sacct with its heading and the "
                                            "format " SLURM_ROWS_FORMAT);
}

/* The size of the row at `text`, without the newline that ends it; 0: it is not there as a whole;
 * SIZE_MAX: something else than a newline stands behind its cells. */
static size_t row_size(const struct slurm_rows *rows, const char *text, size_t size)
{
    size_t length = strlen(rows->delimiter);
    const char *at = text, *end = text + size;
    for (size_t i = 0; i < CELLS; i++) {
        at = memmem(at, (size_t)(end - at), rows->delimiter, length);
        if (at == NULL)
            return 0;
        at += length;
    }
    if (at == end)
        return 0;
    return *at == '\n' ? (size_t)(at - text) : SIZE_MAX;
}

/* Reads what is there as a whole; `*used` are its bytes. */
static int read_whole(struct slurm_rows *rows, size_t *used, struct load_reason *reason)
{
    int error = 0;
    *used = 0;
    if (rows->delimiter[0] == '\0') {
        const char *end = rows->size == 0 ? NULL : memchr(rows->text, '\n', rows->size);
        if (end == NULL)
            return 0;
        *used = (size_t)(end - rows->text);
        error = read_heading(rows, rows->text, (*used)++, reason);
    }
    while (error == 0) {
        size_t size = row_size(rows, rows->text + *used, rows->size - *used);
        if (size == 0)
            return 0;
        if (size == SIZE_MAX)
            return load_refuse(reason, "has a row with more cells than its heading");
        error = take_row(rows, rows->text + *used, size);
        *used += size + 1;
    }
    return error;
}

int slurm_rows_read(struct slurm_rows *rows, const char *bytes, size_t size,
                    struct load_reason *reason)
{
    size_t used;
    if (GROW_TO(rows->text, rows->room, rows->size + size) != 0)
        return -ENOMEM;
    memcpy(rows->text + rows->size, bytes, size);
    rows->size += size;
    int error = read_whole(rows, &used, reason);
    if (error != 0)
        return error;
    rows->size -= used;
    memmove(rows->text, rows->text + used, rows->size);
    return rows->size <= SLURM_ROW_MAX ? 0 : load_refuse(reason, "has a row without an end");
}

int slurm_rows_end(const struct slurm_rows *rows, struct load_reason *reason)
{
    if (rows->delimiter[0] == '\0')
        return load_refuse(reason, "has no heading");
    return rows->size == 0 ? 0 : load_refuse(reason, "is cut short");
}

void slurm_rows_free(struct slurm_rows *rows)
{
    free(rows->text);
    rows->text = NULL;
    rows->size = rows->room = 0;
}

void slurm_job_free(struct slurm_job *job)
{
    free(job->text);
    job->text = NULL;
}
