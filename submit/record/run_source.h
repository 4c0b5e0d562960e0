/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the record of a run is made of.
 */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"
#include "submit/evidence/ledger_read.h"
#include "submit/evidence/package_read.h"
#include "submit/facts/ending.h"
#include "submit/facts/job_tasks.h"
#include "submit/job/journal_read.h"
#include "submit/record/command_line.h"
#include "submit/record/json_write.h"

/* Parts of records that come again: runs of a job share libraries, environments and much else. Such
 * a part is made once, together with its text, and found by the bytes that it was made of. */

/* Larger keys are not kept. */
enum { JSON_MEMO_KEY_MAX = 16 << 10 };

/* What a part is made of. */
struct json_memo_key {
    const char *name; /* a literal: which part it is */
    size_t size;      /* of bytes[], or more: then it is too large */
    char bytes[JSON_MEMO_KEY_MAX];
};

void json_memo_start(struct json_memo_key *key, const char *name);
void json_memo_add(struct json_memo_key *key, const void *bytes, size_t size);

/* A memory of a fixed number of parts. */
struct json_memo;

/* NULL when out of memory: the others do without one then. */
struct json_memo *json_memo_new(void);

void json_memo_free(struct json_memo *memo);

/* The part of this key, a reference of the caller's; NULL when there is none. */
struct json_object *json_memo_find(const struct json_memo *memo, const struct json_memo_key *key);

/* Keeps the part, which must not change any more, in the place of another. Returns `part`. */
struct json_object *json_memo_keep(struct json_memo *memo, const struct json_memo_key *key,
                                   struct json_object *part);

/* Whose word a run's capture is. */
enum run_captured_by {
    CAPTURED_BY_LIBRARY, /* its process left it */
    CAPTURED_BY_JOURNAL, /* it is made of what root knows of a task */
    CAPTURED_BY_KERNEL,  /* of what the kernel reported of a process */
};

struct run_source {
    const struct conf *conf;
    const struct command_lines *lines;
    const struct job_identity *identity;
    const struct journal *journal; /* NULL: of no Slurm job */
    const struct capture *capture;
    const struct ending *ending;        /* NULL: a start record */
    const struct package_run *packages; /* what hooks reported; NULL: nobody has asked */
    uint64_t dropped;                   /* captures that the job lost on this node */
    double probability;                 /* with which the run was kept, (0, 1] */
    enum run_captured_by captured_by;
    bool is_elsewhere; /* the file at the program's path is not known to be what ran: not hashed */
    const char *missing_library; /* for which the loader did not start it; NULL: none, or unknown */
    const struct allocation_run *had; /* of the allocation; NULL: not known, as of a session */
    uint64_t run_ns;                  /* how long it ran; 0: from its start to its end */
    const double *clock_step; /* s by which the clock was set during the run; NULL: not known */
    struct json_memo
        *memo; /* of records with these conf, lines, identity and journal; NULL: none */
};

/* How many objects that the process had loaded its libA does not have, or CAPTURE_UNKNOWN. */
uint32_t run_unlisted(const struct capture *capture);

/* slurmT of a run's record: what root knows of the run, and when it may have ended. */

/* Writes the table with the keys that submit/definition/keys.def lists. Runs for which all but
 * times, pid and core seconds are the same share the text of these in `source->memo`. */
void slurm_table_write(const struct run_source *source, struct json_writer *writer);
