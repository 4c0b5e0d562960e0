/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One change of one library's file, as a scan reports it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/elf_segments.h"
#include "contrib/libraries/library_who.h"
#include "submit/facts/file_hash.h"

enum library_change_kind {
    LIBRARY_NONE,     /* nothing that is reported */
    LIBRARY_ADDED,    /* seen for the first time */
    LIBRARY_MODIFIED, /* the same file with other content */
    LIBRARY_REPLACED, /* another file under this name */
    LIBRARY_TOUCHED,  /* other times or attributes, the same content */
    LIBRARY_MOVED,    /* under another name than before */
    LIBRARY_REMOVED,
};

enum { LIBRARY_TEXT_SIZE = 256 };

/* What is known of a file at one time. Texts that are not known are "". */
struct library_file {
    uint64_t device, inode; /* device 0: not known */
    int64_t size;
    int64_t modified_ns,
        changed_ns;  /* since the Epoch. changed_ns 0: the file may have been written
                        to after it was read, within the resolution of its times */
    uint32_t owner;  /* uid */
    bool is_private; /* not all can read it: its hash is told to nobody */
    bool is_anyones; /* all can write to it; not in the state */
    char sha1[FILE_HASH_SIZE];
    char build_id[2 * BUILD_ID_MAX + 1]; /* hexadecimal */
    char soname[LIBRARY_TEXT_SIZE];
    char name[LIBRARY_TEXT_SIZE];    /* of the library that it is part of, or "~USER", see
                                        library_owners.h; never "" */
    char package[LIBRARY_TEXT_SIZE]; /* the package manager's; with its version */
    char version[LIBRARY_TEXT_SIZE]; /* of the package, else of the module */
};

struct library_change {
    enum library_change_kind kind;
    const char *path;            /* any bytes but NUL; of what is removed, where it was */
    const char *from;            /* of what is moved: where it was; else NULL */
    const char *group;           /* of [libraries] group; "": none */
    struct library_file was, is; /* `was` of what is added, and `is` of what is removed, are {0} */
    unsigned links;              /* other names of the same file, for which nothing is reported */
    bool is_first;               /* the tree is scanned for the first time */
    bool is_beyond;              /* it is counted alone: its owner has too many changes */
    int64_t found_s;             /* since the Epoch */
    struct library_who who;
    int64_t seen_s; /* when the scan before began, which saw all; 0: not known */
};

/* "added", "modified", ...; NULL for LIBRARY_NONE. */
const char *library_change_word(enum library_change_kind kind);

/* What becomes of a file that was `was` and is `is` under the same name. `same_device`: both are of
 * one file system. */
enum library_change_kind library_change_judge(const struct library_file *was,
                                              const struct library_file *is, bool same_device);
