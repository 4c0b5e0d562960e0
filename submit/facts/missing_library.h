/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a dynamic loader can have found the libraries that a program needs, by what the files are
 * after the job: the program's DT_NEEDED, those of its libraries, and the versions of symbols that
 * they need of each other. Searched is wherever ld.so(8) may look: DT_RPATH and DT_RUNPATH of all
 * that led there, LD_LIBRARY_PATH, ld.so.conf, ldconfig's cache, the system's directories, each
 * with the directories for kinds of processors. To be called as the job's user.
 */
#pragma once

#include <stdbool.h>

/* How the dynamic loader of the C library ends a program that it cannot start. */
enum loader_verdict {
    LOADER_STARTS = 0,    /* or that is not sure */
    LOADER_OLD = 1,       /* its exit code where a library lacks a version */
    LOADER_MISSING = 127, /* its exit code where a library is in none of the places */
};

struct loader_places {
    const char *library_path; /* LD_LIBRARY_PATH; "": there was none */
    const char *preload;      /* LD_PRELOAD, whose objects may be what others need; "" likewise */
    bool passes_over_cwd;     /* places below the working directory, which is not known, count as
                                 empty; else they may have anything */
};

/* The most files that are looked for: users choose how many places there are. */
enum { LOADER_LOOKS_MAX = 1 << 16 };

enum { LIBRARY_NAME_SIZE = 256 };

/* What the loader does with the program. `name` gets the library for which it does not start it, as
 * the loader names it; "": it starts, or the name has 256 bytes or more. `looks`: how many files
 * may be looked for, which is counted down; LOADER_LOOKS_MAX for all programs of a job. Not sure is
 * also where these are too few, what cannot be read, unless its mode keeps the user out for
 * certain, what has no section headers, a program whose loader is not glibc's in /lib, and out of
 * memory. */
enum loader_verdict missing_library(const char *program, const struct loader_places *places,
                                    unsigned *looks, char name[LIBRARY_NAME_SIZE]);
