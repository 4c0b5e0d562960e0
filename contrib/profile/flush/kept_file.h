/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of profiles in [profile] directory, each its user's: what a child sends of them is written
 * by root.
 */
#ifndef JOBTRAIL_KEPT_FILE_H
#define JOBTRAIL_KEPT_FILE_H

#include <limits.h>
#include <stdint.h>

#include "submit/job/job_identity.h"

struct kept_file {
    int place;               /* the directory; the caller's */
    int fd;                  /* -1: none is being written */
    char name[NAME_MAX + 1]; /* in `place` */
};

/* What is kept of a step. */
enum kept_kind { KEPT_SET, KEPT_SUMMARY, KEPT_LOG, KEPT_SAMPLES };

#define KEPT_SET_ENDING ".profile"

/* How the file's name ends; `rank` is that of a rank's log or samples. */
void kept_file_ending(enum kept_kind kind, uint32_t rank, char ending[32]);

/* The name of a step's file, of this node's part of it, or where `node` is "" of the whole.
 * Returns 0 or -ENAMETOOLONG. */
int kept_file_name(const struct job_identity *job, uint32_t step, const char *node,
                   const char *ending, char name[NAME_MAX + 1]);

/* Begins the file of that name. Returns 0 or -errno, as replacement_open(). */
int kept_file_begin(struct kept_file *file);

/* Gives it its name and makes it the user's, or with an error of the caller removes it. Does
 * nothing where none is being written. Returns that error, or its own. */
int kept_file_end(struct kept_file *file, const struct job_identity *job, int error);

#endif
