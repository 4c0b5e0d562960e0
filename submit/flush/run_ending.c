/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/run_ending.h"

#include "preload/ledger.h"
#include "submit/facts/kernel_run.h"
#include "submit/facts/replaceable.h"

static bool always(const struct capture *capture)
{
    (void)capture;
    return true;
}

const struct kernel_noted *run_ending_noted(const struct reading_request *request,
                                            const struct other_pids *others,
                                            const struct capture *capture)
{
    const struct kernel_notes *kernel = request->kernel;
    if (kernel == NULL)
        return NULL;
    if (journal_knows_pids(request->journal, capture->step, capture->name_space))
        return kernel_notes_find(kernel, capture->pid, capture->start_ticks, capture->first != 0);
    return others == NULL ? NULL : other_pids_find(others, capture);
}

/* When the kernel saw that another program replaced this one; 0: it did not, or may have missed one
 * between. */
static uint64_t replaced_at(const struct kernel_notes *kernel, const struct kernel_noted *noted,
                            const struct capture *capture)
{
    const bool is_signed = capture->end_ns != 0 && capture->end_by != LEDGER_END_REPLACED;
    if (noted == NULL || is_signed || capture->up_ns == 0 || kernel->lost > 0)
        return 0;
    const struct kernel_noted *replaced =
        kernel_notes_replaced(kernel, &noted->note, capture->up_ns);
    bool is_told = replaced != NULL && (replaced->note.lack & KERNEL_LACK_OBJECTS) == 0;
    return is_told ? replaced->end_real_ns : 0;
}

struct ending run_ending_find(const struct reading_request *request,
                              const struct kernel_noted *noted, const struct capture *capture,
                              uint64_t next_ns, bool reads)
{
    const struct looks *looks = capture->is_stub ? NULL : request->looks;
    const struct ending_evidence evidence = {
        .journal = request->journal,
        .next_ns = next_ns,
        .now_ns = request->now_ns,
        .replaced_ns = replaced_at(request->kernel, noted, capture),
        .look = looks == NULL ? NULL
                              : looks_find(looks, (uint32_t)(capture->offset / LEDGER_PAGE),
                                           capture->start_ns),
        .kernel = noted,
        .is_replaceable = reads ? replaceable : always,
        .is_program = reads ? kernel_run_is_program : NULL,
    };
    return ending_find(capture, &evidence);
}
