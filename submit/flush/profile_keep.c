/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/profile_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/replacement.h"
#include "conf/base/trusted.h"
#include "preload/profile/profile_file.h"
#include "submit/flush/profile_ends.h"
#include "submit/flush/roots_notes.h"
#include "submit/flush/worker.h"
#include "submit/job/spool_read.h"
#include "submit/profile/profile_collect.h"
#include "submit/profile/set_file.h"
#include "submit/profile/symbol_names.h"
#include "submit/profile/tick_scale.h"

struct keeping {
    struct reading_request request; /* of the ends */
    struct profile_pair now;
    char boot[64];
    int from, to;
    uint64_t bytes; /* written to `to` */
};

/* MESSAGE_BYTES: of one message. SILENCE_MS, CPU_S: what the child may take. */
enum { MESSAGE_BYTES = 1 << 20, SILENCE_MS = 60000, CPU_S = 60 };

struct naming {
    struct profile_ends ends;
    struct symbol_names names;
};

static const char *name(void *context, const struct profiled_object *object, uint64_t address)
{
    struct naming *naming = context;
    return symbol_name(&naming->names, object, address);
}

static struct collect_end end(void *context, const struct profiled_process *process)
{
    const struct naming *naming = context;
    return profile_ends_find(&naming->ends, process);
}

static int send(void *context, const void *bytes, size_t size)
{
    int error = 0;
    for (size_t at = 0; error == 0 && at < size; at += MESSAGE_BYTES) {
        struct iovec part = {(char *)(uintptr_t)bytes + at,
                             size - at < MESSAGE_BYTES ? size - at : MESSAGE_BYTES};
        error = worker_send(context, 0, &part, 1);
    }
    return error;
}

/* In the child, as the user. */
static int collect(void *context, struct worker_pipe *pipe)
{
    const struct keeping *keeping = context;
    struct naming naming = {.names = {.debug = SYMBOL_NAMES_DEBUG}};
    const struct set_file_sink sink = {.put = send, .context = pipe};
    struct collect_facts facts = {
        .node = keeping->request.identity->node, .end = end, .name = name, .context = &naming};
    struct profile_content content;
    struct profile_set set;
    int error = profile_read(keeping->from, keeping->request.conf->profile_bytes, &content);
    if (error != 0)
        return error;
    if (strcmp(keeping->boot, content.header.boot) == 0)
        facts.now = &keeping->now;
    error = profile_ends_read(&keeping->request, &naming.ends);
    if (error == 0)
        error = profile_set_begin(&set);
    if (error == 0)
        error = profile_collect(&content, &facts, &set);
    if (error == 0 && set.rank_count > 0)
        error = set_file_write_to(&sink, &set);
    return error != 0 ? error : worker_send_last(pipe, "", 0); /* the process ends */
}

/* What is kept is not larger than what it was made of may be. */
static enum worker_answer take(void *context, const struct worker_message *message)
{
    struct keeping *keeping = context;
    if (message->size > keeping->request.conf->profile_bytes - keeping->bytes)
        return WORKER_NOT_BELIEVED;
    keeping->bytes += message->size;
    return io_write_all(keeping->to, message->bytes, message->size) == 0 ? WORKER_GO_ON
                                                                         : WORKER_ENOUGH;
}

static int run_child(struct keeping *keeping)
{
    enum worker_outcome outcome;
    const int keep[] = {keeping->from, keeping->request.ledger};
    const struct worker worker = {.uid = keeping->request.identity->uid,
                                  .gid = keeping->request.identity->gid,
                                  .keep = keep,
                                  .keep_count = sizeof keep / sizeof *keep,
                                  .sandbox = SANDBOX_READS,
                                  .work = collect,
                                  .take = take,
                                  .context = keeping,
                                  .silence_ms = SILENCE_MS,
                                  .cpu_ns = CPU_S * UINT64_C(1000000000)};
    int error = worker_run(&worker, &outcome);
    return error != 0 ? error : outcome == WORKER_DONE ? 0 : -ECANCELED;
}

/* Root's file of this name, empty, in the directory; the user gets it. */
static int open_kept(int place, const char *file, const struct job_identity *job)
{
    int fd = replacement_open(place, file);
    if (fd < 0 || fchown(fd, job->uid, job->gid) == 0)
        return fd;
    int error = -errno;
    error = replacement_end(place, file, fd, 0600, error);
    close(fd);
    return error;
}

/* Makes the kept file of the user's one. */
static int keep_from(const struct reading_request *request, int from)
{
    char culprit[PATH_MAX], file[NAME_MAX + 1];
    const struct job_identity *job = request->identity;
    CLEANUP_CLOSE int place =
        trusted_directory(request->conf->profile_directory, TRUSTED_ALONE, culprit, sizeof culprit);
    if (place < 0)
        return place;
    snprintf(file, sizeof file, "%" PRIu32 ".%" PRIu32 ".%s.profile", job->job, job->restart,
             job->node);
    CLEANUP_CLOSE int to = open_kept(place, file, job);
    if (to < 0)
        return to;
    struct keeping keeping = {.request = *request, .now = tick_now(), .from = from, .to = to};
    tick_boot(keeping.boot);
    int error = run_child(&keeping);
    if (error == 0 && keeping.bytes == 0)
        error = -ENODATA; /* no process has called a function: there is nothing to keep */
    error = replacement_end(place, file, to, 0600, error);
    return error == -ENODATA ? 0 : error;
}

int profile_keep(const struct flush_state *state, const struct journal *journal, int directory)
{
    struct roots_notes notes;
    uid_t uid = journal->identity.uid;
    if (state->conf->profile_directory[0] == '\0')
        return 0;
    CLEANUP_CLOSE int from = spool_open_users(directory, PROFILE_NAME, uid);
    if (from < 0)
        return from == -ENOENT ? 0 : from;
    CLEANUP_CLOSE int ledger = spool_open_users(directory, "ledger", uid);
    int error = roots_notes_read(state->spool, directory, &notes);
    if (error != 0)
        return error;
    const struct reading_request request = {.kind = READING_JOB,
                                            .conf = state->conf,
                                            .identity = &journal->identity,
                                            .journal = journal,
                                            .ledger = ledger < 0 ? -1 : ledger,
                                            .packages = -1,
                                            .looks = &notes.looks,
                                            .kernel = &notes.kernel,
                                            .now_ns = state->now_ns};
    error = keep_from(&request, from);
    roots_notes_free(&notes);
    return error;
}
