/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-conf doctor: what keeps jobtrail from recording on this node, as a list of findings.
 */
#ifndef JOBTRAIL_DOCTOR_H
#define JOBTRAIL_DOCTOR_H

#include <limits.h>
#include <stddef.h>

#include "conf.h"
#include "plugstack.h"

enum finding_state {
    FINDING_OK,
    FINDING_WARN, /* records are made, and something is to be looked at */
    FINDING_BAD,  /* records are missing, or cannot be believed */
};

struct finding {
    enum finding_state state;
    const char *check; /* static: what was looked at, one word */
    char object[PATH_MAX];
    char found[256];  /* what is the matter with it */
    const char *mend; /* static: what to do; "" where all is well */
};

#define FINDINGS_MAX 64

struct doctor {
    const char *node;      /* this node's name in Slurm */
    const char *plugstack; /* plugstack.conf; NULL: the one that slurm.conf has */
    struct finding finding[FINDINGS_MAX];
    size_t count;
};

/* Adds a finding; `format` says what was found. */
__attribute__((format(printf, 6, 7))) void doctor_add(struct doctor *doctor,
                                                      enum finding_state state, const char *check,
                                                      const char *object, const char *mend,
                                                      const char *format, ...);

/* Looks at plugstack.conf, the plugin that it names, and for which Slurm that was built. Fills
 * `*line` and returns 1 when it has a line for the plugin. */
int doctor_slurm(struct doctor *doctor, struct plugstack_line *line);

/* Looks at the compiled policy of this configuration. */
void doctor_policy(struct doctor *doctor, const struct conf *conf);

/* Looks at the programs and the library that the configuration names. */
void doctor_files(struct doctor *doctor, const struct conf *conf);

/* Looks at the spool of this node with its watcher, the records' directory and the state. */
void doctor_directories(struct doctor *doctor, const struct conf *conf);

/* The first of `path` and the directories above it, the file itself left out where it is none of
 * them, that somebody other than root can change: written to `size` bytes at `culprit`. Returns 1,
 * or 0 when there is none. A sticky directory of root's is nobody else's. */
int doctor_others_can_change(const char *path, char *culprit, size_t size);

#endif
