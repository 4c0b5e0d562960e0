/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A child process that becomes a user for good before it does its work, and hands messages to its
 * parent over a pipe. What users wrote is read in such a process. Nothing here depends on what a
 * message says: the parent's `take` decides whether it is believed.
 *
 * On the pipe each message is a head (its unit, its size, whether it is the last) and its bytes.
 * The child sends the last message when its work is done and exits with the status 0; without
 * either it broke down.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "conf/base/sandbox.h"

/* No larger message is believed, bytes. */
enum { WORKER_MESSAGE_MAX = (16 << 20) + 256 };

struct worker_message {
    uint64_t unit;     /* which part of the work it is of, as the child says */
    const char *bytes; /* a NUL that is not of the message follows them */
    size_t size;
    bool is_last;
};

/* What the parent makes of a message. */
enum worker_answer {
    WORKER_GO_ON,
    WORKER_NOT_BELIEVED, /* nothing more is read, as with WORKER_ENOUGH */
    WORKER_ENOUGH,
};

enum worker_outcome {
    WORKER_DONE,    /* the last message was taken, and the child exited with 0 */
    WORKER_STOPPED, /* the parent had enough */
    WORKER_BROKEN,  /* the child broke down, or a message was not believed */
    WORKER_KILLED,  /* somebody killed the child */
    WORKER_LATE,    /* it was silent for too long, or the deadline is over, or it would not end */
    WORKER_SPENT,   /* its processor time is used up */
};

/* The child's end of the pipe. */
struct worker_pipe;

struct worker {
    uid_t uid; /* whom the child becomes (privileges.h) */
    gid_t gid;
    const int *keep; /* descriptors that `work` needs; -1: none */
    size_t keep_count;
    enum sandbox_kind sandbox;
    /* In the child, as the user. Sends messages, the last one too. Returns 0 or -errno: then it
     * broke down. */
    int (*work)(void *context, struct worker_pipe *pipe);
    /* In the parent, for each message; the bytes hold until it returns. */
    enum worker_answer (*take)(void *context, const struct worker_message *message);
    void *context;         /* of both */
    uint64_t patience_ms;  /* for so long messages may wait for others to be sent with */
    uint64_t silence_ms;   /* for so long the child may send nothing and leave `*begun` alone */
    const uint64_t *begun; /* shared memory that the child changes as it goes on; NULL: none */
    uint64_t deadline_ns;  /* CLOCK_MONOTONIC: when the child is ended; 0: never */
    /* Asked for another deadline when that one is over; 0: there is none. NULL: nobody is asked. */
    uint64_t (*more_time)(void *context);
    void *more_context;
    uint64_t memory_bytes; /* address space of the child; 0: what privileges_drop() leaves it */
    uint64_t cpu_ns;       /* processor time of child, parent and helper; 0: any */
    pid_t helper;          /* another child that works for this one; 0: none */
};

/* `memory_bytes` for a child that reads so many bytes and makes something of them. */
uint64_t worker_memory(uint64_t bytes);

/* Runs a worker to its end; the child is gone when this returns, or was sent SIGKILL. Returns 0 and
 * the outcome, or -errno where it cannot be started or its messages cannot be read. */
int worker_run(const struct worker *worker, enum worker_outcome *outcome);

/* In the child: sends the `count` parts as one message. Returns 0 or -EPIPE. */
int worker_send(struct worker_pipe *pipe, uint64_t unit, const struct iovec *parts, size_t count);

/* The same of the last message. */
int worker_send_last(struct worker_pipe *pipe, const void *bytes, size_t size);
