/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail.conf, read and checked. The file's keys and defaults are in jobtrail.conf(5).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/policy/policy.h"

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

/* One line of a key that may be given several times. */
struct conf_line {
    char *name;    /* owned; "": its key has none */
    char *text;    /* owned: what follows the name */
    unsigned line; /* in the file, from 1 */
};

struct conf_lines {
    struct conf_line *line; /* owned, `count` of them, in the file's order */
    size_t count;
};

/* Which programs are recorded, by how many tasks they have. */
enum conf_programs { CONF_PROGRAMS_ALL, CONF_PROGRAMS_SCALAR, CONF_PROGRAMS_MPI };

/* Which programs the linker wrapper puts the preload library's start-up object into. */
enum conf_startup { CONF_STARTUP_NONE, CONF_STARTUP_STATIC, CONF_STARTUP_ALL };

/* Whose variables of a session are believed, in the order of submit/facts/scheduler.c. */
enum conf_scheduler { CONF_SLURM, CONF_PBS, CONF_SGE, CONF_LSF };

/* Whether what a job's user owns in the spool gets a file system of its own. */
enum conf_mount { CONF_MOUNT_AUTO, CONF_MOUNT_YES, CONF_MOUNT_NO };

/* What the kernel witness reads: nothing; starts and ends of processes; their mappings too. */
/* CONF_WITNESS_AUTO: ends, where the kernel reports all that this needs, else off */
enum conf_witness { CONF_WITNESS_OFF, CONF_WITNESS_ENDS, CONF_WITNESS_OBJECTS, CONF_WITNESS_AUTO };

/* Which steps leave profiles: none; those that ask; all. */
enum conf_profile_steps { CONF_PROFILE_NONE, CONF_PROFILE_ASKED, CONF_PROFILE_ALL };

/* How calls are measured unless a step says so: short ones are counted; each one is timed. */
enum conf_profile_mode { CONF_PROFILE_LIGHT, CONF_PROFILE_EXACT };

/* How many keys there are that hold one value; conf_keys.h describes them. */
#define CONF_KEYS 86

/* All strings are owned by the struct and never NULL after conf_load(). */
struct conf {
    char *path; /* of the file itself, absolute */
#define CONF_KEY(section, key, type, field, text, kind) type field;
#define CONF_LINES_KEY(section, key, field, has_name)   struct conf_lines field;
#include "conf/conf_settings.def"
#undef CONF_KEY
#undef CONF_LINES_KEY
    struct conf_intervals scalar, mpi; /* [sampling] scalar, mpi */
    struct conf_rules host, partition, account, path_rules, argument, env, package, routine,
        profile, redact;
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
 * -errno (-EINVAL for a bad line, -ENOENT when there is no such file) and fills `*why`, leaving
 * `*out` untouched. Patterns are taken as text: compile_policy() is what checks them. */
int conf_load(const char *path, struct conf *out, struct conf_error *why);

/* As conf_load(), for programs that act by it as root: as root, a file that others can change is
 * refused (-EPERM, see trusted.h). */
int conf_load_trusted(const char *path, struct conf *out, struct conf_error *why);

void conf_free(struct conf *conf);

/* "FILE:LINE:COLUMN: REASON (HINT)" on one line, into `size` bytes at `text`. */
void conf_error_text(const struct conf_error *why, char *text, size_t size);

/* The compiled file that belongs to the configuration file `path`: its ".conf" ending replaced by
 * ".policy", or ".policy" appended. malloc'ed; NULL when out of memory. */
char *conf_policy_path(const char *path);
