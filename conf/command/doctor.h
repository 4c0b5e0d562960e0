/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-conf doctor: what keeps jobtrail from recording on this node, as a list of findings.
 */
#ifndef JOBTRAIL_DOCTOR_H
#define JOBTRAIL_DOCTOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/command/plugstack.h"
#include "conf/conf.h"

enum finding_state {
    FINDING_OK,
    FINDING_WARN, /* records are made, but something needs attention */
    FINDING_BAD,  /* records are missing or not to be trusted */
};

struct finding {
    enum finding_state state;
    const char *check; /* static: what was checked, one word */
    char object[PATH_MAX];
    char found[256];    /* what was found */
    const char *advice; /* static: what to do; "" for FINDING_OK */
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
                                                      const char *object, const char *advice,
                                                      const char *format, ...);

/* Looks at plugstack.conf, the plugin that it names, and for which Slurm that was built. Fills
 * `*line` and returns true when it has a line for the plugin. */
bool doctor_slurm(struct doctor *doctor, struct plugstack_line *line);

#define DOCTOR_ADVICE_CONF "mend it; until then the policy in force stays"
#define DOCTOR_ADVICE_ROOT "give it to root, writable by root alone"

/* Looks at the configuration, its compiled policy, and the program and the library that it names.
 */
void doctor_files(struct doctor *doctor, const struct conf *conf);

/* Looks at whether flushes of several jobs in a row have broken down. */
void doctor_flush(struct doctor *doctor, const struct conf *conf);

/* Looks at the spool of this node with its watcher. */
void doctor_spool(struct doctor *doctor, const struct conf *conf);

/* Looks at the directories of sessions, of state and of records, and at the flushes' cgroup. */
void doctor_directories(struct doctor *doctor, const struct conf *conf);

/* Looks at the files with keys, tokens and passwords that the configuration names. */
void doctor_secrets(struct doctor *doctor, const struct conf *conf);

/* Whether the directory `path` is there, can be written to, is root's alone and has room; `advice`
 * is what to do where it cannot be written to. Adds a finding unless it returns true. */
bool doctor_directory(struct doctor *doctor, const char *check, const char *path,
                      const char *advice);

/* Whether `path` is on a file system that other nodes have, too. */
bool doctor_is_shared(const char *path);

uint64_t doctor_free_bytes(const char *path);

/* Whether others than root and the caller can change `path` or a directory or link on the way to it
 * (trusted_check()). Adds a finding about `object` if so. False for a path that does not exist. */
bool doctor_is_changeable(struct doctor *doctor, const char *check, const char *object,
                          const char *path, const char *advice);

#endif
