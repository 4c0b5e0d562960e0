/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What doctor looks at. A check is a row of doctor_checks.c, and a function here.
 */
#ifndef JOBTRAIL_DOCTOR_CHECKS_H
#define JOBTRAIL_DOCTOR_CHECKS_H

#include <stdbool.h>

#include "conf/command/doctor.h"
#include "conf/conf.h"

struct doctor_check {
    unsigned roles;  /* bitmap of enum doctor_role: on which machines */
    bool needs_conf; /* not called where the configuration cannot be read; else it gets none */

    /* Adds what it finds to `doctor`. */
    void (*look)(struct doctor *doctor, const struct conf *conf);
};

/* In this order; `look` of the last one is NULL. */
extern const struct doctor_check doctor_checks[];

void doctor_slurm(struct doctor *doctor, const struct conf *conf);
void doctor_files(struct doctor *doctor, const struct conf *conf);
void doctor_tracking(struct doctor *doctor, const struct conf *conf);
void doctor_spool(struct doctor *doctor, const struct conf *conf);
void doctor_witness(struct doctor *doctor, const struct conf *conf);
void doctor_profiles(struct doctor *doctor, const struct conf *conf);
void doctor_directories(struct doctor *doctor, const struct conf *conf);
void doctor_secrets(struct doctor *doctor, const struct conf *conf);
void doctor_transports(struct doctor *doctor, const struct conf *conf);
void doctor_links(struct doctor *doctor, const struct conf *conf);
void doctor_routines(struct doctor *doctor, const struct conf *conf);
void doctor_flush(struct doctor *doctor, const struct conf *conf);
void doctor_answers(struct doctor *doctor, const struct conf *conf);
void doctor_libraries(struct doctor *doctor, const struct conf *conf);
void doctor_collector(struct doctor *doctor, const struct conf *conf);
void doctor_documentation(struct doctor *doctor, const struct conf *conf);
void doctor_timer(struct doctor *doctor, const struct conf *conf);
void doctor_run(struct doctor *doctor, const struct conf *conf);

#endif
