/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a program is, as far as its name tells: the last part of its path, `size` bytes at `path`.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "submit/job/journal_read.h"

/* Whether the names of both are the same but for a version at the end of the second: "python3" and
 * "python3.11". */
bool program_is_version_of(const char *path, const char *versioned, size_t size);

/* The kind of the container that this runtime makes, as preload/capture.c names it; NULL: none. */
const char *program_container(const char *path, size_t size);

/* The runtime of a container. */
bool program_is_runtime(const char *path, size_t size);

/* The dynamic loader: it runs the program that is its argument (ld.so(8)), which has the record. */
bool program_is_loader(const char *path, size_t size);

/* Whether the kernel's path of an executable may stand for another one in the record
 * (preload/exec_path.c): the loader's, and that of a copy that has none. */
bool program_is_stand_in(const char *path, size_t size);

/* A shell: what it does beside starting programs is not distinguished from waiting for them. */
bool program_is_shell(const char *path, size_t size);

/* Starts the tasks of a parallel program, or is their daemon on a node: mpirun, srun, orted. */
bool program_is_launcher(const char *path, size_t size);

/* Such a one whose children are tasks, or may be: mpirun, orted; not srun. */
bool program_forks_tasks(const char *path, size_t size);

/* A launcher's daemon on a node. */
bool program_is_daemon(const char *path, size_t size);

/* ---- Programs that only start another one ---------------------------------------------------- */

/* Programs that only start another one: what they leave says nothing of the work of a job. They are
 * known by name, and those that belong to the operating system also by their directory: a user's
 * ~/tools/flock may be anything. Shells are none: they do work of their own. */

enum wrapper_kind {
    WRAPPER_NONE,     /* another program */
    WRAPPER_REPLACES, /* it becomes the other program: it is over when it has begun (env, nice) */
    WRAPPER_WAITS,    /* it starts the other program and waits for it (time, timeout) */
};

/* Of the executable whose path is the `size` bytes at `path`, which may be NULL. */
enum wrapper_kind wrapper_kind(const char *path, size_t size);

/* ---- The program of a task ------------------------------------------------------------------- */

/* The program that a task was to run, as its file is after the job: whether the library can have
 * been preloaded into it. To be called as the job's user. */

enum program_kind {
    PROGRAM_UNKNOWN,    /* cannot be read, or is no ELF file */
    PROGRAM_MISSING,    /* there is no such file now */
    PROGRAM_DYNAMIC,    /* loaded by a dynamic loader */
    PROGRAM_STATIC,     /* no dynamic loader, so that nothing can be preloaded */
    PROGRAM_PRIVILEGED, /* set-user-id and the like: the loader ignores the environment */
};

struct program {
    enum program_kind kind;
    char path[PATH_MAX]; /* real; a script's interpreter; program_asked_for() where there is none */
};

/* Puts the path that `launched` names into `path`: absolute where the journal tells from where.
 * What is looked for in PATH stays a name; "" where it is too long. */
void program_asked_for(const struct journal_program *launched, char path[PATH_MAX]);

/* Whether the file that `launched` names is there, and its real path; a script's is the script. */
bool program_find_file(const struct journal_program *launched, char real[PATH_MAX]);

/* Finds the program that `launched` names, for the user `uid` of the group `gid`. */
void program_find(const struct journal_program *launched, uid_t uid, gid_t gid,
                  struct program *program);
