/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where records are found: run.*.json, link.*.json, pkg.*.json and coverage.*.json in a directory
 * and in its subdirectories that writers make, or one file of any name. Those are numbers (000,
 * 001, ...), and kinds (run, link, pkg, coverage) with or without numbers in them. A writer
 * renames a file when it is whole; names that start with a dot are still being written. Nothing
 * below the given path is reached through a symbolic link.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "submit/definition/record_keys.h"
#include "submit/load/parse/load_reason.h"

/* A place in a source: `name` in the subdirectory `sub`, "" for the source itself. */
struct load_place {
    char sub[20]; /* "017", "run", "run/017" */
    char name[NAME_MAX + 1];
};

/* What the caller named. */
struct load_source {
    const char *path; /* not owned */
    const char *name; /* of a single file, in `path`; NULL for a directory */
    int fd;           /* the directory */
};

struct load_visitor {
    void *context;
    /* Called for each file, whose directory is open as `dir_fd`; anything but 0 ends the walk. */
    int (*visit)(void *context, int dir_fd, const struct load_place *place);
    /* Called for each subdirectory that cannot be read, with a positive errno. */
    void (*unreadable)(void *context, const char *sub, int error);
};

/* The kind of record that a file of this name holds; RECORD_KINDS when it is no record's name. */
enum record_kind place_kind(const char *name);

/* Opens the directory or the directory of the file `path`, which must live as long as `*source`.
 * Returns 0, and the caller closes `fd`; or -errno. */
int source_open(const char *path, struct load_source *source);

/* Visits every record of the source, in no order. Returns 0, -errno, or what `visit` returned. */
int source_walk(const struct load_source *source, const struct load_visitor *visitor);

/* Opens the directory `sub` of the source, "" for the source itself. Returns a descriptor of its
 * own or -errno. */
int source_open_sub(const struct load_source *source, const char *sub);

/* Removes the file at the place. Returns 0, also when it is gone already, or -errno. */
int source_remove(const struct load_source *source, const struct load_place *place);

#define LOAD_TEXT_MAX_BYTES (16u << 20)

/* Reads the file `name` in the directory `dir_fd`. `*closed` becomes whether nobody but root and
 * the effective user can change the file, or put another in its place. Returns 0 with the
 * malloc'ed, NUL-terminated text in `*text` and its size without the NUL in `*size`; -EBADMSG with
 * `*reason` when the file is to be set aside; -ENOENT when it is gone, which another loader may
 * have seen to; -ENOMEM. */
int load_text(int dir_fd, const char *name, char **text, size_t *size, bool *closed,
              struct load_reason *reason);

/* Whether nobody but root and the effective user can change the directory. */
bool load_directory_is_closed(int fd);
