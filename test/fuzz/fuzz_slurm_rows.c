/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * slurm_rows_read(): what sacct writes, in pieces of two sizes, gives the same jobs.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/parse/slurm_rows.h"
#include "test/fuzz/fuzz.h"

struct seen {
    size_t count;
    uint64_t sum;
};

static int see(void *context, struct slurm_job *job)
{
    struct seen *seen = context;
    if (strlen(job->account) > RECORD_NAME_MAX_BYTES || job->cluster[0] == '\0' ||
        (job->end_time.known && job->end_time.value < job->start_time) || job->job_id_raw < 0)
        abort();
    seen->count++;
    seen->sum = seen->sum * 31 + (uint64_t)job->job_id_raw + strlen(job->user);
    slurm_job_free(job);
    return 0;
}

static int read_in(const char *text, size_t size, size_t piece, struct seen *seen)
{
    struct load_reason reason;
    struct slurm_rows rows = {.take = see, .context = seen};
    int error = 0;
    for (size_t at = 0; error == 0 && at < size; at += piece)
        error = slurm_rows_read(&rows, text + at, size - at < piece ? size - at : piece, &reason);
    if (error == 0)
        error = slurm_rows_end(&rows, &reason);
    slurm_rows_free(&rows);
    return error;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct seen whole = {0}, parts = {0};
    int error = read_in((const char *)data, size, size + 1, &whole);
    int other = read_in((const char *)data, size, 7, &parts);
    if (error != other || (error == 0 && (whole.count != parts.count || whole.sum != parts.sum)))
        abort();
    return 0;
}
