/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Coverage facts as records; the format is in jobtrail-record(5).
 */
#pragma once

#include "conf/conf.h"
#include "submit/facts/coverage.h"
#include "submit/facts/job_tasks.h"
#include "submit/job/kernel_noted.h"
#include "submit/record/command_line.h"
#include "submit/record/record.h"

/* So many facts fit into one record, of 16 MiB at the most, whatever their paths. */
enum { COVERAGE_RECORD_FACTS = 500 };

struct coverage_record_source {
    const struct conf *conf;
    const struct command_lines *lines;
    const struct journal *journal;
    const struct coverage *coverage;
    const struct job_allocation *allocation;
    uint64_t dropped;                    /* captures that the job lost on this node */
    uint64_t others_runs, others_ns;     /* runs that were sampled out and left no stub */
    const struct kernel_account *kernel; /* NULL: nobody has asked for the witness */
    const struct kernel_agreement *agreement;
};

/* The keys of what the kernel witness has heard, as root knows them; NULL: nobody has asked. */
void coverage_record_add_kernel(struct json_object *table, const struct kernel_account *account);

/* Builds the record of the facts from the index `first` on, COVERAGE_RECORD_FACTS at the most. Its
 * name and its uuid depend on the job, the node and `first` only. Returns 0, -ENOMEM, or -EIO where
 * no uuid can be made. record_free() releases `*record`. */
int coverage_record_build(const struct coverage_record_source *source, size_t first,
                          struct built_record *record);
