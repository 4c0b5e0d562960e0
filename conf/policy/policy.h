/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The compiled policy: the format of the file that `jobtrail-conf compile` writes from
 * jobtrail.conf and that every process of a job maps read-only.
 *
 * The file is position independent: a header, then sections that the header points to by
 * byte offset from the start of the file. All integers are in the byte order of the machine
 * that compiled it; a reader refuses a file with another magic, version or size. Nothing in
 * it is a secret and it must be readable by all users.
 *
 * A pattern list becomes one DFA: `struct policy_dfa`, then `states` cells of uint16_t
 * (0: no rule accepts here; n: the rule of index n - 1 decides), then `states * classes` cells of
 * uint16_t (the next state, row by row, in the order of the distance from the start). State
 * POLICY_DEAD is the one that never accepts: a matcher may stop there. After the DFA's cells,
 * aligned to 4 bytes, come `rules` entries of `struct policy_rule`. A DFA of a list without rules
 * has states == 0.
 */
#pragma once

#include <stdint.h>

#include "spank/job_formats.h"

#define POLICY_MAGIC     UINT64_C(0x59434c4f50544f4a) /* "JOTPOLCY" read as little endian */
#define POLICY_VERSION   JOB_FORMATS
#define POLICY_MAX_BYTES (16u << 20)
#define POLICY_DEAD      0u

/* The actions of rules. Where no rule of a list matches, the caller's default holds. */
enum policy_action {
    POLICY_NONE = 0,
    POLICY_KEEP = 1,
    POLICY_SKIP = 2,
    POLICY_PKGS = 3,
    POLICY_RUNTIME = 4,  /* kept; where it enters another root, the library stays outside */
    POLICY_CUSTOM = 5,   /* of a path: the argument rules decide */
    POLICY_CONTINUE = 6, /* of an argument: the next one decides */
    POLICY_JUMP_1 = 7,   /* of an argument: the one after it is skipped, too */
    POLICY_JUMP_2 = 8,   /* ... the two after it */
    POLICY_JUMP_3 = 9,
    POLICY_JUMP_4 = 10,
    POLICY_HIDE = 11, /* of a text in a command line: the secret that it announces is replaced */
    POLICY_ACTIONS
};

/* How much of a command line is recorded. */
enum policy_command_line {
    POLICY_LINE_YES = 0,
    POLICY_LINE_PROGRAM = 1, /* the first argument alone */
    POLICY_LINE_NO = 2,
};

/* Argument rules are applied to so many bytes of a process's arguments, NULs not counted. The first
 * argument that does not fit ends the list. */
#define POLICY_ARGUMENT_BYTES (64u << 10)

/* A sampling table has no more entries. */
#define POLICY_INTERVALS_MAX 16u

/* The sections, in the order of policy_header.section[]. */
enum policy_section {
    POLICY_HOST,     /* DFA over the node's host name; no match keeps */
    POLICY_PATH,     /* DFA over the executable's whole path; no match keeps */
    POLICY_ENV,      /* DFA over the name of an environment variable; no match skips */
    POLICY_SPOOL,    /* string: spool directory, may hold %n (node name) */
    POLICY_LIBRARY,  /* string: what goes into LD_PRELOAD, absolute */
    POLICY_SUBMIT,   /* string: path of jobtrail-submit, absolute */
    POLICY_CONF,     /* string: path of the jobtrail.conf that this was compiled from */
    POLICY_SCALAR,   /* struct policy_interval[]: sampling of programs without MPI */
    POLICY_MPI,      /* struct policy_interval[]: sampling below always_ranks */
    POLICY_ARGUMENT, /* DFA over "PATH;ARGUMENT", see policy_decide(); no match continues */
    POLICY_PKG, /* DFA over "PROGRAM:name:NAME" and "PROGRAM:path:PATH" of a package, PROGRAM as
                   in records (R, python, ...); of the two rules that match, the earlier one
                   decides; no match keeps */
    POLICY_PARTITION, /* DFA over the job's partition; no match keeps */
    POLICY_ACCOUNT,   /* DFA over the job's account; no match keeps */
    /* string: directory of the languages' hooks, absolute; "": none */
    POLICY_HOOKS,
    POLICY_REDACT,  /* DFA over "KIND:TEXT", see redact.h; no match keeps */
    POLICY_TABLES,  /* struct policy_known_table[]: the sampling tables of this policy and of those
                       that were in force before it, the newest first */
    POLICY_ROUTINE, /* DFA over "soname:NAME", "path:PATH", "below:PATH" and "archive:NAME" of a
                       library, which no match skips, and over "routine:LIBRARY:NAME" of a routine
                       of a designated one, which no match keeps; LIBRARY is its soname or the
                       archive's name. The rules of "below:" are of the directories of modules */
    POLICY_PROFILE, /* DFA over the executable's whole path: programs that leave a profile where
                       their step asks for it; no match keeps */
    POLICY_SECTIONS
};

/* The site's switches, policy_header.switches. The plugin hands them to tasks as the XALT_*
 * variables that users know. */
#define POLICY_TRACK_SCALAR  1u
#define POLICY_TRACK_MPI     2u
#define POLICY_SAMPLE        8u
#define POLICY_CATCH_SIGNALS 16u
#define POLICY_ENABLED       32u  /* without it nothing is put into jobs */
#define POLICY_OPT_OUT       64u  /* users may give --jobtrail=no */
#define POLICY_COUNTS        256u /* calls of designated routines are counted */
/* [profile] steps: asked, all; neither is none */
#define POLICY_PROFILE_ASKED 512u
#define POLICY_PROFILE_ALL   1024u
#define POLICY_PROFILE_EXACT 2048u /* [profile] mode: exact */
#define POLICY_PROFILE_KEPT  4096u /* [profile] directory is set */
/* [spool] mount: yes, no; neither is auto */
#define POLICY_MOUNT    65536u
#define POLICY_NO_MOUNT 131072u

struct policy_span {
    uint32_t offset; /* bytes from the start of the file */
    uint32_t size;   /* bytes; a string's size does not count its terminating NUL, which is there */
};

struct policy_header {
    uint64_t magic;
    uint32_t version;
    uint32_t size;             /* of the whole file, bytes */
    uint64_t ledger_bytes;     /* a job's ledger on one node, at the most */
    uint64_t profile_bytes;    /* a job's profile on one node, where it has one */
    uint32_t epilog_timeout_s; /* how long an epilog waits for the flush */
    uint32_t switches;         /* POLICY_TRACK_SCALAR ... */
    uint32_t always_ranks;     /* MPI programs of this size and above are never sampled out */
    uint32_t command_line;     /* enum policy_command_line */
    uint64_t scalar_table;     /* identity of POLICY_SCALAR (struct policy_known_table); 0: empty */
    uint64_t mpi_table;        /* identity of POLICY_MPI; 0: empty */
    struct policy_span section[POLICY_SECTIONS];
};

struct policy_dfa {
    uint32_t states;
    uint32_t classes; /* of bytes that all states treat alike, 1..256 */
    uint32_t start;   /* state */
    uint32_t rules;
    uint8_t class_of[256];
};

/* Runs that last `from_ns` and longer, up to the next entry's `from_ns`, are kept with this
 * probability. The first entry is from 0, they ascend. A section without entries keeps all. */
struct policy_interval {
    uint64_t from_ns;
    uint64_t threshold; /* kept when 64 random bits are <= threshold: UINT64_MAX is always */
    double probability; /* the same, (0, 1], as it is recorded */
};

/* A sampling table that a run may have been sampled by: a job goes on when another is compiled. */
struct policy_known_table {
    uint64_t identity; /* the same for the same intervals, and not 0 */
    uint32_t count;    /* of intervals, 1 to POLICY_INTERVALS_MAX */
    uint32_t unused;   /* 0 */
    struct policy_interval interval[POLICY_INTERVALS_MAX];
};

/* A policy has no more of them. */
#define POLICY_KNOWN_TABLES_MAX 32u

struct policy_rule {
    uint32_t action; /* enum policy_action */
    uint32_t line;   /* in jobtrail.conf, from 1; 0: a built-in rule */
};
