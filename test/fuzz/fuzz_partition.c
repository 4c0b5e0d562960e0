/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * partition_make(): the times, parents and ranks of runs are what users' processes wrote. The bytes
 * are the numbers that a job is drawn from; it is divided as the slow and plain division does it.
 */
#include <stdlib.h>

#include "test/fuzz/fuzz.h"
#include "test/unit/fixture/drawn_job.h"
#include "test/unit/fixture/slow_partition.h"

struct bytes {
    const unsigned char *data;
    size_t size;
};

/* A byte for a small number, two for others. After the last one, all are 0. */
static uint32_t draw(void *context, uint32_t below)
{
    struct bytes *bytes = context;
    uint32_t number = 0;
    for (uint32_t room = 1; room < below && bytes->size > 0; room *= 256) {
        number = number * 256 + *bytes->data++;
        bytes->size--;
    }
    return number % below;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct drawn_job job;
    struct partition *partition;
    const char *what;
    drawn_job_make(&job, draw, &bytes);
    require(partition_make(&job.input, &partition) == 0);
    struct slow_partition *slow = slow_partition_make(&job.input);
    require(slow != NULL && slow_partition_is(slow, &job.input, partition, &what));
    for (size_t i = 0; i < job.input.run_count; i++) {
        struct partition_shares sure = partition_of_run(partition, i);
        double most = partition_most_of_run(partition, i);
        for (size_t day = 0; day < sure.count; day++)
            most -= sure.share[day].core_seconds;
        require(most > -1e-6);
    }
    slow_partition_free(slow);
    partition_free(partition);
    return 0;
}
