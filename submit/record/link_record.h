/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A link as XALT's JSON record, with our own table jobtrailT. Its keys are in
 * submit/definition/keys.def.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/conf.h"
#include "submit/record/command_line.h"
#include "submit/record/record.h"

/* A function that the program takes from a library of a module. */
struct link_function {
    const char *name;
    const char *module;
};

struct link_source {
    const struct conf *conf;
    const struct command_lines *lines;
    const char *uuid;         /* the watermark's */
    int marked;               /* whether the output has the watermark */
    const char *output;       /* what was linked */
    const char *program;      /* the compiler's name */
    const char *program_path; /* and its executable */
    const char *wrapper;      /* the program that called the compiler, such as mpicc; "": none */
    const char *command_line; /* its arguments, each with a NUL behind it */
    size_t command_line_size;
    const char *linker;     /* the real linker's path */
    char *const *libraries; /* that were linked in, NULL-terminated; real paths, each once */
    size_t objects;         /* how many other files were: objects and temporary files */
    const struct link_function *functions; /* ordered by name */
    size_t function_count;
    const char *cwd, *host, *user, *cluster;
    uid_t uid;
    uint64_t start_ns, end_ns; /* since the Epoch */
};

/* Builds the record, link.SYSHOST.DATE.USER.UUID.json; hashes the output, and the libraries where
 * the site asks for it. Returns 0 or -ENOMEM. record_free() releases `*record`. */
int link_record_build(const struct link_source *source, struct built_record *record);
