/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares, process by process, what users' processes wrote into the ledger with the kernel's notes
 * (contrib/witness/job/kernel_notes.h): whether both have the last program of a process, its path,
 * its end and its status. They agree, or one of a closed list of causes explains that they do not,
 * or nothing does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"
#include "contrib/witness/job/kernel_notes.h"
#include "submit/evidence/ledger_read.h"
#include "submit/facts/coverage.h"

/* What became of the comparison of a process. */
enum witness_verdict {
    WITNESS_AGREED, /* too: a process that has executed no program, and is in no ledger */
    /* The kernel alone tells of its last program. */
    WITNESS_STATIC,    /* it has mapped no file but its own */
    WITNESS_UNLOADED,  /* it has not mapped the library: another environment, setuid, container */
    WITNESS_LEFT_OUT,  /* the site's rules leave it out, or may do so by its arguments; or its user
                          did, or may have, as its step is not known */
    WITNESS_FOLLOWER,  /* another rank of its program records for it, or one on another node may */
    WITNESS_NOT_FIRST, /* a task behind its step's first one ran it, and the first one did not: then
                          nobody records it */
    WITNESS_NO_ROOM,   /* the ledger has dropped as many, or there is none */
    WITNESS_UNWRITTEN, /* its library could not leave a capture, and said so: a read-only spool, or
                          unset variables */
    WITNESS_KILLED,    /* a signal ended it within a second of its start */
    WITNESS_NOT_STARTED, /* its loader did not start it: it is a task of which the coverage knows
                            that, or ended with the loader's exit code within a second */
    WITNESS_UNMAPPED, /* it is not known what it had mapped: `ends`, or older than the listener */
    /* Both tell of it. */
    WITNESS_LIVED_ON,  /* after its last word, as a destructor that hangs */
    WITNESS_BY_LOADER, /* the program of the kernel is the dynamic loader, called as a program */
    WITNESS_CLOCK,     /* the node's clock was set meanwhile */
    /* The ledger alone tells of it. */
    WITNESS_OUTLIVED,   /* it still runs */
    WITNESS_NAME_SPACE, /* its pid is that of another pid namespace */
    WITNESS_UNHEARD,    /* nobody listened for some of its time */
    WITNESS_LOST,       /* events or ends were lost, or the kernel's file had no room for as many */

    WITNESS_UNEXPLAINED,
    WITNESS_VERDICTS,
};

struct witness_agreement {
    uint64_t count[WITNESS_VERDICTS]; /* processes */
};

struct two_witnesses;

/* Returns 0 or -ENOMEM; two_witnesses_free() releases. What the source points to stays valid. */
int two_witnesses_new(const struct kernel_comparison *source, struct two_witnesses **made);
void two_witnesses_free(struct two_witnesses *witnesses);

/* The last capture of a process, and what the kernel reported of that; NULL: nothing. */
void two_witnesses_capture(struct two_witnesses *witnesses, const struct capture *capture,
                           const struct kernel_noted *noted);

/* When all captures have been given in. `coverage`: of the job. `dropped`: captures that found no
 * room in the ledger. */
void two_witnesses_find(const struct two_witnesses *witnesses, const struct coverage *coverage,
                        uint64_t dropped, struct witness_agreement *agreement);

/* Any capture or stub of a process, for is_written(): its program may have been replaced later. */
void two_witnesses_replaced(struct two_witnesses *witnesses, const struct capture *capture,
                            const struct kernel_noted *noted);

/* Whether there is a capture of the last program of process `at` of the kernel's, or, behind these,
 * of a program that another one replaced. Where that had not mapped the library the capture is one
 * of a copy in the program: it has to name this program. */
bool two_witnesses_is_written(const struct two_witnesses *witnesses, size_t at);

/* As of struct kernel_witness (submit/flush/kernel_witness.h). */
struct kernel_account kernel_account_find(const struct kernel_notes *notes, uint64_t start_ns,
                                          uint64_t end_ns, enum conf_witness wanted);

/* "static", ...; NULL of WITNESS_AGREED and WITNESS_UNEXPLAINED. */
const char *witness_verdict_name(enum witness_verdict verdict);
