/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A SPANK plugin. When an extern step ends, a thread of it makes slurmstepd act as the job's user
 * for a moment, as a thread of Slurm's does from 24.11 on (spank/as_root.h). The plugins behind it
 * in plugstack.conf are called in that moment.
 */
#include <pthread.h>
#include <semaphore.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

SPANK_PLUGIN(acting_as_user, 1)

static const uint32_t EXTERN = 0xfffffffc; /* SLURM_EXTERN_CONT (slurm/slurm.h) */

/* Slurm's own threads hold this lock in such a moment (src/interfaces/auth.c, from 23.02 on). */
void auth_setuid_lock(void) __attribute__((weak));
void auth_setuid_unlock(void) __attribute__((weak));

static struct {
    sem_t begun;
    uid_t uid;
} moment;

static void *act_as_user(void *unused)
{
    const struct timespec length = {.tv_nsec = 100000000};
    if (auth_setuid_lock != NULL)
        auth_setuid_lock();
    bool acts = seteuid(moment.uid) == 0;
    sem_post(&moment.begun);
    nanosleep(&length, NULL);
    bool is_root = seteuid(0) == 0;
    if (auth_setuid_unlock != NULL)
        auth_setuid_unlock();
    slurm_info("jobtrail-test: %s", acts && is_root ? "acts as the user" : "failed");
    return unused;
}

int slurm_spank_exit(spank_t spank, int argc, char *argv[])
{
    pthread_t thread;
    uint32_t step = 0;
    (void)argc;
    (void)argv;
    if (spank_context() != S_CTX_REMOTE ||
        spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step != EXTERN ||
        spank_get_item(spank, S_JOB_UID, &moment.uid) != ESPANK_SUCCESS)
        return ESPANK_SUCCESS;
    sem_init(&moment.begun, 0, 0);
    if (pthread_create(&thread, NULL, act_as_user, NULL) != 0)
        return ESPANK_SUCCESS;
    pthread_detach(thread);
    while (sem_wait(&moment.begun) != 0)
        ;
    return ESPANK_SUCCESS;
}
