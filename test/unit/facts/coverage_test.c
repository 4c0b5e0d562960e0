/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which outcome each task of a journal has. Programs are made-up files of a scratch directory,
 * which stands for "@" in the journals below.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "conf/compile.h"
#include "spank/journal.h"
#include "submit/facts/core_time.h"
#include "submit/facts/coverage.h"
#include "test/unit/fixture/made_program.h"

#define WHO(more)                                                                                  \
    "step time=100.000000000 job=7 restart=0 uid=1000 gid=100 step=0 tasks=4 " more "\n"
#define EPILOG        "epilog time=200.000000000 partition=main account=physics\n"
#define TASK(n)       "task time=110.000000000 step=0 task=" n " pid=5" n " ticks=1\n"
#define EXIT(n, code) "exit time=120.000000000 step=0 task=" n " pid=5" n " status=" code "\n"
#define RUNS(n, what) "program time=110.000000000 step=0 task=" n " leader=0 path=" what "\n"
#define ONE(what)     WHO("") TASK("0") RUNS("0", what) EXIT("0", "0") EPILOG

static char directory[] = "/tmp/jobtrail-coverage-XXXXXX";

struct outcome_case {
    const char *name;
    const char *rules; /* of the configuration */
    const char *journal;
    const char *captures; /* executables of task 0's captures, each followed by a blank */
    const char *facts;    /* "FIRST-TASK OUTCOME TASKS PROGRAM;" for each */
};

static const struct outcome_case cases[] = {
    {"a task with a capture", "", ONE("@dynamic"), "/x ", "0 recorded 1 @dynamic;"},
    {"a task with a capture of a runtime alone", "", ONE("@dynamic"), "/usr/bin/ch-run ",
     "0 container 1 @dynamic;"},
    {"a task with captures of a runtime and of what ran in it", "", ONE("@dynamic"),
     "/usr/bin/apptainer /app ", "0 recorded 1 @dynamic;"},
    {"a task with a capture of a wrapper alone", "", ONE("@dynamic"), "/usr/bin/env /bin/timeout ",
     "0 unknown 1 @dynamic;"},
    {"a task with captures of wrappers outside of the system's directories", "", ONE("@dynamic"),
     "/opt/numactl/bin/numactl /tini /usr/lib/cargo/bin/coreutils/nice ", "0 unknown 1 @dynamic;"},
    {"a task with a capture of a user's program with the name of a wrapper", "", ONE("@dynamic"),
     "/home/u/tools/flock ", "0 recorded 1 @dynamic;"},
    {"a task with captures of a wrapper and of what it became", "", ONE("@dynamic"),
     "/usr/bin/env /bin/bash ", "0 recorded 1 @dynamic;"},
    {"a static program", "", ONE("@static"), "", "0 static 1 @static;"},
    {"a static program that a rule skips", "[paths]\nskip = .*/static\n", ONE("@static"), "",
     "0 policy 1 @static;"},
    {"an interpreter that a rule skips", "[paths]\nskip = .*/dynamic\n", ONE("@script"), "",
     "0 policy 1 @dynamic;"},
    {"a set-user-id program of somebody else", "", ONE("@setuid"), "", "0 setuid 1 @setuid;"},
    {"a program that is gone", "", ONE("@gone"), "", "0 missing 1 @gone;"},
    {"a program in PATH", "", ONE("static cwd=/ search=/nowhere:@"), "", "0 static 1 @static;"},
    {"a program below the working directory", "", ONE("./static cwd=@"), "", "0 static 1 @static;"},
    {"an MPI program where only others are tracked", "[tracking]\nmpi = no\n", ONE("@dynamic"), "",
     "0 policy 1 @dynamic;"},
    {"a program that should have left a capture", "", ONE("@dynamic"), "", "0 unknown 1 @dynamic;"},
    {"a daemon of mpirun's, though a rule skips it", "", ONE("@orted"), "", "0 launcher 1 @orted;"},
    {"a program that sampling may have left out", "[sampling]\nenabled = yes\n", ONE("@dynamic"),
     "", "0 sampled 1 @dynamic;"},
    {"a large program, which is never sampled", "[sampling]\nenabled = yes\nalways_ranks = 4\n",
     ONE("@dynamic"), "", "0 unknown 1 @dynamic;"},
    {"a task that was killed", "", WHO("") TASK("0") RUNS("0", "@dynamic") EXIT("0", "9") EPILOG,
     "", "0 killed 1 @dynamic;"},
    {"a step without a ledger", "",
     WHO("") "noledger time=101.000000000 step=0\n" TASK("0") RUNS("0", "@dynamic") EPILOG, "",
     "0 spool 1 @dynamic;"},
    {"a step that opted out, whatever ran", "",
     WHO("opted_out=1") TASK("0") RUNS("0", "@static") EPILOG, "/x ", "0 opted_out 1 -;"},
    {"a step in a container", "", WHO("container=1") TASK("0") RUNS("0", "@static") EPILOG, "",
     "0 container 1 @static;"},
    {"the other tasks of a program", "",
     WHO("") TASK("0") TASK("1") TASK("2") RUNS("0", "@static") RUNS("1", "@static")
         RUNS("2", "@static") EPILOG,
     "", "1 follower 2 @static;0 static 1 @static;"},
    {"a task of which the journal tells no program", "", WHO("") TASK("0") EPILOG, "",
     "0 unknown 1 -;"},
    {"a partition that is skipped", "[partitions]\nskip = main\n", ONE("@static"), "/x ",
     "0 excluded 1 -;"},
    {"an account that is skipped", "[accounts]\nkeep = chemistry\nskip = .*\n", ONE("@static"),
     "/x ", "0 excluded 1 -;"},
    {"a job of which no epilog tells, where some are skipped", "[accounts]\nskip = chemistry\n",
     WHO("") TASK("0"), "/x ", "0 excluded 1 -;"},
    {"a job of which no epilog tells", "", WHO("") TASK("0"), "/x ", "0 recorded 1 -;"},
    {"the step of the node's prolog", "",
     WHO("") "step time=1.000000000 step=4294967292\n"
             "task time=1.000000000 step=4294967292 task=0 pid=9 ticks=1\n" EPILOG,
     "", ""},
    {"a step that began while jobtrail was off", "",
     WHO("") "task time=110.000000000 step=1 task=0 pid=9 ticks=1\n" EPILOG, "", ""},
    {"a batch script", "",
     WHO("") "step time=109.000000000 step=4294967291\n"
             "task time=110.000000000 step=4294967291 task=0 pid=9 ticks=1\n" EPILOG,
     "", "0 script 1 -;"},
};

/* The text with `directory`/ for each "@", malloc'ed. */
static char *in_directory(const char *text)
{
    char *made = calloc(1, strlen(text) * sizeof directory + 1);
    assert_non_null(made);
    for (; *text != '\0'; text++)
        if (*text == '@')
            strcat(strcat(made, directory), "/");
        else
            made[strlen(made)] = *text;
    return made;
}

static void *policy_of(const char *rules, struct conf *conf)
{
    char path[64];
    struct conf_error error;
    void *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/jobtrail.conf", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(rules, file);
    fclose(file);
    if (conf_load(path, conf, &error) != 0 || compile_policy(conf, &bytes, &size, &error) != 0)
        fail_msg("%s", error.reason);
    return bytes;
}

static struct journal journal_of(const char *text)
{
    struct journal journal;
    char *made = in_directory(text);
    assert_int_equal(journal_parse(made, strlen(made), &journal), 0);
    free(made);
    return journal;
}

static struct coverage_witnesses witnesses_of(const char *text, const struct journal *journal)
{
    struct coverage_witnesses witnesses;
    assert_int_equal(coverage_witnesses_make(journal, &witnesses), 0);
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        coverage_witness(&witnesses,
                         &(struct capture){.step = 0, .exec = {.at = text, .size = length}});
        text += length + 1;
    }
    return witnesses;
}

static void print_facts(const struct coverage *coverage, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < coverage->fact_count; i++) {
        const struct coverage_fact *fact = &coverage->facts[i];
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%u %s %u %s;", fact->first_task,
                 coverage_outcome_name(fact->outcome), fact->tasks,
                 fact->program == NULL ? "-" : fact->program);
    }
}

static void every_task_has_its_outcome(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char found[1024], *expected = in_directory(cases[i].facts);
        struct conf conf;
        struct coverage coverage;
        void *policy = policy_of(cases[i].rules, &conf);
        struct journal journal = journal_of(cases[i].journal);
        struct coverage_witnesses witnesses = witnesses_of(cases[i].captures, &journal);
        const struct coverage_source source = {policy, &journal, &witnesses, 0, 0, 0};
        assert_int_equal(coverage_find(&source, &coverage), 0);
        print_facts(&coverage, found, sizeof found);
        if (strcmp(found, expected) != 0)
            fail_msg("%s: found %s and not %s", cases[i].name, found, expected);
        coverage_free(&coverage);
        coverage_witnesses_free(&witnesses);
        journal_free(&journal);
        conf_free(&conf);
        free(policy);
        free(expected);
    }
}

static void core_seconds_are_counted_once(void **state)
{
    struct journal journal =
        journal_of("step time=100.000000000 job=7 restart=0 uid=1 gid=1 step=4294967291 cpus=4\n"
                   "step time=110.000000000 step=0 cpus_per_task=2\n"
                   "step time=112.000000000 step=1\n"
                   "end time=115.000000000 step=0\n"
                   "end time=120.000000000 step=1\n"
                   "step time=130.000000000 step=2\n"
                   "end time=131.000000000 step=2\n");
    const uint64_t second = 1000000000u;
    (void)state;
    const struct journal_step *batch = &journal.steps[0], *step = &journal.steps[1];
    /* 100 to 140 without 110 to 120 and 130 to 131, four processors */
    assert_true(fabs(core_time(&journal, batch, 100 * second, 140 * second) - 4 * 29) < 1e-6);
    assert_true(fabs(core_time(&journal, batch, 100 * second, 112 * second) - 4 * 10) < 1e-6);
    assert_true(fabs(core_time(&journal, step, 110 * second, 115 * second) - 2 * 5) < 1e-6);
    assert_true(fabs(core_time(&journal, NULL, 110 * second, 115 * second) - 5) < 1e-6);
    assert_true(core_time(&journal, step, 115 * second, 110 * second) == 0);
    journal_free(&journal);
}

/* Of two tasks on a processor each, Slurm has seen the end of one. */
static void a_task_without_an_end_counts_no_time_that_is_known(void **state)
{
    static const struct {
        const char *more;
        double uncertain;
    } steps[] = {{"end time=150.000000000 step=0\n" EPILOG, 40}, {EPILOG, 90}, {"", 190}};
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct conf conf;
        struct coverage coverage;
        char text[1024];
        snprintf(text, sizeof text, "%s%s", WHO("") TASK("0") TASK("1") EXIT("0", "0"),
                 steps[i].more);
        void *policy = policy_of("", &conf);
        struct journal journal = journal_of(text);
        const struct coverage_source source = {
            .policy = policy, .journal = &journal, .now_ns = UINT64_C(300000000000)};
        assert_int_equal(coverage_find(&source, &coverage), 0);
        double known = 0, uncertain = 0;
        uint64_t last_ns = 0;
        for (size_t at = 0; at < coverage.fact_count; at++) {
            known += coverage.facts[at].core_seconds;
            uncertain += coverage.facts[at].uncertain_core_seconds;
            if (coverage.facts[at].end_ns > last_ns)
                last_ns = coverage.facts[at].end_ns;
        }
        assert_true(fabs(known - 10) < 1e-6);
        assert_true(fabs(uncertain - steps[i].uncertain) < 1e-6);
        assert_int_equal(last_ns, UINT64_C(120000000000));
        coverage_free(&coverage);
        journal_free(&journal);
        conf_free(&conf);
        free(policy);
    }
}

static void make_file(const char *name, const void *bytes, size_t size, mode_t mode)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0700);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void make_program(const char *name, uint32_t type, mode_t mode)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    made_program(path, type, mode);
}

static int make_directory(void **state)
{
    char text[64];
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    make_program("dynamic", PT_INTERP, 0755);
    make_program("orted", PT_INTERP, 0755);
    make_program("static", PT_LOAD, 0755);
    make_program("setuid", PT_INTERP, 04755);
    int length = snprintf(text, sizeof text, "#! %s/dynamic -x\n", directory);
    make_file("script", text, (size_t)length, 0755);
    return 0;
}

static int remove_directory(void **state)
{
    static const char *const names[] = {"dynamic", "orted",  "static",
                                        "setuid",  "script", "jobtrail.conf"};
    char path[64];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_has_its_outcome),
        cmocka_unit_test(core_seconds_are_counted_once),
        cmocka_unit_test(a_task_without_an_end_counts_no_time_that_is_known),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
