/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processes that have called the linker, from /proc.
 */
#pragma once

#include <stddef.h>

/* What a calling program is for a link, by its name. */
enum ancestor_kind {
    ANCESTOR_OTHER, /* make, a shell that somebody sits at: it and its callers are not looked at */
    ANCESTOR_BETWEEN,  /* a program that compilers call to link, or that runs one: collect2, ccache,
                          sh */
    ANCESTOR_COMPILER, /* gcc, clang, nvfortran */
    ANCESTOR_LANGUAGE, /* a compiler that has another one link: rustc, go */
    ANCESTOR_WRAPPER,  /* a program that adds options and runs a compiler: mpicc, h5cc, nvcc */
};

struct ancestor {
    enum ancestor_kind kind;
    char *path;       /* of the executable; of a script, the script's as it was called */
    const char *name; /* as it was called: the last part of the script's path, or of argv[0] */
    char *argv;       /* NUL-separated, as /proc has it */
    size_t argv_size;
};

enum { ANCESTORS_MAX = 16 };

/* The calling processes, the nearest first. */
struct ancestors {
    struct ancestor process[ANCESTORS_MAX];
    size_t count;
};

/* Reads the parent, and on up to the first process of another kind or that cannot be read. */
void ancestors_read(struct ancestors *ancestors);

void ancestors_free(struct ancestors *ancestors);

/* The compiler, as XALT means it: the nearest one (mpicc calls gcc, which calls collect2, which
 * calls ld: gcc), but the outermost one of those that have another compiler link (rustc calls cc:
 * rustc). Where there is none, the nearest wrapper; NULL where no compiler has called. */
const struct ancestor *ancestors_compiler(const struct ancestors *ancestors);

/* The outermost wrapper around the compiler, or NULL. A compiler that calls another one, such as
 * Cray's cc, counts as one. */
const struct ancestor *ancestors_wrapper(const struct ancestors *ancestors);

/* The parent process, which has looked for a linker; NULL when it cannot be read. */
const struct ancestor *ancestors_caller(const struct ancestors *ancestors);
