/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts opens of libraries by user and program. Counts are lower bounds, since the kernel makes
 * one event of equal ones that follow each other.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "conf/base/hash.h"
#include "contrib/libraries/library_who.h"

/* ---- Kinds of uses --------------------------------------------------------------------------- */

/* How a library was used, by the name of the program that opened it: who runs a program chooses
 * its name. */

enum use_kind {
    USE_OPEN,    /* by the loader for a program that needs it, or by whatever reads it */
    USE_EXEC,    /* as a program, or as the loader of one */
    USE_LINK,    /* by a linker */
    USE_COMPILE, /* by a compiler, such as a module of Fortran */
    USE_EDIT,    /* by an editor or a debugger */
    USE_COPY, /* by what packs, copies, checks or indexes files: nobody needs the library for it */
};
#define USE_KINDS (USE_COPY + 1)

/* As in records: "open", "exec", "link", "compile", "edit", "copy". */
const char *use_kind_word(enum use_kind kind);

/* As in logs: "LIB_OPENED", ... */
const char *use_kind_log_word(enum use_kind kind);

/* That of an executable's path, or of a command's name. */
enum use_kind use_kind_of(const char *program);

/* For all; for one user but root; and of these, those whose commands are distinguished: any user
 * can open a library under any number of names. */
enum { USES_MAX = 16384, USES_OF_USER = 2048, USE_COMMANDS_OF_USER = 256 };

/* Where uses are reported, each by itself: one may be full while the other is not. */
enum use_output { USE_LOG, USE_RECORD };
#define USE_OUTPUTS (USE_RECORD + 1)

struct use {
    char *path; /* owned */
    enum use_kind kind;
    uint64_t count[USE_OUTPUTS]; /* that are still to be reported */
    int64_t late_s;              /* since when it could not be reported; 0: it is new */
    struct library_who who;      /* of the first one */
};

/* {0} at first. */
struct use_counts {
    struct use *use; /* owned */
    size_t count;
    struct id_cache index;
    struct id_cache users; /* how many each of them has */
    uint64_t lost;         /* opens beyond USES_MAX and USES_OF_USER */
};

/* Counts one more. Beyond USE_COMMANDS_OF_USER it has no command, program and login. Returns its
 * place in `use`, or -errno: then it is counted as lost. */
int64_t use_counts_add(struct use_counts *counts, const char *path, enum use_kind kind,
                       const struct library_who *who);

/* Adds what could not be reported of other counts. */
void use_counts_merge(struct use_counts *counts, const struct use *use);

/* The one at this place was none. */
void use_counts_take_back(struct use_counts *counts, size_t place);

/* Empties and releases. */
void use_counts_clear(struct use_counts *counts);

/* ---- Opens ----------------------------------------------------------------------------------- */

/* Which opens were for writing: who writes a library does not use it. The kernel reports an open
 * without saying what it is for, and at its end whether the file was open for writing. So opens are
 * remembered for some time, and one that was for writing is taken back. */

/* The last ones; what was opened before them is not taken back. */
enum { USE_OPENS_MAX = 4096 };

/* {0} at first. */
struct use_opens {
    struct {
        int32_t pid; /* 0: it was taken back */
        size_t use;  /* its place in the counts */
    } open[USE_OPENS_MAX];
    size_t next, count;
};

/* The process has opened the file that this place of the counts is for. */
void use_opens_note(struct use_opens *opens, int32_t pid, size_t use);

/* The process has closed the file, which was open for writing: takes one open back, the process's
 * own if there is one, or else another one's of the file, as of a parent that has handed it on. */
void use_opens_closed(struct use_opens *opens, struct use_counts *counts, int32_t pid,
                      const char *path);

/* Takes back what is open for writing still, and forgets all: places change when counts are
 * written. */
void use_opens_settle(struct use_opens *opens, struct use_counts *counts);
