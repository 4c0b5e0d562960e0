/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the kernel reported of a process of a job, as endings and records have it, and for how much
 * of the job. The extension `witness` reads it from its file beside the journal
 * (contrib/witness/job/kernel_notes.h); without it there is none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum kernel_note_lack {
    KERNEL_LACK_START = 1,   /* it is older than the listener: START is known to 10 ms, and what its
                                threads used that had ended before is not counted */
    KERNEL_LACK_END = 2,     /* events were lost: it was gone at END, when somebody looked */
    KERNEL_LACK_STATUS = 4,  /* nothing is known but the times */
    KERNEL_LACK_THREADS = 8, /* ends of threads were lost: what it used is a lower bound */
    KERNEL_LACK_OBJECTS = 16, /* its mappings were not heard, or not those as its last program
                                 began: the reader adds this where events were lost then */
    KERNEL_LACK_LIBRARY = 32, /* its last program had not mapped jobtrail's library */
    KERNEL_LACK_LOADER = 64,  /* nor any file but its own: it is static */
    KERNEL_LACK_LEDGER = 128, /* the library of its last program told that it could leave no capture
                                 (preload/entry.c) */
    KERNEL_LACK_CAPTURE = KERNEL_LACK_LIBRARY | KERNEL_LACK_LEDGER,
    /* What it used is not known, or not all of it. */
    KERNEL_LACK_USED =
        KERNEL_LACK_START | KERNEL_LACK_END | KERNEL_LACK_STATUS | KERNEL_LACK_THREADS,
};

/* One process, as its line in that file has it. */
struct kernel_note {
    int32_t pid, parent; /* parent 0: unknown */
    uint64_t start_ns, parent_start_ns, end_ns, exec_ns;
    uint32_t execs, program, lack, uid;
    int status;
    uint64_t run_ns, system_ns, peak_kib, read_bytes, write_bytes, device, inode;
    uint32_t objects;
    uint64_t major_faults;
};

/* Sums over processes that a program forked, or these forked, and that executed nothing. */
struct kernel_forked {
    uint64_t count, signaled; /* of those, how many a signal ended */
    uint64_t run_ns, read_bytes, write_bytes;
    uint64_t peak_kib; /* the largest */
    bool is_least;     /* there may have been others, or more of what they used */
};

/* A note as it was read. */
struct kernel_noted {
    struct kernel_note note;
    struct kernel_forked forked;          /* by its last program */
    uint64_t end_real_ns, exec_real_ns;   /* since the Epoch; exec 0: none was seen */
    const struct kernel_program *program; /* NULL: unknown */
    const struct kernel_objects *objects; /* NULL: none, or unknown */
};

/* For how much of a job the kernel witness speaks: root's word. */
struct kernel_account {
    const char *level;   /* "off": nobody has asked for it; "none": nobody has listened; "ends";
                            "objects": mappings too */
    uint64_t processes;  /* that have ended, and are reported */
    uint64_t programs;   /* that these executed, as far as each is reported */
    uint64_t older;      /* of these, than the listener */
    uint64_t partial;    /* of these, whose status, or what they used, is not known, or not all */
    uint64_t left;       /* that have ended, and had no room */
    uint64_t lost;       /* events of the node's processes, of whatever job */
    uint64_t overruns;   /* times that ends of the node's threads had no room */
    uint64_t unheard_ns; /* of the job's time nobody listened */
};

/* Of how many processes it says the same as the captures; of how many not, by a known cause, and by
 * none. The reader's word. */
struct kernel_agreement {
    uint64_t agreed, explained, unexplained;
    char causes[1024]; /* "NAME=NUMBER …", as in contrib/witness/witness_causes.def */
};

/* What captures are compared by with it. */
struct kernel_comparison {
    const void *policy; /* usable; NULL: only processes of other pid namespaces are to be found */
    const struct journal *journal;
    const struct kernel_notes *kernel;
    struct ledger_reader *reader;
    const struct succession *succession;
    uint64_t last_ns; /* the job's end, since the Epoch */
    bool is_excluded; /* the site skips the job: its captures are not looked at */
    bool has_ledger;
};
