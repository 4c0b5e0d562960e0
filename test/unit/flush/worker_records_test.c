/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whatever a site, a job or a person is called: records that are made of a journal are taken, and
 * those of another journal are not. A refused one would cost a job all of its records.
 */
#include "spank/journal.h"
#include "submit/definition/record_view.h"
#include "submit/flush/worker_check.h"
#include "submit/record/coverage_record.h"
#include "submit/record/package_record.h"
#include "submit/record/run_record.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_ledger.h"
#include "test/unit/fixture/made_random.h"
#include "test/unit/fixture/rounds.h"

enum { TEXT_MAX = 300, ENV_MAX = 512 };

static uint64_t seed;

static uint64_t below(uint64_t end)
{
    return made_random(&seed) % end;
}

/* A name as nobody should choose it; `text` has room for TEXT_MAX bytes. */
static void any_name(char *text)
{
    static const char *const odd[] = {
        "",
        "unknown",
        "alice",
        "Alice",
        "a.b",
        "a b",
        "a_b",
        "\"",
        "\\",
        "a\\\"",
        "/",
        "null",
        "0",
        "{\"user\":\"x\"}",
        "\xc3\xa9",
        "\xff\xfe",
        "\xee\xbe\x80",
        "\xf0\x9f\x90\xa7",
        "x V:1 V:2",
        " V:3",
        "\t\n\r\x01\x7f",
        "SLURM",
        "userT",
        "zzz",
        "aaa.bbb",
        "\\u0041",
        "json",
        "\xe2\x84\xaa",
    };
    size_t length = 0;
    if (below(3) > 0) {
        strcpy(text, odd[below(sizeof odd / sizeof odd[0])]);
        return;
    }
    for (size_t size = below(below(4) == 0 ? TEXT_MAX : 20); length < size; length++)
        text[length] = (char)(1 + below(below(2) == 0 ? 255 : 127));
    text[length] = '\0';
}

/* A job on a node, with all that its records say of it. */
struct node {
    char cluster_of_site[TEXT_MAX], syshost[TEXT_MAX];
    char user[TEXT_MAX], account[TEXT_MAX], partition[TEXT_MAX], qos[TEXT_MAX];
    char cluster[TEXT_MAX], name[TEXT_MAX];
    uint32_t job, restart;
    struct conf conf;
    struct journal journal;
    struct journal_task task;
};

/* Its texts are its own: to be called after it has been copied. */
static void connect(struct node *node)
{
    node->conf = (struct conf){
        .cluster = node->cluster_of_site, .syshost = node->syshost, .transport = (char *)"file"};
    node->journal.identity.user = node->user;
    node->journal.identity.account = node->account;
    node->journal.identity.partition = node->partition;
    node->journal.identity.qos = node->qos;
    node->journal.identity.cluster = node->cluster;
    node->journal.identity.node = node->name;
    node->journal.submit_host = (char *)"";
    node->journal.boot = (char *)"";
    node->journal.identity.job = node->job;
    node->journal.identity.restart = node->restart;
    node->journal.tasks = &node->task;
    node->journal.task_count = 1;
}

static uint32_t any_number(void)
{
    static const uint32_t edges[] = {1, 2, INT32_MAX, UINT32_MAX - 1, UINT32_MAX};
    return below(2) == 0 ? edges[below(5)] : 1 + (uint32_t)below(1000000);
}

static void any_node(struct node *node)
{
    char *const names[] = {node->cluster_of_site, node->syshost, node->user,    node->account,
                           node->partition,       node->qos,     node->cluster, node->name};
    memset(node, 0, sizeof *node);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        any_name(names[i]);
    node->job = below(5) == 0 ? 0 : any_number();
    node->restart = below(2) == 0 ? 0 : any_number();
    node->journal.identity.array_job = node->journal.identity.array_task =
        node->journal.identity.het_job = JOURNAL_NONE;
    if (below(2) == 0)
        node->journal.identity.array_job = node->journal.identity.array_task = any_number();
    if (below(2) == 0)
        node->journal.identity.het_job = any_number();
    node->task.start_ns = made_random(&seed);
    connect(node);
}

/* What a user tells of a run of his. */
struct told {
    char exec[TEXT_MAX], facts[TEXT_MAX], env[ENV_MAX], argument[TEXT_MAX];
    struct capture capture;
};

static void any_told(struct told *told)
{
    static const char *const schedulers[] = {"", "PBS_JOBID=8.pbs", "SGE_ACCOUNT=\"",
                                             "LSF_VERSION=1", "SLURM_JOB_ID=8"};
    char name[TEXT_MAX];
    memset(told, 0, sizeof *told);
    any_name(name);
    int facts = snprintf(told->facts, TEXT_MAX, "%s", schedulers[below(5)]) + 1;
    int length = snprintf(told->env, ENV_MAX, "%s=\"userT\":{", name) + 1;
    any_name(told->argument);
    snprintf(told->exec, TEXT_MAX, "/nonexistent/%.200s", told->argument);
    told->capture = (struct capture){
        .pid = 10,
        .start_ns = made_random(&seed),
        .end_ns = made_random(&seed),
        .size = 1 + (uint32_t)below(3),
        .step = (uint32_t)below(2),
        .task = (uint32_t)below(2),
        .exec = {.at = told->exec, .size = strlen(told->exec)},
        .cwd = {.at = told->argument, .size = strlen(told->argument)},
        .argv = {.at = told->argument, .size = strlen(told->argument) + 1},
        .env = {.at = told->env, .size = (size_t)length},
        .facts = {.at = told->facts, .size = (size_t)facts},
    };
    for (size_t i = 0; i < sizeof told->capture.uuid; i++)
        told->capture.uuid[i] = (uint8_t)below(256);
}

enum what { RUN, START, PACKAGE, COVERAGE, WHATS };

static const enum reading_kind kinds[] = {[RUN] = READING_JOB,
                                          [START] = READING_STARTS,
                                          [PACKAGE] = READING_JOB,
                                          [COVERAGE] = READING_JOB};

static void build(enum what what, const struct node *node, const struct told *told,
                  struct built_record *record)
{
    const struct ending ending = {.source = "fini", .end_ns = told->capture.end_ns};
    const struct package package = {
        .program = "python", .name = told->argument, .path = told->exec};
    const struct job_allocation allocation = job_allocation_find(&node->journal, 0);
    char date[DAYS_TEXT_SIZE];
    days_text(days_of(allocation.start_ns), date);
    struct coverage_fact fact = {.outcome = COVERAGE_STATIC, .date = date, .program = told->exec};
    const struct coverage coverage = {.facts = &fact, .fact_count = 1};
    static const struct command_lines lines;
    int result = -1;
    if (what == PACKAGE)
        result = package_record_build(&(struct package_source){&node->conf, &lines,
                                                               &node->journal.identity,
                                                               &told->capture, &package, "1"},
                                      record);
    else if (what == COVERAGE)
        result = coverage_record_build(&(struct coverage_record_source){.conf = &node->conf,
                                                                        .lines = &lines,
                                                                        .journal = &node->journal,
                                                                        .coverage = &coverage,
                                                                        .allocation = &allocation},
                                       0, record);
    else
        result = run_record_build(&(struct run_source){.conf = &node->conf,
                                                       .lines = &lines,
                                                       .identity = &node->journal.identity,
                                                       .journal = &node->journal,
                                                       .capture = &told->capture,
                                                       .ending = what == RUN ? &ending : NULL,
                                                       .probability = 1},
                                  record);
    assert_int_equal(result, 0);
}

static struct worker_check *check_of(const struct node *node, enum reading_kind kind)
{
    const struct job_allocation allocation = job_allocation_find(&node->journal, 0);
    struct worker_check *check =
        worker_check_new(kind, &node->conf, &node->journal.identity,
                         kind == READING_JOB ? &allocation : NULL, NULL, -1, -1);
    assert_non_null(check);
    return check;
}

static int is_taken(struct worker_check *check, const char *name, const struct built_record *record)
{
    const struct record_view view = record_view(name, record->text, record->length);
    return worker_check_record(check, &view);
}

TEST(records_are_taken_whatever_a_job_is_called)
{
    for (seed = 1; seed < (uint64_t)rounds(2000); seed++) {
        struct node node;
        struct told told;
        const uint64_t round = seed;
        any_node(&node);
        for (enum what what = RUN; what < WHATS; what++) {
            enum reading_kind kind =
                node.job == 0 && kinds[what] == READING_JOB ? READING_SESSION : kinds[what];
            if (what == COVERAGE && kind == READING_SESSION)
                continue; /* which has none */
            struct worker_check *check = check_of(&node, kind);
            for (int i = 0; i < 3; i++) { /* with others before it */
                struct built_record record;
                any_told(&told);
                build(what, &node, &told, &record);
                if (!is_taken(check, record.name, &record) || !record_name_is_sound(record.name))
                    fail_msg("refused in round %lu: %s %s", (unsigned long)round, record.name,
                             record.text);
                record_free(&record);
            }
            worker_check_free(check);
        }
        seed = round;
    }
}

/* Changes one of the node's facts that `what` tells. Returns 0 where that is told in no other way
 * than before. */
static int forge(struct node *node, enum what what)
{
    char before[TEXT_MAX];
    char *const texts[] = {node->user,      node->name,    node->account,
                           node->partition, node->cluster, node->qos};
    size_t which = below(what == COVERAGE ? 7 : 8);
    if (which >= 6) {
        uint32_t *number = which == 6 ? &node->job : &node->restart;
        if (what == COVERAGE)
            number = below(2) == 0 ? &node->job : &node->restart;
        *number ^= 1u << below(32);
        return 1;
    }
    if (what == COVERAGE && which == 5)
        which = 0;
    strcpy(before, texts[which]);
    any_name(texts[which]);
    if (strcmp(before, texts[which]) == 0 || (which == 4 && node->cluster_of_site[0] != '\0') ||
        (which == 2 && what != COVERAGE && node->job == 0))
        return 0;
    int none = before[0] == '\0' || texts[which][0] == '\0';
    int unknown = strcmp(before, "unknown") == 0 || strcmp(texts[which], "unknown") == 0;
    return !(none && unknown); /* two words for the same in userT */
}

TEST(nothing_is_taken_that_tells_of_another_job)
{
    int refused = 0;
    for (seed = 1; seed < (uint64_t)rounds(2000); seed++) {
        struct node node, other;
        struct told told;
        struct built_record honest, forged;
        const uint64_t round = seed;
        const enum what what = (enum what[]){RUN, START, COVERAGE}[below(3)];
        any_node(&node);
        any_told(&told);
        other = node;
        if (forge(&other, what)) {
            connect(&other);
            enum reading_kind kind = node.job == 0 && what == RUN ? READING_SESSION : kinds[what];
            struct worker_check *check = check_of(&node, kind);
            build(what, &node, &told, &honest);
            build(what, &other, &told, &forged);
            if (below(2) == 0)
                assert_true(is_taken(check, honest.name, &honest));
            if (is_taken(check, honest.name, &forged))
                fail_msg("taken in round %lu, for %s: %s", (unsigned long)round, honest.text,
                         forged.text);
            refused++;
            record_free(&honest);
            record_free(&forged);
            worker_check_free(check);
        }
        seed = round;
    }
    assert_true(refused > rounds(2000) / 2);
}
