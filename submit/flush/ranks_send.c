/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/ranks_send.h"

#include <stdio.h>

#include "conf/base/cleanup.h"
#include "conf/policy_file.h"
#include "submit/facts/job_allocation.h"
#include "submit/facts/rank_summary.h"
#include "submit/record/ranks_record.h"

static int send_row(const struct reading_request *request, const struct rank_row *row)
{
    const struct ranks_source source = {request->conf, request->journal, row};
    struct built_record record;
    int error = ranks_record_build(&source, &record);
    if (error != 0)
        return error;
    const struct record_view view = record_view_of(&record);
    error = request->take(request->context, &view);
    record_free(&record);
    return error;
}

int ranks_send(const struct reading_request *request)
{
    CLEANUP_FREE void *policy = NULL;
    struct rank_summary summary;
    if (request->kernel->listeners == 0 || policy_load(request->conf, &policy) != 0)
        return 0; /* without a policy nothing else is read, either */
    const struct job_allocation allocation = job_allocation_find(request->journal, request->now_ns);
    int error =
        rank_summary_make(request->journal, request->kernel, policy, allocation.end_ns, &summary);
    if (error != 0)
        return error;
    if (summary.left_out > 0)
        fprintf(stderr,
                "jobtrail-submit: job %u: ranks of %zu steps and programs are not summarised: "
                "there are more than %d\n",
                request->journal->identity.job, summary.left_out, RANK_ROWS_MAX);
    for (size_t i = 0; error == 0 && i < summary.count; i++)
        error = send_row(request, &summary.rows[i]);
    rank_summary_free(&summary);
    return error;
}
