/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What doctor looks at. A check is a row of command_tables.c and a function here, which an
 * extension defines in its own folder.
 */
#pragma once

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

/* Slurm: plugstack.conf, the plugin that it names, and whether slurmd has loaded it. */
void doctor_slurm(struct doctor *doctor, const struct conf *conf);
/* Of doctor_slurm(): the plugin's file at `path`. */
void doctor_release(struct doctor *doctor, const char *path);

/* Whether PrologFlags of slurm.conf has RunInJob (Slurm 24.05 and later). Then prolog and epilog
 * run in the slurmstepd of the extern step, which does not call those of SPANK plugins. */
bool doctor_runs_in_job(void);

/* Files and directories that the configuration names, and the policy. */
void doctor_files(struct doctor *doctor, const struct conf *conf);

/* Sections of extensions that this jobtrail is built without. */
void doctor_left_out(struct doctor *doctor, const struct conf *conf);

/* What the configuration switches off. */
void doctor_tracking(struct doctor *doctor, const struct conf *conf);

/* The outbox, and the receiver of each transport. */
void doctor_transports(struct doctor *doctor, const struct conf *conf);

/* The spool of this node, with its process watch. */
void doctor_spool(struct doctor *doctor, const struct conf *conf);

/* The store, where records arrive, and what was refused. */
void doctor_collector(struct doctor *doctor, const struct conf *conf);

/* What runs jobtrail's programs at regular times. */
void doctor_timer(struct doctor *doctor, const struct conf *conf);

/* A step, and the way of its record to the store, where `doctor->run` asks for it: a finding for
 * each station that the record has come to, and one for the station at which it stopped. */
void doctor_run(struct doctor *doctor, const struct conf *conf);

/* Of extensions. */
void doctor_answers(struct doctor *doctor, const struct conf *conf);
void doctor_documentation(struct doctor *doctor, const struct conf *conf);
void doctor_libraries(struct doctor *doctor, const struct conf *conf);
void doctor_profiles(struct doctor *doctor, const struct conf *conf);
void doctor_routines(struct doctor *doctor, const struct conf *conf);
void doctor_witness(struct doctor *doctor, const struct conf *conf);
