/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Captures out of a ledger (preload/ledger.h), one at a time. The file is the user's: every number
 * in it is checked before it is used, the file is read and never mapped, and a slot that is not
 * valid is counted and skipped.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Bytes in the reader's memory; not terminated. */
struct capture_bytes {
    const char *at; /* NULL: the field is missing */
    size_t size;
    int cut; /* the process had more */
};

/* An object that was loaded while the program ran has no build-id. */
struct capture_object {
    struct capture_bytes path, build_id;
};

struct capture_ancestor {
    int32_t pid;
    struct capture_bytes name, path, argv; /* argv: arguments, each ended by NUL */
};

/* A designated library. */
struct capture_library {
    uint32_t number; /* in the ledger */
    struct capture_bytes path, build_id;
};

/* A routine of such a library that was called, or may have been. The same one may be there several
 * times. */
struct capture_routine {
    uint32_t library;  /* of capture.routine_libraries */
    int is_at_least;   /* there may have been more calls than `calls` */
    int is_missed;     /* no call was seen, and some could not be */
    uint64_t first_ns; /* of the first call, since the Epoch; 0: unknown */
    uint64_t calls;    /* where calls are counted */
    struct capture_bytes name;
};

enum {
    CAPTURE_OBJECTS_MAX = 2048,
    CAPTURE_ANCESTORS_MAX = 16,
    CAPTURE_ROUTINES_MAX = 4096,
    CAPTURE_ROUTINE_LIBRARIES_MAX = 64,
    CAPTURE_ROUTINE_NAME_MAX = 255, /* bytes */
};

#define CAPTURE_UNKNOWN UINT32_MAX

struct capture {
    uint64_t offset; /* in the ledger: of the slot */
    uint32_t stub;   /* of a stub: its place in the slot, bytes; 0: this is a capture */
    int is_stub; /* the process has left out its run by sampling. Known are only exec, pid, ppid,
                    the ancestors' pids, step, task, task_pid, rank, size, the times and
                    name_space */
    int32_t pid, ppid;
    uint64_t start_ticks; /* of the process, or where `first` is set of the run; 0: unknown */
    uint64_t start_ns;
    uint64_t end_ns;       /* 0: the process has written no end */
    uint64_t up_ns;        /* CLOCK_BOOTTIME at the start; 0: unknown */
    uint64_t elapsed_ns;   /* how long it ran, by a clock that nobody sets; 0: unknown */
    int has_clock_step;    /* whether that is known of clock_step_ns */
    int64_t clock_step_ns; /* by how much the real-time clock was set during the run; 0: not by
                              LEDGER_CLOCK_STEP_NS or more */
    uint8_t uuid[16];
    uint32_t rank, size;
    uint64_t random;     /* what sampling compares with */
    double probability;  /* with which the process kept its run; 0: it has not decided */
    uint64_t table;      /* identifies the sampling table (conf/policy/policy.h); 0: none applied */
    uint32_t signal;     /* caught by the library at the end; 0: none */
    uint32_t gpus;       /* devices held open at the end */
    uint32_t end_by;     /* enum ledger_end: who stored end_ns */
    uint32_t step, task; /* from the process; UINT32_MAX: unknown */
    int32_t task_pid;    /* from the process: of the task that it is or descends from; 0: unknown */
    struct capture_bytes exec, cwd, argv, env, watermark, build_id, container;
    struct capture_bytes facts;     /* NAME=VALUE of the variables in preload/fact_variables.h */
    uint64_t name_space;            /* inode of the pid namespace that `pid` is of; 0: the task's */
    struct capture_object *objects; /* in the reader's memory */
    size_t object_count;
    struct capture_ancestor ancestors[CAPTURE_ANCESTORS_MAX];
    size_t ancestor_count;
    int has_routines; /* the following is known: calls of designated libraries were watched */
    struct capture_library *routine_libraries; /* in the reader's memory */
    size_t routine_library_count;
    struct capture_routine *routines; /* in the reader's memory */
    size_t routine_count;
    int routines_counted;      /* each call was */
    uint32_t routines_watched; /* imports that were watched */
    uint64_t routines_missed;  /* imports, libraries and calls that were not */
    int wants_start;           /* its start gets a record of its own, because of its size */
    int pkgs;                  /* the policy's action was `pkgs` */
    int first;                 /* no earlier capture is of the same process */
    int misdated;              /* start_ns is a bound of the reader's */
    int keep;                  /* sampling did not apply to it when it started */
    int cut;                   /* fields are missing, or end early */
    uint32_t unlisted;         /* objects that the process had loaded and that the ledger has not;
                                  CAPTURE_UNKNOWN: it did not end by itself, or had threads */
    uint32_t beyond;           /* objects that the ledger has beside `objects` */
};

/* A start that lies more than `slack_ns` outside is taken for the bound. */
struct ledger_bounds {
    uint64_t first_ns, last_ns, slack_ns;
};

struct ledger_reader {
    uint64_t dropped;                /* captures that found no room, from the ledger */
    uint64_t others_runs, others_ns; /* runs that were sampled out and found no room for a stub:
                                        how many, and how long they ran in all */
    size_t damaged;  /* slots that are not valid, and 1 for all slots beyond `most` */
    size_t misdated; /* captures and stubs that ledger_next() gave, whose starts are bounds */
    struct ledger_bounds starts; /* after ledger_open(): all are believed */
    uint64_t at, end;            /* offsets of the next slot and of the end */
    int fd;
    struct ledger_memory *memory; /* owned; of a fixed size */
};

/* Prepares to read the first `most` bytes of the ledger open at `fd`, which stays the caller's: a
 * ledger has at most so many bytes, but its owner can make the file longer. Returns 0; -EINVAL when
 * it is no ledger; -ENOMEM; or -errno of the read. ledger_close() releases `*reader`, written only
 * on success. */
int ledger_open(int fd, uint64_t most, struct ledger_reader *reader);

/* The next capture or stub; the stubs of a slot come after its capture, the newest first. What it
 * points to is valid until the reader is used again. Returns 1, 0 at the end, or -errno. */
int ledger_next(struct ledger_reader *reader, struct capture *capture);

/* The capture at `offset`, where ledger_next() has found one: its owner may have changed it since.
 * It is read again, unless it lies a few slots behind the one that was read last. Returns 1; 0 when
 * there is none any more; -EINVAL when it is damaged; or -errno of the read. */
int ledger_at(struct ledger_reader *reader, uint64_t offset, struct capture *capture);

/* The stub at `stub` in the slot at `offset`, where ledger_next() has found one; it may be what was
 * there when the slot was read last. Returns 1; 0 where the file ends before; -EINVAL where there
 * is none or a damaged one; or -errno of the read. */
int ledger_stub_at(struct ledger_reader *reader, uint64_t offset, uint32_t stub,
                   struct capture *capture);

/* As ledger_at(), for a walk from page to page while processes still write: `*step` is how many
 * bytes to go on. 0: the slot is being filled or on a free list, or there is none. */
int ledger_slot(struct ledger_reader *reader, uint64_t offset, uint32_t *step,
                struct capture *capture);

void ledger_close(struct ledger_reader *reader);
