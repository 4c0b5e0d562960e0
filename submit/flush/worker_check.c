/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/worker_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/days.h"
#include "preload/ledger.h"
#include "submit/definition/record_facts.h"
#include "submit/flush/core_time_check.h"
#include "submit/hand_in/hand_in_check.h"
#include "submit/hand_in/hand_in_part.h"
#include "submit/hand_in/hand_in_read.h"
#include "submit/record/coverage_record.h"
#include "submit/record/json_add.h"
#include "submit/record/package_record.h"
#include "submit/record/record.h"

/* The facts of one kind of record; the first is the uuid in the name. */
struct facts {
    struct record_fact fact[RECORD_FACTS_MAX];
    size_t count;
    struct record_facts *held;       /* owned */
    char uuid[RECORD_UUID_SIZE + 2]; /* in quotes: of the record that is looked at */
};

struct worker_check {
    enum reading_kind kind;
    const struct conf *conf;
    const struct job_identity *identity;
    int ledger, packages;
    struct core_time_check core_time;
    struct facts run, pkg, coverage;
    char host[64], user[RECORD_USER_SIZE]; /* as they stand in names */
    uint64_t runs, packages_taken, all;
    bool failed; /* out of memory */
};

static void add_fact(struct worker_check *check, struct facts *facts, const char *table,
                     const char *key, struct json_object *value)
{
    char *text = record_text(value);
    json_object_put(value);
    check->failed |= text == NULL;
    facts->fact[facts->count++] = (struct record_fact){.table = table, .key = key, .text = text};
}

/* The value is asked for. */
static void add_asked(struct worker_check *check, struct facts *facts, const char *table,
                      const char *key,
                      bool (*fits)(void *context, const char *value, size_t length))
{
    facts->fact[facts->count++] = (struct record_fact){
        .table = table, .key = key, .fits = fits, .context = &check->core_time};
}

static void add_number(struct worker_check *check, struct facts *facts, const char *table,
                       const char *key, double number)
{
    char text[JSON_DECIMALS_SIZE];
    json_exact(number, text);
    add_fact(check, facts, table, key, json_object_new_double_s(number, text));
}

static void add_text(struct worker_check *check, struct facts *facts, const char *table,
                     const char *key, const char *text)
{
    add_fact(check, facts, table, key, json_bytes(text_bytes(text)));
}

static void add_known(struct worker_check *check, struct facts *facts, const char *table,
                      const char *key, const char *text)
{
    add_text(check, facts, table, key, text[0] == '\0' ? "unknown" : text);
}

static void start_facts(struct facts *facts, const char *table, const char *key)
{
    facts->fact[facts->count++] =
        (struct record_fact){.table = table, .key = key, .text = facts->uuid};
}

/* All of a table that was made as readers make it; NULL: out of memory. */
static void add_all(struct worker_check *check, struct facts *facts, const char *table,
                    struct json_object *known)
{
    check->failed |= known == NULL;
    if (known == NULL)
        return;
    json_object_object_foreach(known, key, value) /* its keys are literals */
        add_fact(check, facts, table, key, json_object_get(value));
    json_object_put(known);
}

static void make_run(struct worker_check *check)
{
    static const char user[] = "userT", slurm[] = "slurmT";
    const struct conf *conf = check->conf;
    const struct job_identity *identity = check->identity;
    struct facts *facts = &check->run;
    char job[16];
    snprintf(job, sizeof job, "%u", identity->job);
    start_facts(facts, user, "run_uuid");
    add_known(check, facts, user, "user", identity->user);
    add_text(check, facts, user, "syshost", record_syshost(conf, identity->cluster));
    const bool is_claimed = identity->job == 0 && conf->scheduler != CONF_SLURM;
    const bool is_unknown = identity->job == 0 && !is_claimed;
    add_text(check, facts, user, "scheduler", is_unknown ? "unknown" : "SLURM");
    facts->fact[facts->count - 1].differs = is_claimed;
    if (!is_claimed) {
        add_text(check, facts, user, "job_id", is_unknown ? "unknown" : job);
        add_known(check, facts, user, "account", is_unknown ? "" : identity->account);
        add_known(check, facts, user, "queue", is_unknown ? "" : identity->partition);
    }
    struct json_object *known = json_object_new_object();
    if (known != NULL)
        record_add_job(known, identity);
    add_all(check, facts, slurm, known);
    add_text(check, facts, slurm, "cluster", record_cluster(conf, identity->cluster));
    add_text(check, facts, slurm, "partition", identity->partition);
    add_text(check, facts, slurm, "qos", identity->qos);
    add_asked(check, facts, slurm, "core_seconds", core_time_check_run);
    add_asked(check, facts, slurm, "core_seconds_max", core_time_check_most);
    add_asked(check, facts, slurm, "core_days", core_time_check_days);
}

static void make_package(struct worker_check *check)
{
    start_facts(&check->pkg, NULL, "xalt_run_uuid");
    add_all(check, &check->pkg, "ownerT", package_owner_table(check->conf, check->identity));
}

static void make_coverage(struct worker_check *check, const struct job_allocation *allocation,
                          const struct kernel_account *kernel)
{
    static const char table[] = "coverageT";
    const struct step_part part = {.conf = check->conf, .identity = check->identity};
    struct facts *facts = &check->coverage;
    struct json_object *known = json_object_new_object();
    start_facts(facts, table, "uuid");
    if (known != NULL)
        step_part_add_job(known, &part);
    if (known != NULL && allocation != NULL)
        coverage_record_add_kernel(known, kernel);
    add_all(check, facts, table, known);
    if (allocation != NULL) {
        add_fact(check, facts, table, "cpus", json_object_new_int64(allocation->cpus));
        add_number(check, facts, table, "start_time", json_seconds(allocation->start_ns));
        add_number(check, facts, table, "end_time", json_seconds(allocation->end_ns));
        add_text(check, facts, table, "start_source", allocation->start_source);
        add_text(check, facts, table, "end_source", allocation->end_source);
        add_number(check, facts, table, "suspended", json_seconds(allocation->suspended_ns));
        add_number(check, facts, table, "core_seconds", allocation->core_seconds);
        add_text(check, facts, table, "timezone", days_zone());
        if (allocation->is_clock_known)
            add_number(check, facts, table, "clock_step", allocation->clock_step);
        else
            add_fact(check, facts, table, "clock_step", NULL);
    }
    add_asked(check, facts, table, "dropped", core_time_check_dropped);
    add_asked(check, facts, table, "others_runs", core_time_check_others);
    add_asked(check, facts, table, "others_seconds", core_time_check_others_time);
    add_asked(check, facts, NULL, "coverageA", core_time_check_rows);
}

static void make_facts(struct worker_check *check, struct facts *facts, enum record_kind kind)
{
    facts->held = record_facts_new(kind, facts->fact, facts->count);
    check->failed |= facts->held == NULL;
}

static uint64_t size_of(int fd)
{
    struct stat status;
    return fd >= 0 && fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static void limit_number(uint64_t *number, uint64_t most)
{
    if (*number > most)
        *number = most;
}

struct worker_check *worker_check_new(enum reading_kind kind, const struct conf *conf,
                                      const struct job_identity *identity,
                                      const struct job_allocation *allocation,
                                      const struct kernel_account *kernel, int ledger, int packages)
{
    struct worker_check *check = calloc(1, sizeof *check);
    if (check == NULL)
        return NULL;
    check->kind = kind;
    check->conf = conf;
    check->identity = identity;
    check->ledger = ledger;
    check->packages = packages;
    if (kind == READING_HAND_IN)
        return check;
    uint64_t ledger_bytes = size_of(ledger);
    limit_number(&ledger_bytes, conf->ledger_bytes);
    core_time_check_make(&check->core_time, allocation, ledger_bytes);
    check->core_time.most_row_runs += kernel == NULL ? 0 : (double)kernel->programs;
    record_plain_name(record_syshost(conf, identity->cluster), check->host, sizeof check->host);
    record_plain_name(identity->user[0] == '\0' ? "unknown" : identity->user, check->user,
                      sizeof check->user);
    make_run(check);
    make_package(check);
    make_coverage(check, allocation, kernel);
    make_facts(check, &check->run, RECORD_RUN);
    make_facts(check, &check->pkg, RECORD_PACKAGE);
    make_facts(check, &check->coverage, RECORD_COVERAGE);
    if (!check->failed)
        return check;
    worker_check_free(check);
    return NULL;
}

void worker_check_resume(struct worker_check *check, const struct core_time_sums *taken)
{
    check->core_time.taken = *taken;
}

const struct core_time_sums *worker_check_taken(const struct worker_check *check)
{
    return &check->core_time.taken;
}

/* Whether this reader may make a record of this kind, and names it as we do. */
static bool name_fits(const struct worker_check *check, const struct record_view *record)
{
    static const char digits[] = "0123456789_";
    bool starts = check->kind == READING_STARTS;
    bool is_made = record->kind == RECORD_RUN ? record->is_start == starts
                   : record->kind == RECORD_PACKAGE
                       ? !starts
                       : record->kind == RECORD_COVERAGE && check->kind == READING_JOB;
    return is_made && record->is_exact && record_word_is(record->syshost, check->host) &&
           record_word_is(record->user, check->user) &&
           strspn(record->date.at, digits) >= record->date.length;
}

bool worker_check_record(struct worker_check *check, const struct record_view *record)
{
    check->all++;
    if (check->kind == READING_HAND_IN) {
        const struct hand_in_part *part = hand_in_part_of(record->name);
        return part != NULL
                   ? part->fits(record)
                   : hand_in_name_fits(record, check->identity->user) && hand_in_is_line(record) &&
                         hand_in_says(record, check->identity->user, check->identity->uid);
    }
    if (!name_fits(check, record))
        return false;
    check->runs += record->kind == RECORD_RUN;
    check->packages_taken += record->kind == RECORD_PACKAGE;
    struct facts *facts = record->kind == RECORD_RUN       ? &check->run
                          : record->kind == RECORD_PACKAGE ? &check->pkg
                                                           : &check->coverage;
    facts->uuid[0] = facts->uuid[RECORD_UUID_SIZE] = '"';
    memcpy(facts->uuid + 1, record->uuid, RECORD_UUID_SIZE - 1);
    bool holds = record_facts_hold(facts->held, record->text, record->length) != 0;
    core_time_check_end(&check->core_time, holds);
    return holds;
}

void worker_check_summary(const struct worker_check *check, struct reading_summary *summary)
{
    uint64_t slots = size_of(check->ledger) / LEDGER_PAGE + 1;
    if (check->kind == READING_HAND_IN) {
        summary->records = check->all;
        limit_number(&summary->damaged, HAND_IN_RECORDS_MAX);
        return;
    }
    summary->records = check->runs;
    summary->packages = check->packages_taken;
    limit_number(&summary->damaged, slots);
    limit_number(&summary->misdated, UINT32_MAX); /* a slot has many stubs */
    limit_number(&summary->running, slots);
    limit_number(&summary->unhooked, slots);
    limit_number(&summary->dropped, UINT32_MAX); /* processes count it, and find no room for it */
    limit_number(&summary->bad_lines, size_of(check->packages) + 1);
}

static void free_facts(struct facts *facts)
{
    record_facts_free(facts->held);
    for (size_t i = 1; i < facts->count; i++)
        free((char *)facts->fact[i].text);
}

void worker_check_free(struct worker_check *check)
{
    if (check == NULL)
        return;
    free_facts(&check->run);
    free_facts(&check->pkg);
    free_facts(&check->coverage);
    free(check);
}
