/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * job_ended ID SECONDS: waits until Slurm works on no part of this job any more, epilogs included.
 * Its status is 1 where that takes longer. In the place of many calls of squeue, of which the start
 * is nearly all.
 */
#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static bool job_ended(uint32_t id)
{
    job_info_msg_t *parts;
    bool ended = true;
    if (slurm_load_job(&parts, id, SHOW_ALL) != 0)
        return errno == ESLURM_INVALID_JOB_ID; /* Slurm has forgotten it */
    for (uint32_t i = 0; i < parts->record_count; i++) {
        const uint32_t state = parts->job_array[i].job_state;
        if ((state & JOB_STATE_BASE) < JOB_COMPLETE ||
            (state & (JOB_COMPLETING | JOB_REQUEUE | JOB_STAGE_OUT)))
            ended = false;
    }
    slurm_free_job_info_msg(parts);
    return ended;
}

int main(int argc, char **argv)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    if (argc != 3) {
        fputs("usage: job_ended ID SECONDS\n", stderr);
        return 2;
    }
    const uint32_t id = (uint32_t)strtoul(argv[1], NULL, 10);
    if (id == 0) /* which a caller that knows none would wait for */
        return 2;
    const time_t end = time(NULL) + atol(argv[2]);
    slurm_init(NULL);
    while (!job_ended(id)) {
        if (time(NULL) >= end)
            return 1;
        nanosleep(&pause, NULL);
    }
    return 0;
}
