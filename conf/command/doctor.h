/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-conf doctor: what keeps jobtrail from recording on this node, as a list of findings.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    char found[256];           /* what was found */
    char advice[2 * PATH_MAX]; /* what to do; "" for FINDING_OK */
};

#define FINDINGS_MAX 128

/* What a machine is to the site. One may be several. */
enum doctor_role {
    ROLE_NODE = 1 << 0,  /* a compute node: slurmd with the plugin */
    ROLE_LOGIN = 1 << 1, /* where people call srun, link programs, and run them outside of Slurm */
    ROLE_COLLECTOR = 1 << 2, /* has the store, and loads records into it */
};

/* What `doctor --run` was asked for. */
struct doctor_run {
    const char *user;   /* who starts the step; NULL: the caller */
    char *const *args;  /* more options of srun's; the last one is NULL */
    uint32_t timeout_s; /* for each station; 0: defaults */
};

/* What a check gets: where it is, and the place for what it finds. */
struct doctor {
    const char *node;             /* this node's name in Slurm */
    const char *plugstack;        /* plugstack.conf; NULL: the one that slurm.conf has */
    const char *conf;             /* the configuration that is looked at */
    unsigned roles;               /* bitmap of enum doctor_role */
    const struct doctor_run *run; /* NULL: not asked for */
    struct finding finding[FINDINGS_MAX];
    size_t count;
    bool is_full; /* the last one had no room */
};

/* Says what to do about the finding that was added last, in place of its advice. */
__attribute__((format(printf, 2, 3))) void doctor_mend(struct doctor *doctor, const char *format,
                                                       ...);

/* " --conf FILE", for a command that is to read the configuration that is looked at; "" where that
 * is the installed one. Valid until the next call. */
const char *doctor_conf_words(const struct doctor *doctor);

/* The path of a file beside the configuration. */
void doctor_beside_conf(const struct doctor *doctor, const char *name, char *path, size_t size);

/* What tells the units of a collector where its store is, or their defaults. */
struct collector_env {
    char path[PATH_MAX];
    char store[4096];   /* as an address of jobtrail-load(1) */
    char records[4096]; /* directories, with blanks between */
};

/* Reads it (systemd.exec(5), EnvironmentFile=), beside the configuration. Returns 0 or -errno;
 * `*env` has the defaults then. */
int doctor_collector_env(const struct doctor *doctor, struct collector_env *env);

/* Adds a finding; `format` says what was found. */
__attribute__((format(printf, 6, 7))) void doctor_add(struct doctor *doctor,
                                                      enum finding_state state, const char *check,
                                                      const char *object, const char *advice,
                                                      const char *format, ...);

/* The real path of what was installed together with this program, `from_bin` (conf_defaults.h) from
 * its directory; "" where it is not there. */
void doctor_installed(const char *from_bin, char *path, size_t size);

#define DOCTOR_ADVICE_CONF "fix it; until then the old policy is used"

/* Looks at a library that the plugin preloads: `install` is what to do where there is none. */
void doctor_library(struct doctor *doctor, const char *check, const char *path,
                    const char *install);

/* A time in seconds since the Epoch as 2026-11-25 17:00:00, in the zone of the machine. */
void doctor_time_text(int64_t time_s, char *text, size_t size);

/* Whether the directory `path` is there, can be written to, is root's alone and has room; `advice`
 * is what to do where it cannot be written to. Adds a finding unless it returns true. */
bool doctor_directory(struct doctor *doctor, const char *check, const char *path,
                      const char *advice);

/* The same, and adds a finding in any case. */
void doctor_writable(struct doctor *doctor, const char *check, const char *path,
                     const char *advice);

uint64_t doctor_free_bytes(const char *path);

/* Whether others than root and the caller can change `path` or a directory or link on the way to it
 * (trusted_check()). Adds a finding about `object` if so. False for a path that does not exist. */
bool doctor_is_changeable(struct doctor *doctor, const char *check, const char *object,
                          const char *path);

/* Whether users cannot read the file `path`, or search a directory on the way to it. Adds a finding
 * if so. */
bool doctor_is_unreadable(struct doctor *doctor, const char *check, const char *path);
