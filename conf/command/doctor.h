/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-conf doctor: what keeps jobtrail from recording on this node, as a list of findings.
 */
#ifndef JOBTRAIL_DOCTOR_H
#define JOBTRAIL_DOCTOR_H

#include <limits.h>
#include <stddef.h>

#include "conf/command/plugstack.h"
#include "conf/conf.h"

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

#define DOCTOR_MEND_CONF "mend it; until then the policy in force stays"

/* Whether the configuration can be compiled, and is root's. */
void doctor_configuration(struct doctor *doctor, const struct conf *conf);

/* Looks at the compiled policy of this configuration. */
void doctor_policy(struct doctor *doctor, const struct conf *conf);

/* Looks at the programs and the library that the configuration names. */
void doctor_files(struct doctor *doctor, const struct conf *conf);

/* Looks at whether flushes break down, whatever job they are of. */
void doctor_flush(struct doctor *doctor, const struct conf *conf);

/* Looks at the spool of this node with its watcher, the records' directory and the state. */
void doctor_directories(struct doctor *doctor, const struct conf *conf);

/* Looks at the files with keys, tokens and passwords that the configuration names. */
void doctor_secrets(struct doctor *doctor, const struct conf *conf);

/* Whether others than root and the caller can change `path`, or what it leads to, by the rule by
 * which root acts on it (trusted.h): 1, with what they can change written to `size` bytes at
 * `culprit`, or 0. What is missing counts as sound. */
int doctor_others_can_change(const char *path, char *culprit, size_t size);

#endif
