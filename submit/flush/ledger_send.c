/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/ledger_send.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/grow.h"
#include "conf/base/process.h"
#include "conf/policy/policy_read.h"
#include "preload/ledger.h"
#include "submit/evidence/succession.h"
#include "submit/facts/broadcast.h"
#include "submit/facts/clock_step.h"
#include "submit/facts/coverage.h"
#include "submit/facts/division.h"
#include "submit/facts/package_version.h"
#include "submit/facts/sampling_read.h"
#include "submit/flush/coverage_send.h"
#include "submit/flush/kernel_witness.h"
#include "submit/flush/run_ending.h"
#include "submit/record/package_record.h"
#include "submit/record/run_record.h"

/* Pages have 31 bits (succession.h). */
#define FIRST_AFTER_PAGES (UINT64_C(1) << 32)

/* The uuids of the records that were sent, in order. */
struct sent_runs {
    const char **uuid; /* owned; into the request's text */
    size_t count;
};

/* What the records of ends are made of. */
struct ends {
    const struct ledger_send *send;
    struct reading_summary *summary;
    struct ledger_reader reader;
    struct succession succession;
    struct job_tasks tasks;
    struct job_allocation allocation;
    struct division *division;        /* NULL: of a session */
    struct kernel_compared *compared; /* NULL: the kernel has reported nothing */
    struct sent_runs sent;            /* of a session */
    struct packages packages;
    struct package_versions *versions;
    struct json_memo *memo;
};

static int compare_uuids(const void *left, const void *right)
{
    return memcmp(*(const char *const *)left, *(const char *const *)right, RECORD_UUID_SIZE - 1);
}

/* `names`: of records of runs, each on its line: "….UUID.json". Returns 0 or -ENOMEM. */
static int sent_runs_make(const char *names, struct sent_runs *sent)
{
    const size_t end = RECORD_UUID_SIZE - 1 + sizeof ".json" - 1;
    *sent = (struct sent_runs){NULL, 0};
    for (size_t length; *names != '\0'; names += length + (names[length] == '\n')) {
        length = strcspn(names, "\n");
        if (length < end)
            continue;
        if (GROW(sent->uuid, sent->count) != 0)
            return -ENOMEM;
        sent->uuid[sent->count++] = names + length - end;
    }
    if (sent->count > 0)
        qsort(sent->uuid, sent->count, sizeof *sent->uuid, compare_uuids);
    return 0;
}

static bool was_sent(const struct sent_runs *sent, const struct capture *capture)
{
    char uuid[RECORD_UUID_SIZE];
    const char *key = uuid;
    run_record_uuid(capture, uuid);
    return sent->count > 0 &&
           bsearch(&key, sent->uuid, sent->count, sizeof key, compare_uuids) != NULL;
}

/* By how much a clock that nobody set may be off, and what begins while the flush reads. */
#define START_SLACK_NS UINT64_C(60000000000)

/* No run begins before its job or session, or after its end. */
static struct ledger_bounds bounds_of_starts(const struct reading_request *request)
{
    const struct journal *journal = request->journal;
    struct ledger_bounds starts = {0, request->now_ns, START_SLACK_NS};
    struct statx made = {.stx_mask = 0};
    if (journal != NULL) {
        const struct job_allocation allocation = job_allocation_find(journal, request->now_ns);
        starts.first_ns = allocation.start_ns;
        starts.last_ns = allocation.end_ns;
        if (journal->step_count > 0 && journal->steps[0].start_ns < starts.first_ns)
            starts.first_ns = journal->steps[0].start_ns; /* Slurm's controller has another clock */
        if (journal->is_clock_known)
            starts.slack_ns += (uint64_t)llabs(journal->clock_step_ns);
    } else if (statx(request->ledger, "", AT_EMPTY_PATH, STATX_BTIME, &made) == 0 &&
               (made.stx_mask & STATX_BTIME) != 0)
        starts.first_ns = (uint64_t)made.stx_btime.tv_sec * 1000000000 + made.stx_btime.tv_nsec;
    return starts;
}

/* As ledger_open(), of the request's. */
static int open_ledger(const struct reading_request *request, struct ledger_reader *reader)
{
    int error = ledger_open(request->ledger, request->conf->ledger_bytes, reader);
    if (error == 0)
        reader->starts = bounds_of_starts(request);
    return error;
}

int ledger_send_starts(const struct ledger_send *send, struct reading_summary *summary)
{
    struct ledger_reader reader;
    struct sent_runs sent;
    struct capture capture;
    struct built_record record;
    char path[PATH_MAX];
    const struct run_source source = {.conf = send->request->conf,
                                      .lines = &send->lines,
                                      .identity = send->request->identity,
                                      .journal = send->request->journal,
                                      .capture = &capture,
                                      .probability = 1};
    int next, error = open_ledger(send->request, &reader);
    if (error != 0) {
        summary->is_no_ledger = error == -EINVAL;
        return error == -EINVAL ? 0 : error;
    }
    error = sent_runs_make(send->request->sent, &sent);
    while (error == 0 && (next = ledger_next(&reader, &capture)) != 0) {
        error = next < 0 ? next : 0;
        if (error != 0 || !capture.wants_start || capture.end_ns != 0 || was_sent(&sent, &capture))
            continue;
        broadcast_name(source.journal, &capture, path);
        error = ledger_send_record(send, run_record_build(&source, &record), &record);
        summary->records += error == 0;
    }
    free(sent.uuid);
    ledger_close(&reader);
    return error;
}

/* A process of another pid namespace cannot be looked for: it counts as gone when its session is
 * over. */
static bool is_running(const struct ledger_send *send, const struct capture *capture,
                       const struct ending *ending)
{
    if (capture->end_ns != 0 || strcmp(ending->source, "exec") == 0)
        return false;
    if (capture->name_space != 0)
        return !send->request->is_leader_gone;
    return process_alive(capture->pid, capture->start_ticks);
}

static uint64_t unit_of(const struct succession_entry *entry)
{
    return (uint64_t)entry->page + 1;
}

/* Adds what the run of an entry can have had of the allocation. What is damaged or has changed is
 * counted when records are made. */
static int divide_entry(struct ends *ends, const struct succession_entry *entry)
{
    struct capture capture;
    char path[PATH_MAX];
    double probability;
    int found = succession_capture(&ends->reader, entry, &capture);
    if (found < 0 && found != -EINVAL)
        return found;
    if (found != 1)
        return division_add(ends->division, NULL, NULL, 0);
    const bool is_begun = ends->send->begin(ends->send->context, unit_of(entry));
    const bool reads = is_begun && !capture.is_stub;
    const struct kernel_noted *noted =
        run_ending_noted(ends->send->request, ends->compared, &capture);
    const struct ending ending =
        run_ending_find(ends->send->request, noted, &capture, entry->next_ns, reads);
    if (ends->compared != NULL)
        kernel_witness->take(ends->compared, &capture, noted, entry->next_ns == 0);
    broadcast_name(ends->send->request->journal, &capture, path);
    bool is_left_out =
        capture.is_stub || !sampling_keeps(ends->send->policy, &capture, &ending, &probability);
    int error =
        division_add(ends->division, &capture, &ending,
                     (is_left_out ? DIVISION_LEFT_OUT : 0U) | (is_begun ? DIVISION_READS : 0U));
    if (error == 0 && !is_begun && !capture.is_stub)
        division_pass_over(ends->division);
    return error;
}

/* Divides a job's allocation, and compares its ledger with what the kernel reported, if any. */
static int divide(struct ends *ends, bool is_excluded, bool has_ledger)
{
    const struct reading_request *request = ends->send->request;
    const struct division_source source = {.journal = request->journal,
                                           .allocation = &ends->allocation,
                                           .tasks = &ends->tasks,
                                           .is_excluded = is_excluded};
    ends->allocation = job_allocation_find(request->journal, request->now_ns);
    int error = job_tasks_make(request->journal, &ends->tasks);
    const struct kernel_comparison comparison = {.policy = ends->send->policy,
                                                 .journal = request->journal,
                                                 .kernel = request->kernel,
                                                 .reader = &ends->reader,
                                                 .succession = &ends->succession,
                                                 .last_ns = ends->allocation.end_ns,
                                                 .is_excluded = is_excluded,
                                                 .has_ledger = has_ledger};
    if (error == 0 && request->kernel != NULL)
        error = kernel_witness->compare(&comparison, &ends->compared);
    if (error == 0)
        error = division_new(&source, &ends->division);
    for (size_t i = 0; i < ends->succession.count && !is_excluded && error == 0; i++)
        error = divide_entry(ends, &ends->succession.entry[i]);
    if (error == 0 && ends->compared != NULL && !is_excluded)
        error = kernel_witness->divide(ends->send, &ends->tasks, ends->compared, ends->division);
    return error == 0 ? division_make(ends->division) : error;
}

static const struct policy_rule *match_rule(const void *policy, const struct package *package,
                                            const char *what, const char *text)
{
    char whole[PACKAGES_LINE + 64];
    int length = snprintf(whole, sizeof whole, "%s:%s:%s", package->program, what, text);
    if (length < 0 || (size_t)length >= sizeof whole)
        return NULL;
    return policy_match(policy, POLICY_PKG, whole, (size_t)length);
}

bool package_kept(const void *policy, const struct package *package)
{
    const struct policy_rule *by_name = match_rule(policy, package, "name", package->name);
    const struct policy_rule *by_path = match_rule(policy, package, "path", package->path);
    const struct policy_rule *first =
        by_name == NULL || (by_path != NULL && by_path < by_name) ? by_path : by_name;
    return first == NULL || first->action != POLICY_SKIP;
}

/* Gives a record for each package of the run that is kept. */
static int send_packages(const struct ends *ends, const struct capture *capture,
                         const struct package_run *run)
{
    const struct ledger_send *send = ends->send;
    int error = 0;
    for (size_t i = 0; i < run->count && error == 0; i++) {
        const struct package *package = &run->package[i];
        char version[PACKAGE_VERSION_SIZE];
        struct built_record record;
        struct package_source source = {
            send->request->conf, &send->lines, send->request->identity, capture, package,
            package->version};
        if (package->name[0] == '\0' || !package_kept(send->policy, package))
            continue;
        if (package->version[0] == '\0' && strcmp(package->program, "python") == 0) {
            package_version_find(ends->versions, package->name, package->path, version);
            source.version = version;
        }
        error = ledger_send_record(send, package_record_build(&source, &record), &record);
        ends->summary->packages += error == 0;
    }
    return error;
}

/* A slot that has changed since it was read first belongs to a process that still runs: what is new
 * in it is for the next flush, if this is a session. Returns whether the entry's capture gets a
 * record, and reads it; or -errno. */
static int read_entry(struct ends *ends, const struct succession_entry *entry,
                      struct capture *capture)
{
    if (entry->stub != 0)
        return 0; /* sampling left it out: no record */
    int found = succession_capture(&ends->reader, entry, capture);
    ends->summary->running += found == 0;
    ends->summary->damaged += found == -EINVAL;
    if (found != 1)
        return found == -EINVAL ? 0 : found;
    return unit_of(entry) >= ends->send->request->resume_at.unit &&
           ends->send->begin(ends->send->context, unit_of(entry));
}

/* The records of a run and of its packages. */
static int send_run(const struct ends *ends, struct capture *capture, size_t at)
{
    const struct ledger_send *send = ends->send;
    const struct reading_request *request = send->request;
    const struct kernel_noted *noted = run_ending_noted(request, ends->compared, capture);
    const struct ending ending =
        run_ending_find(request, noted, capture, ends->succession.entry[at].next_ns, true);
    const struct package_run run = packages_of_run(&ends->packages, capture->uuid);
    const struct clock_step step = clock_step_find(capture, &ending, request->journal);
    const double clock_step = (double)step.step_ns / 1e9;
    struct allocation_run had;
    struct built_record record;
    char path[PATH_MAX];
    struct run_source source = {.conf = request->conf,
                                .lines = &send->lines,
                                .identity = request->identity,
                                .journal = request->journal,
                                .capture = capture,
                                .ending = &ending,
                                .packages = &run,
                                .dropped = ends->reader.dropped,
                                .clock_step = step.is_known ? &clock_step : NULL,
                                .run_ns = step.run_ns,
                                .memo = ends->memo};
    if (request->journal == NULL && is_running(send, capture, &ending)) {
        ends->summary->running++;
        return 0;
    }
    if ((request->journal == NULL && was_sent(&ends->sent, capture)) ||
        !sampling_keeps(send->policy, capture, &ending, &source.probability))
        return 0;
    if (ending.seen != NULL)
        kernel_witness->add_objects(ends->compared, ending.seen, capture);
    broadcast_name(request->journal, capture, path);
    if (ends->division != NULL) {
        had = division_had(ends->division, at);
        source.had = &had;
    }
    int error = ledger_send_record(send, run_record_build(&source, &record), &record);
    ends->summary->records += error == 0;
    if (error != 0 || !capture->pkgs)
        return error;
    ends->summary->unhooked += !run.hooked;
    return send_packages(ends, capture, &run);
}

/* What runs are put together with. */
static int prepare_runs(struct ends *ends)
{
    const struct reading_request *request = ends->send->request;
    ends->memo = json_memo_new();
    ends->versions = package_versions_new();
    if (ends->versions == NULL)
        return -ENOMEM;
    if (request->packages >= 0 && packages_read(request->packages, &ends->packages) != 0)
        ends->packages.bad_lines = 1; /* the runs have their records nevertheless */
    ends->summary->bad_lines = ends->packages.bad_lines;
    return request->journal == NULL ? sent_runs_make(request->sent, &ends->sent) : 0;
}

static void free_ends(struct ends *ends)
{
    division_free(ends->division);
    if (ends->compared != NULL)
        kernel_witness->end(ends->compared);
    job_tasks_free(&ends->tasks);
    json_memo_free(ends->memo);
    free(ends->sent.uuid);
    package_versions_free(ends->versions);
    packages_free(&ends->packages);
    succession_free(&ends->succession);
    ledger_close(&ends->reader);
}

int ledger_send_ends(const struct ledger_send *send, struct reading_summary *summary)
{
    const struct reading_request *request = send->request;
    struct ends ends = {.send = send, .summary = summary};
    struct capture capture;
    bool is_job = request->journal != NULL;
    int opened = request->ledger < 0 ? 0 : open_ledger(request, &ends.reader);
    summary->is_no_ledger = opened == -EINVAL;
    if (opened != 0 && opened != -EINVAL)
        return opened;
    bool has_ledger = request->ledger >= 0 && opened == 0;
    bool is_excluded = is_job && coverage_excludes(send->policy, request->journal);
    int error = has_ledger ? succession_read(&ends.reader, &ends.succession) : 0;
    summary->damaged = ends.reader.damaged;
    summary->dropped = ends.reader.dropped;
    summary->misdated = ends.reader.misdated;
    if (error == 0 && is_job)
        error = divide(&ends, is_excluded, has_ledger);
    if (error == 0 && !is_excluded)
        error = prepare_runs(&ends);
    for (size_t i = 0; i < ends.succession.count && !is_excluded && error == 0; i++) {
        int found = read_entry(&ends, &ends.succession.entry[i], &capture);
        error = found > 0 ? send_run(&ends, &capture, i) : found;
    }
    const struct coverage_told told = {.tasks = &ends.tasks,
                                       .allocation = &ends.allocation,
                                       .division = ends.division,
                                       .compared = ends.compared,
                                       .dropped = ends.reader.dropped,
                                       .others_runs = ends.reader.others_runs,
                                       .others_ns = ends.reader.others_ns,
                                       .has_ledger = has_ledger};
    if (error == 0 && is_job)
        error = coverage_send(send, &told, FIRST_AFTER_PAGES, &summary->records);
    free_ends(&ends);
    return error;
}
