/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A change of a library of the site, or a use of one from outside of jobs and links, as a record:
 * lib.SYSHOST.DATE.USER.UUID.json. Its keys are in contrib/libraries/library_keys.def.
 *
 * Root alone writes such records: no gate takes one from a user.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "submit/record/record.h"

/* What is not known: a number, and a time. */
#define LIBRARY_RECORD_NONE INT64_MIN

/* A file before or after a change. Texts that are not known are "" or NULL. */
struct library_record_file {
    int64_t size;        /* bytes */
    int64_t modified_ns; /* since the Epoch */
    const char *sha1, *build_id, *soname, *package, *version;
    int64_t owner; /* uid */
};

/* Nothing is known of it, or there was none. */
#define LIBRARY_RECORD_NO_FILE                                                                     \
    {                                                                                              \
        .size = LIBRARY_RECORD_NONE, .modified_ns = LIBRARY_RECORD_NONE,                           \
        .owner = LIBRARY_RECORD_NONE                                                               \
    }

/* Who did it: all unknown where a scan has found it, or where the process was gone. */
struct library_record_who {
    int64_t uid, login_uid;
    const char *user;    /* name; NULL or "": not known */
    const char *program; /* path of the executable; "" */
    const char *command; /* "" */
    int64_t job;
    const char *step; /* as journal_step_text() has it; "" */
};
#define LIBRARY_RECORD_NOBODY                                                                      \
    {                                                                                              \
        .uid = LIBRARY_RECORD_NONE, .login_uid = LIBRARY_RECORD_NONE, .job = LIBRARY_RECORD_NONE   \
    }

/* All texts may have any bytes but NUL; NULL is as "". */
struct library_record_source {
    const struct conf *conf;
    const char *node;    /* host name of this node */
    const char *cluster; /* Slurm's name of it, or "" */

    bool is_use;
    const char *what; /* of a change: added, modified, replaced, touched, moved, removed; of a use:
                         open, exec, link, compile, edit, copy */
    const char *library, *group;
    const char *path;
    const char *path_before; /* of what was moved */
    uint64_t files;          /* that the record stands for: 1, or more without their names */
    uint64_t links;          /* other names of the same file */
    uint64_t count;          /* of uses, at least; of a change 0 */
    bool is_first;           /* the tree was scanned for the first time */
    int64_t found_ns;        /* when it was seen, since the Epoch */
    /* Between these two it was, or the uses were; one that was seen when it was has the same in
     * all. */
    int64_t after_ns, before_ns; /* after: may be LIBRARY_RECORD_NONE */
    const char *source;          /* scan, watch, atime */
    /* What changes of one installation have in common, 36 characters; NULL: changes of one library
     * that were found at one time on this node are one. */
    const char *event;
    struct library_record_who who;
    struct library_record_file was, is;
};

/* Builds the record. The same facts (node, what, path, found_ns, the file, and of a use who and
 * source) give the same uuid: it may be built again after a kill, also where by then nobody knows
 * any more who has changed the file. Returns 0, -ENOMEM, or -EIO where there is no
 * hash (uuid7.h). record_free() releases `*record`. */
int library_record_build(const struct library_record_source *source, struct built_record *record);
