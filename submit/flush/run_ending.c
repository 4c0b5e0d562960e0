/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/run_ending.h"

#include "preload/ledger.h"
#include "submit/facts/replaceable.h"

static bool always(const struct capture *capture)
{
    (void)capture;
    return true;
}

const struct kernel_noted *run_ending_noted(const struct reading_request *request,
                                            const struct capture *capture)
{
    bool is_known = request->kernel != NULL &&
                    journal_knows_pids(request->journal, capture->step, capture->name_space);
    return is_known ? kernel_notes_find(request->kernel, capture->pid, capture->start_ticks,
                                        capture->first != 0)
                    : NULL;
}

struct ending run_ending_find(const struct reading_request *request, const struct capture *capture,
                              uint64_t next_ns, bool reads)
{
    const struct looks *looks = capture->is_stub ? NULL : request->looks;
    const struct ending_evidence evidence = {
        .journal = request->journal,
        .next_ns = next_ns,
        .now_ns = request->now_ns,
        .look = looks == NULL ? NULL
                              : looks_find(looks, (uint32_t)(capture->offset / LEDGER_PAGE),
                                           capture->start_ns),
        .kernel = run_ending_noted(request, capture),
        .is_replaceable = reads ? replaceable : always,
    };
    return ending_find(capture, &evidence);
}
