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
#include "extensions.h"

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

struct doctor {
    const char *node;      /* this node's name in Slurm */
    const char *plugstack; /* plugstack.conf; NULL: the one that slurm.conf has */
    const char *conf;      /* the configuration that is looked at */
    unsigned roles;        /* bitmap of enum doctor_role */
    bool has_plugstack;    /* a line loads the plugin */
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

/* Sets the roles: those that the list `asked` names, with commas between; or, where that is NULL,
 * those that are found out from what is installed, configured and running. Adds a finding that says
 * which, and why. Returns false where `asked` names none, or what is no role. */
bool doctor_roles(struct doctor *doctor, const char *asked);

/* The file that tells the units of a collector where its store is: beside jobtrail.conf. */
void doctor_collector_env(const struct doctor *doctor, char *path, size_t size);

/* "node, login" of a bitmap of roles. */
void doctor_roles_text(unsigned roles, char *text, size_t size);

/* Adds a finding; `format` says what was found. */
__attribute__((format(printf, 6, 7))) void doctor_add(struct doctor *doctor,
                                                      enum finding_state state, const char *check,
                                                      const char *object, const char *advice,
                                                      const char *format, ...);

/* Looks at plugstack.conf, the plugin that it names, for which Slurm that was built, and whether
 * slurmd has loaded it. Fills `*line` and returns true when there is a line for the plugin. On a
 * machine that is no node a line is not missed. */
bool doctor_slurm(struct doctor *doctor, struct plugstack_line *line);

/* The real path of what was installed together with this program, `from_bin` (conf_defaults.h) from
 * its directory; "" where it is not there. */
void doctor_installed(const char *from_bin, char *path, size_t size);

/* The line that plugstack.conf should have for this plugin ("": the one that was installed together
 * with this program) and this configuration. */
void doctor_good_line(const char *plugin, const char *conf, char *text, size_t size);

/* Whether PrologFlags of slurm.conf has RunInJob (Slurm 24.05 and later). Then prolog and epilog
 * run in the slurmstepd of the extern step, which does not call those of SPANK plugins. */
bool doctor_runs_in_job(void);

/* The slurm.conf that Slurm's programs on this machine read. */
const char *doctor_slurm_conf(void);

/* Looks at whether slurmd of this node has loaded the plugin. */
void doctor_slurmd(struct doctor *doctor);

#define DOCTOR_ADVICE_CONF "mend it; until then the policy in force stays"

/* Looks at the configuration, its compiled policy, and the program and the library that it names.
 */
void doctor_files(struct doctor *doctor, const struct conf *conf);

/* Looks at what the configuration switches off: all of it, kinds of programs, this host, the
 * sending of records. */
void doctor_tracking(struct doctor *doctor, const struct conf *conf);

/* Looks at the outbox, and asks the receiver of each transport whether it would take records. */
void doctor_transports(struct doctor *doctor, const struct conf *conf);

/* Looks at the map of libraries to modules. */
void doctor_links(struct doctor *doctor, const struct conf *conf);

/* Looks at the rules of [routines]; at nothing without one. */
void doctor_routines(struct doctor *doctor, const struct conf *conf);

/* What has to be started at regular times. */
struct doctor_duty {
    unsigned roles;
    const char *command;          /* as people write it */
    const char *program, *option; /* words of it */
    const char *often;            /* how often it is to run */
    const char *timer;            /* of ours that starts it */
    const char *cron;             /* our example; NULL: none */
    const char *otherwise;        /* what happens where nothing starts it */
};

/* Looks for a timer of systemd's, or a line of cron's, that runs it. Returns whether there is one,
 * and adds a finding if so, or if `is_needed`. */
bool doctor_duty(struct doctor *doctor, const struct doctor_duty *duty, bool is_needed);

/* The same of what this machine's roles need. */
void doctor_timer(struct doctor *doctor);

/* Looks at the store, at where records arrive, and at what was refused. */
void doctor_collector(struct doctor *doctor);

/* The store that the units of this collector load records into, as an address of jobtrail-load(1).
 */
void doctor_store(const struct doctor *doctor, char *store, size_t size);

/* Looks at whether users of this machine can ask the service for answers, and on the collector at
 * whether it runs. */
void doctor_answers(struct doctor *doctor, const struct conf *conf);

/* What `doctor --run` was asked for. */
struct doctor_run {
    const char *user;  /* who starts the step; NULL: the caller */
    char *const *args; /* more options of srun's */
    int args_count;
    uint32_t timeout_s; /* for each station; 0: defaults */
};

/* Lets srun start a step, and follows its record to the store, for a bounded time. Adds a finding
 * for each station that the record has come to, and one for the station at which it stopped. */
void doctor_run(struct doctor *doctor, const struct conf *conf, const struct doctor_run *asked);

/* Looks at whether flushes of several jobs in a row have broken down. */
void doctor_flush(struct doctor *doctor, const struct conf *conf);

/* Looks at the spool of this node with its watcher. */
void doctor_spool(struct doctor *doctor, const struct conf *conf);

/* Looks at whether profiles can be made and kept here, where [profile] asks for them. */
void doctor_profiles(struct doctor *doctor, const struct conf *conf);

/* Looks at a library that the plugin preloads: `install` is what to do where there is none. */
void doctor_library(struct doctor *doctor, const char *check, const char *path,
                    const char *install);

/* Looks at the kernel's witness, where [witness] asks for one. */
void doctor_witness(struct doctor *doctor, const struct conf *conf);

/* Looks at the directories of sessions, of state and of records, and at the flushes' cgroup. */
void doctor_directories(struct doctor *doctor, const struct conf *conf);

#if JOBTRAIL_LIBRARIES
/* Looks at the trees of [libraries] and at the scans of them; at nothing without a tree. */
void doctor_libraries(struct doctor *doctor, const struct conf *conf);

/* Looks at the index over documentation, and at the site's file for it beside jobtrail.conf; at
 * nothing where neither is there. */
void doctor_documentation(struct doctor *doctor);
#endif

/* A time in seconds since the Epoch as 2026-11-25 17:00:00, in the zone of the machine. */
void doctor_time_text(int64_t time_s, char *text, size_t size);

/* Looks at the files with keys, tokens and passwords that the configuration names. */
void doctor_secrets(struct doctor *doctor, const struct conf *conf);

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

#endif
