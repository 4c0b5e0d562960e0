/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the flush of a job gets from the kernel witness: a row that the extension `witness`
 * defines in its own folder. Where it is not built no request has notes, and nothing is compared.
 */
#pragma once

#include "conf/conf.h"
#include "submit/flush/reading_request.h"
#include "submit/job/kernel_noted.h"

struct coverage;

struct kernel_witness {
    /* In root's process: reads what was reported of the job whose directory is open at `directory`.
     * A witness that runs has what just ended still to write: it is waited for, but not for long.
     * Returns 0 or -errno; `release` releases `*notes`. */
    int (*read)(int spool, int directory, struct kernel_notes **notes);
    void (*release)(struct kernel_notes *notes);

    /* Of a job that ran between these times since the Epoch; `notes` NULL: nothing was reported;
     * `wanted`: what the site asks for. */
    struct kernel_account (*account)(const struct kernel_notes *notes, uint64_t start_ns,
                                     uint64_t end_ns, enum conf_witness wanted);

    /* In the reader: begins to compare. Returns 0 or -errno; `end` releases `*compared`. What the
     * comparison points to stays valid. */
    int (*compare)(const struct kernel_comparison *comparison, struct kernel_compared **compared);
    void (*end)(struct kernel_compared *compared);

    /* The process of a capture of the request's job; `compared` NULL: its pid is the node's. NULL:
     * nothing was reported of it. */
    const struct kernel_noted *(*find)(const struct reading_request *request,
                                       const struct kernel_compared *compared,
                                       const struct capture *capture);

    /* The program that a process ran at this time since boot, and that another one replaced later;
     * NULL: there was none, or one may have been missed. */
    const struct kernel_noted *(*replaced)(const struct kernel_notes *notes,
                                           const struct kernel_note *process, uint64_t at_ns);

    /* As of struct ending_evidence. */
    bool (*is_program)(const struct capture *capture, const struct kernel_note *note);

    /* Compares a capture or stub with what was reported of its process (NULL: nothing); `is_last`:
     * no later one is of the same process. */
    void (*take)(struct kernel_compared *compared, const struct capture *capture,
                 const struct kernel_noted *noted, bool is_last);

    /* Adds to a capture the objects that the kernel alone saw, valid until the next call. */
    void (*add_objects)(struct kernel_compared *compared, const struct kernel_noted *noted,
                        struct capture *capture);

    /* When all captures have been taken: adds the runs that the kernel alone reported. Returns 0,
     * -ENOMEM, or -EIO where no uuid can be made. */
    int (*divide)(const struct ledger_send *send, const struct job_tasks *tasks,
                  struct kernel_compared *compared, struct division *division);

    /* Likewise. `dropped`: those that found no room in the ledger. */
    void (*agree)(const struct kernel_compared *compared, const struct coverage *coverage,
                  uint64_t dropped, struct kernel_agreement *agreement);
};

extern const struct kernel_witness kernel_witness_row; /* contrib/witness/flush */

extern const struct kernel_witness *const kernel_witness; /* NULL: it is not built */
