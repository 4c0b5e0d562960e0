/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The profile: the format of the file in which the processes of one job on one node leave how often
 * and how long their functions ran. Root makes it at launch, beside the ledger, where the job asked
 * for it (spank/); processes of the job's user that were built with -finstrument-functions fill it
 * (preload/profile/); the flush reads it. All integers are in the machine's byte order, all offsets
 * in the file and sizes in bytes. Times are readings of the counter that profile_header.counter
 * (or profile_process.counter) names, called ticks here.
 *
 *     page 0             struct profile_header
 *     page 1 ..          chunks, each a whole number of pages
 *
 * A process claims a chunk by advancing `used_bytes`, allocates its blocks, fills its head, and
 * publishes it by storing `kind` last. So a page where a chunk should be may have no head (kind 0):
 * the process was killed, or is not ready. Readers walk from page 1 to `used_bytes`: over a valid
 * chunk by its `bytes`, otherwise by one page.
 *
 * PROFILE_PROCESS: struct profile_process, then objects of the process that have functions with
 * nodes, each a struct profile_object, its build-id and its path, padded to 8 bytes. An execve()
 * begins another chunk with the same pid; a forked child that calls an instrumented function has
 * one of its own.
 *
 * PROFILE_THREAD: struct profile_thread in the first page. Frames, nodes and events are arrays, the
 * first PROFILE_FRAMES, PROFILE_NODES and PROFILE_EVENTS of which follow in the chunk:
 *
 *     page 0             struct profile_thread
 *     pages 1 to 3       struct profile_frame[PROFILE_FRAMES]
 *     pages 4 to 7       struct profile_node[PROFILE_NODES]
 *     pages 8 and 9      struct profile_event[PROFILE_EVENTS]
 *
 * PROFILE_PIECE: more frames or nodes of a thread: an array continues in the pieces that its
 * struct profile_array names. Piece n (from 1) has PROFILE_PIECE_COUNT(n) entries, which begin at
 * the second page of the chunk.
 *
 * PROFILE_ROUTINES: the routines of MPI and of designated libraries whose calls are counted in the
 * process, at most one such chunk for each, behind that of the process: struct profile_routines,
 * then a struct profile_routine for each.
 *
 * PROFILE_CALLS: what a thread counted of these: struct profile_calls, and from PROFILE_COUNTS_AT
 * on a struct profile_count for each routine, in the same order. Of such calls the open ones have a
 * struct profile_open. As above, a thread that begins may continue the chunk of one that has ended.
 *
 * The nodes are the tree of the thread's calls: each stands for one function called in one stack.
 * Node 0 is not used; node 1 (PROFILE_ROOT) is where the thread begins, "init"; node 2
 * (PROFILE_OTHERS) counts the calls that got no node, as there was no room. A parent's index is
 * smaller than its child's, so one pass from the last node to the first sums a tree. A node whose
 * parent is 0 is none, but for the root. Two nodes may have the same parent and function: their
 * counts are then to be added.
 *
 * The frames are the calls that are open. One with node 0 is none, also between others. Frame 0 is
 * that of the root. The calls of a run that was killed stay open. A frame whose
 * stack pointer is not below that of a frame before it is dead, unless their calls were inlined
 * into one function.
 *
 * The frames of a thread that has ended without its exits (pthread_exit(), a cancellation) stay
 * open until its chunk is continued or the process comes to its exit handlers; then they are
 * closed, and their time is not in `ticks`.
 *
 * A thread that begins may continue the chunk of one of its process that has ended. So a chunk is
 * not a thread's but may be that of several, one after another; `threads` counts them.
 *
 * User processes can write anything into the file. Readers take nothing about identity from it, and
 * check every number.
 */
#pragma once

#include <stdint.h>

#include "preload/ledger.h"
#include "spank/job_formats.h"

/* Set to one of the words below where a process is to leave a profile; what may follow behind a
 * comma is for steps that it starts. */
#define PROFILE_VARIABLE "JOBTRAIL_PROFILE"
#define PROFILE_EXACT    "exact" /* each call is timed */
#define PROFILE_LIGHT    "light" /* calls that turn out to be short are counted alone */

/* "\x7f\nJTPRF1", and from JOB_FORMATS 2 on "\x7f\nJTPRF2" and so on */
#define PROFILE_MAGIC       (UINT64_C(0x31465250544a0a7f) + ((uint64_t)(JOB_FORMATS - 1) << 56))
#define PROFILE_CHUNK_MAGIC UINT64_C(0x314b4843544a0a7f) /* "\x7f\nJTCHK1" */
#define PROFILE_PAGE        4096u

enum {
    PROFILE_PROCESS_BYTES = 2 * PROFILE_PAGE,
    PROFILE_THREAD_BYTES = 10 * PROFILE_PAGE,
    PROFILE_FRAMES_AT = 1 * PROFILE_PAGE, /* in the chunk of a thread */
    PROFILE_NODES_AT = 4 * PROFILE_PAGE,
    PROFILE_EVENTS_AT = 8 * PROFILE_PAGE,
    PROFILE_FRAMES = 256,
    PROFILE_NODES = 256,
    PROFILE_EVENTS = 512,
    PROFILE_PIECES = 5, /* of one array, beside its part in the chunk of the thread */
    PROFILE_ROOT = 1,
    PROFILE_OTHERS = 2,
    PROFILE_NODE_FIRST = 3,  /* of a function */
    PROFILE_OPEN = 16,       /* calls of routines that have their time measured, one in another */
    PROFILE_COUNTS_AT = 448, /* in the chunk of the calls of a thread */
    PROFILE_ROUTINES_MAX = 4096,
    PROFILE_MISSED_NAMES = 16,  /* of these, that are told and were not counted */
    PROFILE_LIGHT_CALLS = 1024, /* that are timed before it is known whether they are short */
};

/* Entries in piece `number`, 1 to PROFILE_PIECES, of an array that has `first` of them in the chunk
 * of the thread: with each piece the array becomes four times as large. */
#define PROFILE_PIECE_COUNT(first, number) (3u * (first) << 2 * ((number)-1))

/* What a tick is. */
enum profile_counter {
    PROFILE_COARSE = 0, /* a nanosecond of CLOCK_MONOTONIC_COARSE, which advances by 1 to 10 ms */
    PROFILE_CYCLES = 1, /* of the processor's counter, which the kernel keeps its clock by; two
                           pairs tell how fast it is */
};

/* Why something was lost, counted in profile_header.dropped[]. */
enum profile_drop {
    PROFILE_DROP_FULL,  /* the file's size is used up */
    PROFILE_DROP_SPACE, /* the file system had no room for a chunk */
    PROFILE_DROP_MAP,   /* the file could not be opened again, or mapped */
    PROFILE_DROPS
};

/* One moment by three clocks. */
struct profile_pair {
    uint64_t ticks;
    uint64_t boot_ns; /* CLOCK_BOOTTIME */
    uint64_t real_ns; /* since the Epoch */
};

/* Reads the three clocks, ticks first; *took is how far the ticks are after the others. */
typedef struct profile_pair profile_pair_reader(uint32_t counter, uint64_t *took);

/* Of three readings the one that took least: between two clocks a process may lose its CPU. */
static inline struct profile_pair profile_pair_now(profile_pair_reader *reader, uint32_t counter)
{
    uint64_t least, took;
    struct profile_pair best = reader(counter, &least);
    for (int again = 0; again < 2; again++) {
        struct profile_pair pair = reader(counter, &took);
        if (took >= least)
            continue;
        least = took;
        best = pair;
    }
    return best;
}

struct profile_header {
    uint64_t magic;
    uint64_t size_bytes;   /* of the file; no chunk lies beyond */
    uint64_t backed_bytes; /* allocated; atomic */
    uint64_t used_bytes;   /* atomic; end of the last chunk claimed */
    uint32_t counter;      /* enum profile_counter */
    uint32_t unused;       /* 0 */
    struct profile_pair made;
    char boot[64]; /* the boot that the counter counts in: /proc/sys/kernel/random/boot_id */
    uint64_t dropped[PROFILE_DROPS]; /* atomic: chunks */
};

enum profile_kind {
    PROFILE_NONE = 0, /* being filled */
    PROFILE_PROCESS = 1,
    PROFILE_THREAD = 2,
    PROFILE_PIECE = 3,
    PROFILE_ROUTINES = 4,
    PROFILE_CALLS = 5,
};

/* A chunk begins with this. */
struct profile_chunk {
    uint64_t magic;
    uint64_t offset;  /* of this chunk */
    uint64_t process; /* offset of the chunk of its process */
    uint32_t bytes;   /* of this chunk */
    uint32_t kind;    /* enum profile_kind; stored last */
};

enum profile_process_flag {
    PROFILE_PROCESS_LIGHT = 1,  /* PROFILE_LIGHT */
    PROFILE_PROCESS_FORKED = 2, /* begun by a fork(), not by an execve() */
    PROFILE_PROCESS_ENDED = 4,  /* `last` is the time of its exit handlers */
    PROFILE_PROCESS_CONFINED =
        8,                       /* `last` is when it entered a sandbox: nothing is counted after */
    PROFILE_PROCESS_HOOKED = 16, /* its own hooks are called: it has no stacks */
};

struct profile_process {
    struct profile_chunk chunk;
    uint8_t uuid[16]; /* of the run in the ledger; zeros: it has no capture there, as where another
                         rank records the same program. A forked child has its parent's */
    int32_t pid;      /* as the process sees itself */
    uint32_t flags;   /* enum profile_process_flag */
    uint32_t rank;    /* as in struct ledger_slot */
    uint32_t size;
    char task[48];             /* "STEP.TASK.PID", ended by NUL; as LEDGER_TASK */
    struct profile_pair start; /* when the process called its first instrumented function */
    struct profile_pair last;  /* the newest moment that is known; zeros: none */
    uint64_t lost_calls;       /* atomic; of threads that got no chunk */
    uint32_t lost_objects;     /* atomic; objects that found no room */
    uint32_t object_bytes;     /* atomic; of the objects that follow */
    uint32_t counter;          /* enum profile_counter; the header's, or PROFILE_COARSE where the
                                  process may not read the processor's counter */
    uint32_t light_ticks;      /* calls that take less on average are short; 0: PROFILE_EXACT */
    uint32_t missed_routines;  /* of designated libraries, and such libraries, whose calls could not
                                  be counted */
    uint32_t missed_mpi;       /* the same of MPI */
    uint64_t program; /* the hash of the name that the launcher has for all ranks of this MPI
                         program (launcher.h); 0: it tells none */
};

struct profile_object {
    uint32_t bytes;         /* of all of it, with the padding */
    uint16_t path_bytes;    /* no NUL; "" of the executable where its path is not known */
    uint8_t build_id_bytes; /* at most PROFILE_BUILD_ID */
    uint8_t flags;          /* enum profile_object_flag */
    uint64_t bias;          /* an address minus this is an address in the object's file */
    uint64_t start, end;    /* addresses that it takes */
    uint64_t since, until;  /* ticks when a function of it was first seen, and when it was found to
                               be unloaded; until 0: not */
};

enum { PROFILE_BUILD_ID = 32 };

enum profile_object_flag {
    PROFILE_OBJECT_EXECUTABLE = 1,
    PROFILE_OBJECT_CUT = 2, /* the path did not fit and ends early */
};

/* An array that continues in pieces; 0 ends the list. */
struct profile_array {
    uint64_t piece[PROFILE_PIECES]; /* offset of the chunk of piece 1, 2, ... */
};

struct profile_thread {
    struct profile_chunk chunk;
    int32_t tid;      /* of the thread that has it, as the process sees it */
    uint32_t threads; /* that have had it */
    uint32_t nodes;   /* index of the last node, plus 1 */
    uint32_t events;
    uint64_t gap; /* ticks that two events are apart at the least */
    /* Calls that have no frame, as there was no room: they are counted here alone. */
    uint64_t lost_calls;
    uint64_t dead_frames; /* calls whose exit never came (longjmp(), exceptions): they were ended
                             when that was found */
    uint64_t stray_exits; /* exits of calls that had no frame */
    struct profile_array more_frames;
    struct profile_array more_nodes;
};

/* A call that is open. */
struct profile_frame {
    uint64_t start;    /* ticks; 0: this call is not timed */
    uint64_t stack;    /* stack pointer of the function */
    uint64_t function; /* address */
    uint64_t caller;   /* where the function returns to */
    uint64_t place;    /* in the function, of its entry: inlined calls differ here alone */
    uint32_t node;     /* stored last; 0: no call */
    uint32_t unused;
};

/* Times are inclusive. A node that is PROFILE_NODE_LIGHT has calls that are not timed: their time
 * is in that of the node's parent, as if it were its own, but for calls below it that were timed.
 * So exclusive time is ticks minus the ticks of the children, and where that is below 0, it is 0,
 * and inclusive time is that of the children. */
struct profile_node {
    uint64_t function; /* address; 0: PROFILE_ROOT, PROFILE_OTHERS */
    uint64_t calls;    /* begun */
    uint64_t timed;    /* calls whose time is in `ticks` */
    uint64_t ticks;    /* inclusive, of calls that have ended */
    uint64_t largest;  /* of one call */
    uint64_t caller;   /* where the first call returned to */
    uint32_t parent;   /* index */
    uint32_t object;   /* which of the process's objects, from 1; 0: not known when the node was
                          made, another thread was loading objects */
    uint32_t flags;    /* enum profile_node_flag */
    uint32_t unused;
};

enum profile_node_flag {
    PROFILE_NODE_LIGHT = 1, /* counted, no longer timed */
};

/* Events are samples of the stack: after `gap` ticks at the least, the first entry or exit. When
 * the array is full, each second event is removed, and the gap doubled. A reader leaves out an
 * event that is not later than the one before it: a removal was interrupted. */
struct profile_event {
    uint64_t ticks;
    uint32_t node; /* that was entered or left */
    uint32_t kind; /* enum profile_event_kind */
};

enum profile_event_kind {
    PROFILE_ENTER = 1,
    PROFILE_EXIT = 2,
};

struct profile_routines {
    struct profile_chunk chunk;
    uint32_t count;
    uint32_t unused; /* 0 */
    uint64_t
        before_ns; /* from the start of the program to profile_process.start, of the coarse clock */
};

enum { PROFILE_ROUTINE_NAME = 120 };

struct profile_routine {
    char name[PROFILE_ROUTINE_NAME]; /* as the program calls it; ended by NUL, cut where it is too
                                        long */
    uint32_t flags;                  /* enum profile_routine_flag */
    uint32_t unused;                 /* 0 */
};

enum profile_routine_flag {
    PROFILE_ROUTINE_MPI = 1,    /* else of a designated library */
    PROFILE_ROUTINE_MISSED = 2, /* its calls, or some of them, could not be counted: behind those
                                   that are, and without counts */
};

/* A call of a routine that is open. */
struct profile_open {
    uint64_t start;   /* ticks */
    uint64_t inner;   /* ticks, of counted calls within it that have ended */
    uint32_t routine; /* from 1; stored last; 0: no call */
    uint32_t unused;  /* 0 */
};

struct profile_calls {
    struct profile_chunk chunk;
    int32_t tid;          /* as in struct profile_thread */
    uint32_t threads;     /* that have had it */
    uint32_t count;       /* routines, the first ones of those that have names */
    uint32_t unused;      /* 0 */
    uint64_t dead_frames; /* calls that did not return (longjmp(), exceptions): they have no time */
    uint64_t lost_times;  /* calls that are counted alone, as too many were open */
    struct profile_open open[PROFILE_OPEN]; /* the outermost first */
};

struct profile_count {
    uint64_t calls;   /* begun */
    uint64_t ticks;   /* of calls that have ended, without counted calls within them */
    uint64_t largest; /* of one call, with them */
    uint64_t bytes;   /* as the arguments of `sized` of the calls say */
    uint64_t sized;
    uint64_t unused[3]; /* 0 */
};

/* 32-bit and 64-bit processes share a file. */
_Static_assert(sizeof(struct profile_header) == 152, "the same layout for every ABI");
_Static_assert(sizeof(struct profile_chunk) == 32, "the same layout for every ABI");
_Static_assert(sizeof(struct profile_process) == 200, "the same layout for every ABI");
_Static_assert(sizeof(struct profile_object) == 48, "the same layout for every ABI");
_Static_assert(sizeof(struct profile_thread) == 160, "the same layout for every ABI");
_Static_assert(sizeof(struct profile_frame) == 48, "the same layout for every ABI");
_Static_assert(sizeof(struct profile_node) == 64, "the same layout for every ABI");
_Static_assert(sizeof(struct profile_event) == 16, "the same layout for every ABI");
_Static_assert(sizeof(struct profile_routines) == 48, "the same layout for every ABI");
_Static_assert(sizeof(struct profile_routine) == 128, "the same layout for every ABI");
_Static_assert(sizeof(struct profile_calls) == 64 + 24 * PROFILE_OPEN &&
                   sizeof(struct profile_calls) <= PROFILE_COUNTS_AT,
               "the same layout for every ABI");
_Static_assert(sizeof(struct profile_count) == 64, "the same layout for every ABI");
_Static_assert(PROFILE_FRAMES * sizeof(struct profile_frame) ==
                   PROFILE_NODES_AT - PROFILE_FRAMES_AT,
               "the frames have their pages");
_Static_assert(PROFILE_NODES * sizeof(struct profile_node) == PROFILE_EVENTS_AT - PROFILE_NODES_AT,
               "the nodes have their pages");
_Static_assert(PROFILE_EVENTS * sizeof(struct profile_event) ==
                   PROFILE_THREAD_BYTES - PROFILE_EVENTS_AT,
               "the events have their pages");
