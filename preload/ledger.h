/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ledger: the format of the file in which the processes of one job on one node leave their
 * captures. Root makes it at launch (spank/), processes of the job's user fill it (preload/), the
 * flush reads it (submit/). All integers are in the machine's byte order, all offsets and sizes
 * in bytes.
 *
 * A page of the format has LEDGER_PAGE bytes. The kernel's may be larger (16 or 64 KiB). A process
 * then maps the kernel's pages that its slot lies in, which may have parts of other slots as well.
 *
 *     page 0             struct ledger_header
 *     pages 1 to 7       struct ledger_ancestor, four a page
 *     page 8             not used, so that the mappings of head and slot never become one
 *     page 9 ..          slots, each a whole number of pages: 4 KiB << class
 *
 * A slot begins with struct ledger_slot. After it come `fields_bytes` of fields, each a struct
 * ledger_field and its content, padded to 8 bytes. A process claims a slot by taking one of its
 * class from a free list, or by advancing `used_bytes`. While it fills the slot, the state is
 * LEDGER_FREE and readers skip the slot. It publishes the slot by storing LEDGER_OPEN. At its end
 * it signs: it stores more fields after the first ones, `end_ns`, and then the state LEDGER_ENDED,
 * into memory that stays mapped.
 *
 * A run that is sampled out leaves a stub instead, which tells when it ran and what: a struct
 * ledger_stub at the end of the slot, or before the stubs that are there. Then the slot goes on the
 * free list. Its next owner leaves `stub_units` as they are. A slot that has too little room for
 * another capture beside its stubs is not used again.
 *
 * A pid alone does not identify a process: the kernel reuses pids, and one process can run several
 * programs (execve). The header counts the runs that have begun and not signed, in LEDGER_BUCKETS
 * buckets by pid. Where the bucket of its pid is empty, no earlier capture can be of this process.
 * The slot then has LEDGER_SLOT_FIRST and the clock ticks at which the run began, which the process
 * knows without a system call. Otherwise the process reads its true start from /proc.
 *
 * A bucket also leads to the slot that was claimed last, and each slot to the one before it in its
 * bucket. A program that is not recorded finds there the run of the program before it in the same
 * process, and signs it: `end_ns`, `end_by`, LEDGER_ENDED. This is a hint, and may be missing.
 *
 * Processes of one parent share what is recorded about it: the first one stores that as a struct
 * ledger_ancestor, see there.
 *
 * The file has its final size from the start, since RLIMIT_FSIZE limits growing alone. Its blocks
 * are allocated up to `backed_bytes`. Beyond that, a process allocates its slot with fallocate()
 * before it touches it, with all of the kernel's pages that it lies in: touching a page that is not
 * wholly allocated would be SIGBUS on a full file system.
 *
 * User processes can write anything into the file. Readers take nothing about identity from it, and
 * check every number. They walk page by page, and skip a page that does not begin a valid slot.
 */
#pragma once

#include <stdint.h>

#include "spank/job_formats.h"

/* "\x7f\nJTLGR1", and from JOB_FORMATS 2 on "\x7f\nJTLGR2" and so on */
#define LEDGER_MAGIC      (UINT64_C(0x3152474c544a0a7f) + ((uint64_t)(JOB_FORMATS - 1) << 56))
#define LEDGER_SLOT_MAGIC UINT64_C(0x31544c53544a0a7f) /* "\x7f\nJTSLT1" */
#define LEDGER_PAGE       4096u
#define LEDGER_HEAD       (8 * LEDGER_PAGE) /* the header and what processes share about ancestors */
#define LEDGER_FIRST      (9 * LEDGER_PAGE) /* offset of the first slot */
#define LEDGER_CLASSES    6
#define LEDGER_BUCKETS    984
#define LEDGER_ANCESTORS  28
#define LEDGER_SLOT_MAX   (LEDGER_PAGE << (LEDGER_CLASSES - 1)) /* 128 KiB */

/* The real-time clock has been set where it differs from CLOCK_MONOTONIC by so much at the end of a
 * run: more than two ticks of the kernel's clock, which are 20 ms, and less than that by which ntpd
 * sets it at the least, 128 ms. */
#define LEDGER_CLOCK_STEP_NS UINT64_C(100000000)

/* A named pipe in the node's spool directory, which the watcher reads. A process writes a byte when
 * a run of policy_header.always_ranks ranks or more has begun. */
#define LEDGER_WAKE "wake"

/* Beside the ledger, the file for profiles, if the job leaves one. */
#define PROFILE_NAME "profile"

enum ledger_state {
    LEDGER_FREE = 0,  /* being filled, or on a free list */
    LEDGER_OPEN = 1,  /* the process runs, or has ended without its exit handlers */
    LEDGER_ENDED = 2, /* the process reached its exit handlers, or a signal's handler, at end_ns */
};

/* Who stored ledger_slot.end_ns. */
enum ledger_end {
    LEDGER_END_OWN = 0,      /* the program itself */
    LEDGER_END_REPLACED = 1, /* the next program of its process, which is not recorded */
};

/* Why captures were lost, counted in ledger_header.dropped[]. */
enum ledger_drop {
    LEDGER_DROP_FULL,  /* the ledger's size is used up */
    LEDGER_DROP_SPACE, /* the file system had no room for a slot */
    LEDGER_DROP_MAP,   /* mmap failed */
    LEDGER_DROPS
};

struct ledger_header {
    uint64_t magic;
    uint64_t size_bytes;   /* of the file; no slot lies beyond */
    uint64_t backed_bytes; /* allocated by root at launch */
    uint64_t used_bytes;   /* atomic; end of the last slot handed out */
    /* Atomic; heads of the lists of free slots, by class: page number of the slot in the low 32
     * bits (0: none), a counter against ABA in the high ones. */
    uint64_t free_list[LEDGER_CLASSES];
    uint64_t dropped[LEDGER_DROPS]; /* atomic */
    /* The directory `/` where the ledger was made; 0: unknown. What is there marks no container: a
     * node may be one itself. */
    uint64_t root_device, root_inode;
    /* Atomic; of the slots that have stubs: they take half of the ledger at the most. */
    uint64_t stub_slot_bytes;
    /* Atomic; the runs that were sampled out and have no stub, as there was no room for it: how
     * many, and how long they ran in all. */
    uint64_t others_runs, others_ns;
    /* Atomic, by `pid % LEDGER_BUCKETS`: LEDGER_RUNS and LEDGER_LAST. */
    uint32_t runs[LEDGER_BUCKETS];
};

/* Of ledger_header.runs[]: how many runs have begun and not signed. LEDGER_RUNS_MANY stands for as
 * many or more, and never changes again. Runs that were killed are never subtracted. */
#define LEDGER_RUNS(bucket) ((bucket) >> 24)
#define LEDGER_RUNS_MANY    255u
/* ... and the page number of the slot that was claimed last and not signed; 0: none. */
#define LEDGER_LAST(bucket) ((bucket)&0xffffffu)

/* What is recorded about a process that is the parent, or its parent, of captured ones. It is at
 * `pid % LEDGER_ANCESTORS`. There is no lock: a reader copies it and then compares `check`, which
 * is a hash of the content, of the rest of this head, and of what identifies the process and the
 * program that it runs (preload/ancestor.c). The flush never reads it. */
struct ledger_ancestor {
    uint64_t check;
    int32_t pid;
    int32_t ppid;
    uint32_t size;   /* of the content */
    uint32_t unused; /* 0 */
    char text[1000]; /* the content of a LEDGER_ANCESTOR field after the pid */
};

/* clang-format off */
enum ledger_field_kind {
    LEDGER_NOTHING   = 0,  /* within LEDGER_ROUTINES: being written, or never finished */
    LEDGER_EXEC      = 1,  /* path of the executable as the kernel names it */
    LEDGER_CWD       = 2,  /* working directory at the start */
    LEDGER_ARGV      = 3,  /* arguments, each ended by NUL */
    LEDGER_ENV       = 4,  /* NAME=VALUE of variables that the policy allows, each ended by NUL */
    LEDGER_OBJECT    = 5,  /* one loaded object: a byte with the length of its build-id, the build-id, its path */
    LEDGER_WATERMARK = 6,  /* the descriptor of the executable's XALT note */
    LEDGER_ANCESTOR  = 7,  /* nearest first: pid (int32), then command name, path, arguments, each ended by NUL */
    LEDGER_BUILD_ID  = 8,  /* of the executable, binary */
    LEDGER_TASK      = 9,  /* "STEP.TASK.PID" as the plugin set it: Slurm's numbers, and the pid of the task */
    LEDGER_LOADED    = 10, /* an object that was loaded after the start: its path */
    LEDGER_CONTAINER = 11, /* the kind of container: apptainer, docker, ... */
    LEDGER_NAMESPACE = 12, /* "pid:[INODE]", the namespace of `pid`: only where the task is not among the ancestors */
    LEDGER_FACTS     = 13, /* NAME=VALUE of the variables in fact_variables.h, each ended by NUL; the policy plays no part */
    LEDGER_PARENTS   = 14, /* of a stub: the pids of the ancestors, nearest first, int32 each */
    LEDGER_ROUTINES  = 15, /* struct ledger_routines, and fields of the two kinds below */
    LEDGER_LIBRARY   = 16, /* within LEDGER_ROUTINES: a designated library, as LEDGER_OBJECT */
    LEDGER_UNLISTED  = 18, /* objects that the loader has loaded and that are not listed: how many, uint32 */
    LEDGER_ROUTINE   = 17, /* within LEDGER_ROUTINES: struct ledger_routine, then the routine's name */
};
/* clang-format on */

enum { LEDGER_FIELD_CUT = 1 }; /* ledger_field.flags: the content did not fit and ends early */

struct ledger_field {
    uint16_t kind;   /* enum ledger_field_kind */
    uint16_t flags;  /* LEDGER_FIELD_CUT or 0 */
    uint32_t length; /* of the content, without padding */
};

/* The calls of designated routines (`[routines]` in jobtrail.conf(5)). The field has room for more
 * fields than it has: threads and forked children of the run add to it by advancing `bytes`, which
 * may end beyond the room. Each writes the head of a field without its kind first, and the kind
 * last: LEDGER_NOTHING is skipped. A routine may be there more than once. */
struct ledger_routines {
    uint32_t bytes;   /* atomic; of the fields that follow */
    uint32_t watched; /* atomic; imports that were watched, of all objects */
    uint32_t missed;  /* atomic; imports and libraries that could not be watched, and calls that
                         found no room */
    uint32_t called;  /* 1: some routine was called; such a run is never sampled out */
    uint32_t flags;   /* atomic; enum ledger_routines_flag */
    uint32_t unused;
};

enum ledger_routines_flag {
    LEDGER_ROUTINES_COUNTED = 1, /* calls are counted */
    LEDGER_ROUTINES_LATE = 2,    /* what has been loaded was not looked at before it could be
                                    called: one miss more */
};

struct ledger_routine {
    uint64_t first_ns; /* of the first call, since the Epoch, or LEDGER_TIME_UNKNOWN */
    uint64_t calls;    /* atomic; with LEDGER_ROUTINES_COUNTED, how many */
    uint32_t library;  /* where its LEDGER_LIBRARY begins, after struct ledger_routines */
    uint32_t flags;    /* enum ledger_routine_flag */
};

#define LEDGER_TIME_UNKNOWN UINT64_C(1)

enum ledger_routine_flag {
    LEDGER_ROUTINE_AT_LEAST = 1, /* there may have been more calls */
    LEDGER_ROUTINE_MISSED = 2,   /* it was not called, but could be without being seen */
};

/* clang-format off */
enum ledger_slot_flag {
    LEDGER_SLOT_CUT   = 1,  /* whole fields are missing: there was no room */
    LEDGER_SLOT_PKGS  = 2,  /* the policy's action was `pkgs` */
    LEDGER_SLOT_START = 4,  /* an MPI run of so many ranks that its start gets a record of its own */
    LEDGER_SLOT_KEEP  = 8,  /* never sampled out */
    LEDGER_SLOT_FIRST = 16, /* the first capture of its process: start_ticks is the start of the run */
};
/* clang-format on */

struct ledger_slot {
    uint64_t magic;
    uint64_t offset; /* of this slot in the file */
    uint32_t slot_bytes;
    union {
        struct {
            uint16_t state;      /* atomic; enum ledger_state */
            uint16_t stub_units; /* of LEDGER_STUB_UNIT bytes, at the end of the slot */
        };
        uint32_t state_and_stubs; /* both at once: one store replaces a capture by its stub */
    };
    uint32_t next_free; /* page number of the next slot on a free list; 0: none. Of a slot in use:
                           of the slot before it in the bucket of its pid */
    uint32_t flags;     /* enum ledger_slot_flag */
    int32_t pid;
    int32_t ppid;
    uint64_t start_ticks; /* hundredths of a second since boot: start of the process (proc(5), stat,
                             field 22) or, with LEDGER_SLOT_FIRST, of the run; 0: unknown */
    uint64_t start_ns;    /* since the Epoch, when the capture began */
    uint64_t end_ns;  /* since the Epoch; 0 until the process has signed. Before start_ns where the
                         clock was set back */
    uint8_t uuid[16]; /* version 7: the run's */
    uint32_t rank;
    uint32_t size; /* number of ranks, 1 where there is no MPI */
    uint32_t fields_bytes;
    uint32_t signal;     /* caught by our handler at end_ns; 0: none */
    uint64_t random;     /* drawn at the start: what sampling compares with */
    double probability;  /* with which an ended run was kept; 0: not decided */
    uint32_t gpus;       /* devices held open at the end */
    uint32_t end_by;     /* enum ledger_end: who stored end_ns */
    uint64_t name_space; /* the inode in LEDGER_NAMESPACE; 0: there is no such field */
    uint64_t table;      /* what identifies the sampling table (policy.h); 0: none applied */
    uint64_t up_ns;      /* CLOCK_BOOTTIME when the capture began; 0: unknown */
    uint64_t elapsed_ns; /* CLOCK_MONOTONIC from start_ns to end_ns; 0: unknown */
};

/* A run that was sampled out. After it are `fields_bytes` of fields as in a slot, and then the stub
 * that was written before it: the newest one comes first. A stub has these fields, unless an older
 * one of the slot has the same: LEDGER_EXEC; then, together, LEDGER_TASK and LEDGER_NAMESPACE,
 * where the capture had them, and LEDGER_PARENTS. */
struct ledger_stub {
    uint64_t start_ns, end_ns, elapsed_ns, start_ticks; /* as in struct ledger_slot */
    int32_t pid;
    int32_t ppid;
    uint32_t rank;
    uint32_t size;
    /* In units of LEDGER_STUB_UNIT bytes; places are counted from the end of the slot downwards. */
    uint16_t field_units; /* of this stub */
    uint16_t exec_at;     /* place of LEDGER_EXEC */
    uint16_t rest_at;     /* place of the other fields */
    uint8_t rest_units;   /* of the other fields */
    uint8_t flags;        /* enum ledger_stub_flag */
};

enum ledger_stub_flag {
    LEDGER_STUB_FIRST = 1, /* as LEDGER_SLOT_FIRST */
};

enum { LEDGER_STUB_UNIT = 8 };

/* 32-bit and 64-bit processes share a ledger. */
_Static_assert(sizeof(struct ledger_slot) == 152, "the same layout for every ABI");
_Static_assert(sizeof(struct ledger_stub) == 56, "the same layout for every ABI");
_Static_assert(sizeof(struct ledger_routines) == 24, "the same layout for every ABI");
_Static_assert(sizeof(struct ledger_routine) == 24, "the same layout for every ABI");
_Static_assert(sizeof(struct ledger_header) ==
                   32 + 8 * (LEDGER_CLASSES + LEDGER_DROPS + 5) + 4 * LEDGER_BUCKETS,
               "the same layout for every ABI");
_Static_assert(sizeof(struct ledger_header) <= LEDGER_PAGE, "one page");
_Static_assert(sizeof(struct ledger_ancestor) == 1024, "the same layout for every ABI");
_Static_assert(LEDGER_PAGE + LEDGER_ANCESTORS * sizeof(struct ledger_ancestor) == LEDGER_HEAD,
               "the pages after the header");
