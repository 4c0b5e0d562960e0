/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The subcommands of jobtrail-conf. Each returns the program's exit status.
 */
#pragma once

#include <stdbool.h>

#include "conf/conf.h"

enum exit_status {
    STATUS_OK = 0,
    STATUS_REFUSED = 1,
    STATUS_USAGE = 2,
};

struct options {
    const char *conf;
    const char *output;    /* NULL: beside the configuration */
    const char *host;      /* NULL: not asked for */
    const char *env;       /* likewise */
    const char *node;      /* likewise: this node's name in Slurm */
    const char *plugstack; /* likewise: plugstack.conf */
    const char *role;      /* likewise: roles of this machine, with commas between */
    const char *lines;     /* likewise: the section whose texts are on stdin, one a line */
    const char *library;   /* likewise: the path of a file that may be a library */
    const char *routines;  /* likewise: the path of a library that may be designated */
    const char *user;      /* likewise: who starts the step of `run` */
    uint32_t timeout_s;    /* 0: not asked for */
    bool if_newer, json, help, run;
    bool command_line;       /* `args` is a command line: show what of it would be recorded */
    const char *xalt_record; /* "yes" or "no", XALT's --with-cmdlineRecord; NULL: not given */
    char **args;             /* what follows the options */
    int args_count;
};

enum exit_status command_check(const struct options *options);
enum exit_status command_compile(const struct options *options);
enum exit_status command_doctor(const struct options *options);
enum exit_status command_explain(const struct options *options);
enum exit_status command_show(const struct options *options);

/* What keys have no effect together with the others; static. NULL: all have. Of an extension, which
 * defines it; NULL where that is not built. */
extern const char *(*const command_advice)(const struct conf *conf);
const char *profile_advice(const struct conf *conf);

/* Says on stderr why a configuration was refused. Returns STATUS_REFUSED. */
enum exit_status command_refused(const struct conf_error *why);

/* Prints a JSON value and releases it. Returns STATUS_OK, or STATUS_REFUSED when out of memory. */
struct json_object;
enum exit_status command_print_json(struct json_object *value);
