/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The commands of jobtrail-submit(8). Each returns the program's exit status.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"

enum submit_status {
    SUBMIT_OK = 0,
    SUBMIT_SOME_WAIT = 1, /* something is left for a later try; of `session`: nothing to record */
    SUBMIT_USAGE = 2,
    SUBMIT_UNUSABLE = 3, /* the configuration, the spool or the outbox cannot be used */
    SUBMIT_OTHER = 4,    /* --formats has another number than this program */
    SUBMIT_BREAKS = 5,   /* of `status`: the flush breaks down for job after job */
};

struct submit_options {
    const char *conf;      /* path of the configuration */
    const char *node;      /* this node's name in Slurm */
    const char *transport; /* NULL: all of them */
    char *const *argv;     /* of main() */
    char *const *words;    /* of these, those that are no options */
    int argc;
    uint32_t job;     /* 0: none named */
    uint32_t formats; /* 0: what other versions have made is handed on to them (hand_on.h) */
    uint32_t older_days, timeout_s;
    bool all, orphans, sessions, dry_run, json, detach, once, stop, openmetrics, write, help,
        version;
};

struct submit_command {
    const char *name, *action; /* action: the second word; "": there is none */
    enum submit_status (*run)(const struct submit_options *options); /* NULL: it is not built */
    const char *accepts; /* its options, by their letter in jobtrail_submit.c */
    bool low_priority;   /* runs beside jobs */
    const char *words;   /* of an extension's: what it is called in "built without WORDS" */
};

/* The command of the words that are no options; NULL: there is none of that name. */
const struct submit_command *submit_command_find(char *const *words, int count);

/* Runs it, or says that its extension is not built. */
enum submit_status submit_command_run(const struct submit_command *command,
                                      const struct submit_options *options);

/* Loads the configuration that root is to act by. Returns SUBMIT_OK; or SUBMIT_UNUSABLE after
 * saying why on stderr. */
enum submit_status submit_conf_load(const struct submit_options *options, struct conf *conf);

enum submit_status command_flush(const struct submit_options *options);

/* For the site's Prolog script, where it runs inside of the job: appends the job's credential,
 * which is in the environment, to its journal. Always SUBMIT_OK, since Slurm drains a node whose
 * Prolog fails. */
enum submit_status command_prolog(const struct submit_options *options);

/* How all this does on this node, for people and for monitoring. */
enum submit_status command_status(const struct submit_options *options);

enum submit_status command_watch(const struct submit_options *options);

/* Listens to what the kernel reports of processes of jobs, until it is ended: contrib/witness. */
enum submit_status command_witness(const struct submit_options *options);

/* Run by a user: sends the records of links that wait in their own outbox, and prints how many. */
enum submit_status command_hand_in(const struct submit_options *options);

/* Run by a user, by the modulefile: makes the directory and the ledger of this login or batch
 * session below [spool] sessions, and prints the variables that its processes need, "VERB NAME
 * VALUE" a line. SUBMIT_SOME_WAIT: sessions are not recorded here, the user refuses, or the SPANK
 * plugin records this task or job. */
enum submit_status command_session(const struct submit_options *options);

/* What lies between the flush and the collectors. */
enum submit_status command_send(const struct submit_options *options);
enum submit_status command_outbox_list(const struct submit_options *options);
enum submit_status command_outbox_ask(const struct submit_options *options);
enum submit_status command_outbox_retry(const struct submit_options *options);
enum submit_status command_outbox_drop(const struct submit_options *options);
