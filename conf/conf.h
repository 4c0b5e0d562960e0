/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail.conf, read and checked. The file's keys and defaults are in jobtrail.conf(5).
 */
#ifndef JOBTRAIL_CONF_H
#define JOBTRAIL_CONF_H

#include <stddef.h>
#include <stdint.h>

#include "policy.h"

/* One `ACTION = PATTERN` line. */
struct conf_rule {
    enum policy_action action;
    char *pattern;   /* owned */
    unsigned line;   /* in the file, from 1; 0: a built-in rule */
    unsigned column; /* of the pattern's first byte, from 1; 0: a built-in rule */
};

struct conf_rules {
    struct conf_rule *rule; /* owned, `count` of them, in the file's order */
    size_t count;
};

/* One `scalar = FROM PROBABILITY` or `mpi = FROM PROBABILITY` line. */
struct conf_interval {
    uint64_t from_s;       /* of run time, at most 10^9 */
    uint64_t above, below; /* the probability is above / below; 0 < above <= below <= 10^9 */
    unsigned line;         /* in the file, from 1; 0: the default */
};

struct conf_intervals {
    struct conf_interval *interval; /* owned, `count` of them, from 0 and ascending */
    size_t count;
};

/* How many keys there are that hold one value; conf_keys.h describes them. */
#define CONF_KEYS 19

/* All strings are owned by the struct and never NULL after conf_load(). */
struct conf {
    char *path;                /* of the file itself, absolute */
    char *cluster;             /* [site] cluster; "" = as Slurm names it */
    char *syshost;             /* [site] syshost; "" = the cluster's name */
    char *spool;               /* [spool] dir, may hold %n */
    uint64_t ledger_bytes;     /* [spool] ledger_size */
    char *library;             /* [preload] library */
    char *hooks;               /* [hooks] dir; "" = none */
    int standard_library;      /* [hooks] standard_library = yes|no */
    char *submit;              /* [submit] program */
    char *state;               /* [submit] state: quarantine and what else must outlive a reboot */
    uint32_t epilog_timeout_s; /* [submit] epilog_timeout */
    int hash_objects;      /* [submit] hash_objects = yes|no: sha1 of every library, not only of the
                              executable */
    char *transport;       /* [transport] use: "file" or "none" */
    char *file_dir;        /* [file] dir */
    int track_scalar;      /* [tracking] scalar = yes|no */
    int track_mpi;         /* [tracking] mpi = yes|no */
    int track_gpu;         /* [tracking] gpu = yes|no */
    int catch_signals;     /* [tracking] signal_handler = yes|no */
    int sample;            /* [sampling] enabled = yes|no */
    uint32_t always_ranks; /* [sampling] always_ranks */
    struct conf_intervals scalar, mpi; /* [sampling] scalar, mpi */
    struct conf_rules host, path_rules, argument, env, package;
    unsigned key_line[CONF_KEYS]; /* where the file gives each key, from 1; 0: the default holds */
};

/* Why a configuration was refused; what administrators read. */
struct conf_error {
    char file[256];
    unsigned line;   /* from 1; 0 when it is not about a line */
    unsigned column; /* from 1; 0 when unknown */
    char reason[256];
    char hint[256]; /* what to write instead, or "" */
};

/* Reads and checks the file `path`. Returns 0 and fills `*out`, which conf_free() releases; or
 * -errno (-EINVAL for a bad line, -ENOENT when there is no such file) and fills `*error`, leaving
 * `*out` untouched. Patterns are taken as text: compile_policy() is what checks them. */
int conf_load(const char *path, struct conf *out, struct conf_error *error);

void conf_free(struct conf *conf);

/* "FILE:LINE:COLUMN: REASON (HINT)" on one line, into `size` bytes at `text`. */
void conf_error_text(const struct conf_error *error, char *text, size_t size);

/* The compiled file that belongs to the configuration file `path`: its ".conf" ending replaced by
 * ".policy", or ".policy" appended. malloc'ed; NULL when out of memory. */
char *conf_policy_path(const char *path);

#endif
