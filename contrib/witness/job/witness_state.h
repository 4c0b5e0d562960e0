/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of this node's kernel witness (jobtrail-submit witness), for doctor and for flushes:
 * one line of a fixed length in the file WITNESS_STATE in the node's spool directory. The witness
 * holds a lock of it (fcntl(2)) while it runs:
 *
 *     level=NUMBER events=NUMBER ends=NUMBER since=NUMBER until=NUMBER jobs=NUMBER noted=NUMBER
 *     left=NUMBER lost=NUMBER overruns=NUMBER unmatched=NUMBER
 *
 * The numbers have blanks before them. Beside it lies a named pipe, WITNESS_WAKE: a byte in it, of
 * whatever value, lets the witness read at once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WITNESS_STATE "witness"
#define WITNESS_WAKE  "witness.wake"

struct witness_state {
    uint32_t level;       /* enum conf_witness */
    int32_t events, ends; /* errno: why events of processes, and ends of threads, are not heard */
    uint64_t since_ns;    /* since boot: it listens */
    uint64_t until_ns;    /* since boot: all that was reported before is written down */
    uint64_t jobs;        /* that it knows now */
    uint64_t noted, left; /* processes that are written down; that have had no room */
    uint64_t lost;        /* events that had no room in the kernel */
    uint64_t overruns;    /* times that ends had none */
    uint64_t unmatched;   /* ends without their event */
};

/* Writes to the lock's descriptor. Returns 0 or -errno. */
int witness_state_write(int lock, const struct witness_state *state);

/* Reads that of the spool directory open at `spool`; `*is_running`: a witness has the lock. Returns
 * 0 or -errno: -ENOENT where there was none; -EINVAL for another content. */
int witness_state_read(int spool, struct witness_state *state, bool *is_running);

/* What the kernel said to the one that was started last: 0 where it reports all that is asked for,
 * its errno where not; -ENOENT or another -errno where none was started. */
int witness_state_refusal(int spool);

/* Since the Epoch: all that was reported before is written down, whether or not a witness runs now.
 * 0: none has run since the node has booted. */
uint64_t witness_state_heard_until(int spool);

/* Waits until a running witness has written down all that had happened before the call, for
 * `patience_ms` milliseconds at the most. Returns 0; -ENOENT where none runs; -ETIMEDOUT; or
 * another -errno. */
int witness_state_wait(int spool, unsigned patience_ms);
