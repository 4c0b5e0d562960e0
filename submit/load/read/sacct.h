/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Asks Slurm's accounting by sacct(1), which is found by PATH.
 */
#ifndef JOBTRAIL_SACCT_H
#define JOBTRAIL_SACCT_H

#include <signal.h>
#include <stddef.h>

struct sacct_question {
    const char *format;
    const char *cluster; /* "": the default one */
    const char *jobs;    /* their numbers, with commas between; NULL: all of the time */
    double since, until; /* s since the Epoch, of a question without jobs; until 0: up to now */
    unsigned seconds;    /* how long the answer may take */
    const volatile sig_atomic_t *stop; /* not 0: the answer is no longer wanted */
};

struct sacct_answer {
    /* What is done with the next bytes of sacct's output, each call with some. Returns 0 or -errno,
     * with which sacct_ask() ends. */
    int (*take)(void *context, const char *bytes, size_t size);
    void *context;
    char said[256]; /* what is wrong, in printable ASCII */
};

/* Returns 0 when sacct has ended well; -ENOENT where there is none; -ETIMEDOUT, -EINTR (`stop`) or
 * -EPROTO (it failed) with `said` filled, and sacct has been ended; what `take` returned; or
 * another -errno. */
int sacct_ask(const struct sacct_question *question, struct sacct_answer *answer);

#endif
