/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the kernel reported to root about the processes of a job on this node: the file
 * KERNEL_NOTES_NAME beside the journal, root's alone, which `jobtrail-submit witness` appends to. A
 * line is a verb and numbers, decimal, with one blank between two:
 *
 *   left COUNT
 *       the first line, of KERNEL_LEFT_SIZE bytes: so many processes of this job have ended, and
 *       are not here, since there was no room
 *   listen BOOT REAL MAPS ENDS
 *       a listener began, at this time since boot and since the Epoch; whether it hears mappings,
 *       and ends of threads (1 or 0). Numbers of files and sets begin anew
 *   unheard FROM TO
 *       nobody has listened between these times since boot. FROM 0: it is not known since when
 *   clock BOOT REAL
 *       the same two times, where the clock has been set
 *   program NUMBER BUILD-ID NAME
 *       a program or an object, from 1 on; BUILD-ID in hexadecimal digits, "-" where unknown; NAME
 *       is the path as the process saw it, or, without mappings, the short name; a newline in it is
 *       written as a NUL byte
 *   objects NUMBER FILE...
 *       a set of such numbers, from 1 on
 *   end PID PARENT START PARENT-START END EXEC EXECS PROGRAM STATUS LACK UID RUN SYSTEM PEAK READ
 *       WRITTEN DEVICE INODE OBJECTS [FAULTS]
 *       a process has ended. PARENT forked it. START, PARENT-START, END, and EXEC (the last one; 0:
 *       none was seen) are nanoseconds since boot; EXECS is how many were seen; STATUS as wait(2)
 *       gives it; LACK a bitmap of enum kernel_note_lack; UID at the end; RUN processor time in
 *       nanoseconds, of all its programs; SYSTEM how much of it the kernel's ticks say to have been
 *       in the kernel; PEAK resident memory of its last program in KiB; READ and WRITTEN bytes from
 *       and to storage; DEVICE and INODE of the executable; OBJECTS the set of files that its last
 *       program had mapped so that they can be executed (0: none); FAULTS, where there were any,
 *       how often it waited for memory to be read in (major page faults), as from swap
 *   replaced ...
 *       the same of a program that another one replaced at END, where it is known what it had
 *       mapped: PROGRAM and EXEC are its own, and OBJECTS, which are reported where it had not
 *       mapped jobtrail's library, or that could leave no capture; EXECS how many were seen until
 *       then; its status, and what it used, are not reported
 *   lost FROM TO COUNT
 *       so many events of processes of this node, of whatever job, were lost between these times
 *   overrun TIME COUNT
 *       so often ends of threads of this node had no room before this time
 *   left COUNT
 *       so many more processes of this job have ended, and are not here: there was no room
 *
 * A line that was cut has " cut" behind it, which the next listener writes. Where a number does not
 * follow the one before, what numbers of this listener name is unknown from there on.
 *
 * Users decide how many processes there are. So the file does not grow beyond KERNEL_NOTES_BYTES;
 * `program`, `objects`, `end` and `replaced` stop KERNEL_NOTES_RESERVE before.
 */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/job/kernel_noted.h"

#define KERNEL_NOTES_NAME "kernel"

#define KERNEL_LEFT_LINE "left %20" PRIu64 "\n"

enum { KERNEL_LEFT_SIZE = 26 };

enum { KERNEL_NOTES_BYTES = 32 << 20, KERNEL_NOTES_RESERVE = 64 << 10, KERNEL_LINE_MAX = 8192 };

/* How a listener began. */
struct kernel_listen {
    uint64_t boot_ns, real_ns;
    bool has_maps, has_ends;
    uint64_t before_ns; /* since boot: until then an earlier one has heard all; 0: unknown */
};

struct kernel_program {
    const char *build_id, *name; /* in the text that was read; build_id "": unknown */
};

/* A set of files: places in kernel_notes.object. */
struct kernel_objects {
    size_t first, count;
};

/* Since the Epoch. */
struct kernel_gap {
    uint64_t from_ns, to_ns;
};

struct kernel_notes {
    char *text;                    /* owned */
    struct kernel_noted *noted;    /* owned, by pid and start */
    struct kernel_noted *replaced; /* owned: programs that others replaced; likewise, and by exec */
    struct kernel_program *programs; /* owned */
    struct kernel_objects *sets;     /* owned */
    uint32_t *object;                /* owned: places in `programs` */
    size_t count, replaced_count, program_count, set_count, object_count, bad_lines;
    struct kernel_gap *gaps; /* owned: nobody has listened */
    size_t gap_count;
    uint64_t lost, left;     /* events of the node, processes of the job */
    uint64_t overruns;       /* as the file has them */
    unsigned listeners;      /* 0: nobody has listened; beyond 1: one has begun anew */
    bool has_maps, has_ends; /* all of them heard these */
    uint64_t since_ns;       /* since the Epoch: the first one began */
    /* The caller sets these. */
    uint64_t until_ns; /* since the Epoch: all that was reported before is here */
    bool is_able;      /* a witness hears of the kernel what it needs here */
};

/* Writes the line of a process ("end"), or of a program that another one replaced ("replaced"),
 * into `room` bytes at `line`. Returns its length; 0: it has no room. */
size_t kernel_note_print(const char *verb, const struct kernel_note *note, char *line, size_t room);

/* Reads the file in a job's directory. Returns 0, also where there is none; or -errno. Lines that
 * cannot be used are counted and skipped. kernel_notes_free() releases `*notes`. */
int kernel_notes_read(int directory, struct kernel_notes *notes);

/* The same of the `size` bytes at `text`, malloc'ed, with a NUL behind them; takes them over. */
int kernel_notes_parse(char *text, size_t size, struct kernel_notes *notes);

void kernel_notes_free(struct kernel_notes *notes);

/* The process that the note names as its parent; NULL: it is not here, as one that has not ended,
 * or is the daemon of a step. */
const struct kernel_noted *kernel_notes_parent(const struct kernel_notes *notes,
                                               const struct kernel_note *note);

/* The program that a process ran at this time since boot, and that another one replaced later;
 * NULL: there is none, or it is not known. */
const struct kernel_noted *kernel_notes_replaced(const struct kernel_notes *notes,
                                                 const struct kernel_note *process, uint64_t at_ns);

/* The process `pid` that started so many clock ticks after boot; where that is the start of its
 * program, `is_first`, the process that had this pid then. NULL: it is not here. */
const struct kernel_noted *kernel_notes_find(const struct kernel_notes *notes, int32_t pid,
                                             uint64_t ticks, bool is_first);
