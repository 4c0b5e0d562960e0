/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which outcome each task of a journal has, and that what tasks had adds up to the allocation.
 * Programs are made-up files of a scratch directory, which stands for "@" in the journals below.
 */
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

#include "conf/compile.h"
#include "spank/journal.h"
#include "submit/facts/coverage.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_program.h"
#include "test/unit/fixture/made_tree.h"

#define WHO(more)                                                                                  \
    "step time=100.000000000 job=7 restart=0 uid=1000 gid=100 step=0 tasks=4 cpus=4 " more "\n"
#define EPILOG        "epilog time=200.000000000 partition=main account=physics\n"
#define TASK(n)       "task time=110.000000000 step=0 task=" n " pid=5" n " ticks=1\n"
#define EXIT(n, code) "exit time=120.000000000 step=0 task=" n " pid=5" n " status=" code "\n"
#define RUNS(n, what) "program time=110.000000000 step=0 task=" n " leader=0 path=" what "\n"
#define LOADER(n)     "loader time=120.000000000 step=0 task=" n " pid=5" n " library_path= preload=\n"
#define RANKS(what)                                                                                \
    TASK("0")                                                                                      \
    TASK("1")                                                                                      \
    TASK("2")                                                                                      \
    RUNS("0", what) RUNS("1", what) RUNS("2", what) EXIT("0", "0") EXIT("1", "0") EXIT("2", "0")
#define ONE(what) WHO("") TASK("0") RUNS("0", what) EXIT("0", "0") EPILOG

struct outcome_case {
    const char *name;
    const char *rules; /* of the configuration */
    const char *journal;
    /* executables of task 0's captures, each followed by a blank, and each the parent of the next;
     * "=" before one: in the task's own process, "-": left out by sampling, "!": passed over, "+":
     * the kernel alone told of it */
    const char *captures;
    const char *facts; /* "FIRST-TASK OUTCOME TASKS PROGRAM;" for each with tasks */
};

static const struct outcome_case cases[] = {
    {"a task with a capture", "", ONE("@dynamic"), "/x ", "0 recorded 1 @dynamic;"},
    {"a task with a capture of a runtime alone", "", ONE("@dynamic"), "/usr/bin/ch-run ",
     "0 container 1 @dynamic;"},
    {"a task with a capture of bubblewrap alone", "", ONE("@dynamic"), "/usr/bin/bwrap ",
     "0 container 1 @dynamic;"},
    {"a task with captures of a runtime and of what ran in it", "", ONE("@dynamic"),
     "/usr/bin/apptainer /app ", "0 recorded 1 @dynamic;"},
    {"a task with a capture of a wrapper alone", "", ONE("@dynamic"), "/usr/bin/env /bin/timeout ",
     "0 script 1 @dynamic;"},
    {"a task with captures of wrappers outside of the system's directories", "", ONE("@dynamic"),
     "/opt/numactl/bin/numactl /tini /usr/lib/cargo/bin/coreutils/nice ", "0 script 1 @dynamic;"},
    {"a task with a capture of a user's program with the name of a wrapper", "", ONE("@dynamic"),
     "/home/u/tools/flock ", "0 recorded 1 @dynamic;"},
    {"a task with captures of a wrapper and of what it became", "", ONE("@dynamic"),
     "/usr/bin/env /app ", "0 recorded 1 @dynamic;"},
    {"a static program", "", ONE("@static"), "", "0 static 1 @static;"},
    {"a static program that a rule skips", "[paths]\nskip = .*/static\n", ONE("@static"), "",
     "0 policy 1 @static;"},
    {"an interpreter that a rule skips", "[paths]\nskip = .*/dynamic\n", ONE("@script"), "",
     "0 policy 1 @dynamic;"},
    {"a set-user-id program of somebody else", "", ONE("@setuid"), "", "0 setuid 1 @setuid;"},
    {"a program that is gone", "", ONE("@gone"), "", "0 missing 1 @gone;"},
    {"a program in PATH", "", ONE("static cwd=/ search=/nowhere:@"), "", "0 static 1 @static;"},
    {"a program below the working directory", "", ONE("./static cwd=@"), "", "0 static 1 @static;"},
    {"an MPI program where only others are tracked", "[tracking]\nprograms = scalar\n",
     ONE("@dynamic"), "", "0 policy 1 @dynamic;"},
    {"a program that should have left a capture", "", ONE("@dynamic"), "", "0 unknown 1 @dynamic;"},
    {"a daemon of mpirun's, though a rule skips it", "", ONE("@orted"), "", "0 launcher 1 @orted;"},
    {"a program that sampling may have left out", "[sampling]\nenabled = yes\n", ONE("@dynamic"),
     "-/x ", "0 sampled 1 /x;"},
    {"a program that has ended its readers", "", ONE("@dynamic"), "!/x ", "0 unknown 1 @dynamic;"},
    {"a program that has ended its readers and leads", "", WHO("") RANKS("@dynamic") EPILOG,
     "!=/opt/dynamic ", "0 unknown 3 @dynamic;"},
    {"a large program, which is never sampled", "[sampling]\nenabled = yes\nalways_ranks = 4\n",
     ONE("@dynamic"), "", "0 unknown 1 @dynamic;"},
    {"a task that was killed", "", WHO("") TASK("0") RUNS("0", "@dynamic") EXIT("0", "9") EPILOG,
     "", "0 killed 1 @dynamic;"},
    {"a step without a ledger", "",
     WHO("") "noledger time=101.000000000 step=0\n" TASK("0") RUNS("0", "@dynamic") EXIT("0", "0")
         EPILOG,
     "", "0 spool 1 @dynamic;"},
    {"a step that opted out, whatever ran", "",
     WHO("opted_out=1") TASK("0") RUNS("0", "@static") EXIT("0", "0") EPILOG, "",
     "0 opted_out 1 -;"},
    {"a step in a container", "",
     WHO("container=1") TASK("0") RUNS("0", "@static") EXIT("0", "0") EPILOG, "",
     "0 container 1 @static;"},
    {"the other tasks of a program", "", WHO("") RANKS("@static") EPILOG, "",
     "0 static 3 @static;"},
    {"a task of which the journal tells no program", "", WHO("") TASK("0") EXIT("0", "0") EPILOG,
     "", "0 unknown 1 -;"},
    {"a task that executed nothing, since there is no such program", "",
     WHO("") TASK("0") RUNS("0", "@gone") EXIT("0", "512 executed=0") EPILOG, "",
     "0 not_started 1 @gone;"},
    {"a task that executed nothing, since there is no such program below its working directory", "",
     WHO("") TASK("0") RUNS("0", ".//./x/gone cwd=/here") EXIT("0", "512 executed=0") EPILOG, "",
     "0 not_started 1 /here/x/gone;"},
    {"a task that executed nothing, since there is no such program in PATH", "",
     WHO("") TASK("0") RUNS("0", "gone cwd=/here search=/bin") EXIT("0", "512 executed=0") EPILOG,
     "", "0 not_started 1 gone;"},
    {"a script that cannot be executed", "",
     WHO("") TASK("0") RUNS("0", "@script") EXIT("0", "512 executed=0") EPILOG, "",
     "0 not_started 1 @script;"},
    {"a program that a rule skips and that cannot be executed", "[paths]\nskip = .*/dynamic\n",
     WHO("") TASK("0") RUNS("0", "@dynamic") EXIT("0", "3328 executed=0") EPILOG, "",
     "0 policy 1 @dynamic;"},
    {"a task that was killed before it executed anything", "",
     WHO("") TASK("0") RUNS("0", "@dynamic") EXIT("0", "9 executed=0") EPILOG, "",
     "0 killed 1 @dynamic;"},
    {"the ranks of a program that is not there", "",
     WHO("") TASK("0") TASK("1") RUNS("0", "@gone") RUNS("1", "@gone") EXIT("0", "512 executed=0")
         EXIT("1", "512 executed=0") EPILOG,
     "", "0 not_started 2 @gone;"},
    {"a rank of a program that is not on this node", "",
     WHO("") TASK("1") RUNS("1", "@gone") EXIT("1", "512 executed=0") EPILOG, "",
     "1 not_started 1 @gone;"},
    {"a rank of a program that failed", "",
     WHO("") TASK("1") RUNS("1", "@dynamic") EXIT("1", "32512") LOADER("1") EPILOG, "",
     "1 follower 1 @dynamic;"},
    {"a program that ends as a loader ends one", "",
     WHO("") TASK("0") RUNS("0", "@dynamic") EXIT("0", "32512") LOADER("0") EPILOG, "",
     "0 unknown 1 @dynamic;"},
    {"a partition that is skipped", "[partitions]\nskip = main\n", ONE("@static"), "/x ",
     "0 excluded 1 -;"},
    {"an account that is skipped", "[accounts]\nkeep = chemistry\nskip = .*\n", ONE("@static"),
     "/x ", "0 excluded 1 -;"},
    {"a job of which no epilog tells, where some are skipped", "[accounts]\nskip = chemistry\n",
     WHO("") TASK("0") EXIT("0", "0"), "/x ", "0 excluded 1 -;"},
    {"a job of which no epilog tells", "", WHO("") TASK("0") EXIT("0", "0"), "/x ",
     "0 recorded 1 -;"},
    {"the step of the node's prolog", "",
     WHO("") "step time=1.000000000 step=4294967292\n"
             "task time=1.000000000 step=4294967292 task=0 pid=9 ticks=1\n" EPILOG,
     "", ""},
    {"a step that began while jobtrail was off", "",
     WHO("") "task time=110.000000000 step=1 task=0 pid=9 ticks=1\n" EPILOG, "", ""},
    {"a batch script", "",
     WHO("") "step time=109.000000000 step=4294967291\n"
             "task time=110.000000000 step=4294967291 task=0 pid=9 ticks=1\n"
             "exit time=190.000000000 step=4294967291 task=0 pid=9 status=0\n" EPILOG,
     "", "0 script 1 -;"},
    {"a shell that starts a static program, and ls, which the site leaves out", "", ONE("@bash"),
     "", "0 script 1 @bash;"},
    {"a shell that starts a small program and a container", "", ONE("@bash"),
     "=/bin/bash /usr/bin/apptainer ", "0 container 1 @bash;"},
    {"env -i and a program", "", ONE("@dynamic"), "=/usr/bin/env ", "0 script 1 @dynamic;"},
    {"the ranks of a program", "", WHO("") RANKS("@dynamic") EPILOG, "=/bin/dynamic ",
     "0 recorded 3 @dynamic;"},
    {"the ranks of a program that has its version in its name", "",
     WHO("") RANKS("@dynamic") EPILOG, "=/bin/dynamic3.11 ", "0 recorded 3 @dynamic;"},
    {"the ranks of a program by a link with another name", "", WHO("") RANKS("@link") EPILOG,
     "=/etc/passwd ", "0 recorded 3 @link;"},
    {"the ranks of a program by way of env", "", WHO("") RANKS("/usr/bin/env") EPILOG, "=/x ",
     "0 recorded 3 /usr/bin/env;"},
    {"the ranks of a program by way of a wrapper in PATH", "",
     WHO("") RANKS("taskset cwd=/ search=/usr/bin") EPILOG, "=/x ", "0 recorded 3 taskset;"},
    {"the ranks of a shell, of which the first became a program", "", WHO("") RANKS("@bash") EPILOG,
     "=/x ", "0 recorded 1 @bash;1 follower 2 @bash;"},
    {"daemons of mpirun's", "", WHO("") RANKS("@orted") EPILOG, "", "0 launcher 3 @orted;"},
    {"the ranks of a shell, of which the first started a program", "",
     WHO("") RANKS("@bash") EPILOG, "=/bin/bash /x ", "0 recorded 1 @bash;1 follower 2 @bash;"},
    {"a shell that starts a program of which the kernel alone told", "", ONE("@bash"), "+/x ",
     "0 recorded 1 @bash;"},
    {"the ranks of a program that sampling left out", "[sampling]\nenabled = yes\n",
     WHO("") RANKS("@dynamic") EPILOG, "-=/dynamic ", "0 sampled 3 /dynamic;"},
    {"a task of which Slurm saw no end", "", WHO("") TASK("0") RUNS("0", "@static") EPILOG, "",
     "0 static 1 @static;"},
    {"such a task with a capture", "", WHO("") TASK("0") RUNS("0", "@dynamic") EPILOG, "=/x ",
     "0 recorded 1 @dynamic;"},
    {"such a task without anything", "", WHO("") TASK("0") RUNS("0", "@dynamic") EPILOG, "",
     "0 uncertain 1 @dynamic;"},
    {"a node without a step", "",
     "prolog time=100.000000000 job=7 restart=0 uid=1000 gid=100 cpus=4 nodes=1\n" EPILOG, "", ""},
};

/* The text with `made_tree`/ for each "@", malloc'ed. */
static char *in_directory(const char *text)
{
    char *made = calloc(1, strlen(text) * sizeof made_tree + 1);
    assert_non_null(made);
    for (; *text != '\0'; text++)
        if (*text == '@')
            strcat(strcat(made, made_tree), "/");
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
    snprintf(path, sizeof path, "%s/jobtrail.conf", made_tree);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    /* without their list, of which a policy takes long to compile */
    fprintf(file, "[tracking]\nsystem_tools = yes\n%s", rules);
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

enum { CAPTURES_MAX = 4 };

/* What a flush knows of the journal and the captures. */
struct known {
    struct conf conf;
    void *policy;
    struct journal journal;
    struct job_allocation allocation;
    struct job_tasks tasks;
    size_t count;
    struct division *division;
    struct capture capture[CAPTURES_MAX];
    struct ending ending[CAPTURES_MAX];
    unsigned how[CAPTURES_MAX]; /* of enum division_how */
    bool is_passed_over[CAPTURES_MAX];
};

/* One of the executables; each runs from 111 to 119. */
static void add_capture(struct known *known, const char *exec, size_t length)
{
    size_t at = known->count++;
    struct capture *capture = &known->capture[at];
    bool is_own = false;
    for (; strchr("=-!+", *exec) != NULL; exec++, length--) {
        is_own |= *exec == '=';
        known->how[at] |= *exec == '-' ? DIVISION_LEFT_OUT : *exec == '+' ? DIVISION_KERNELS : 0U;
        known->is_passed_over[at] |= *exec == '!';
    }
    assert_true(at < CAPTURES_MAX);
    *capture = (struct capture){.step = 0,
                                .task = 0,
                                .task_pid = 50,
                                .pid = is_own ? 50 : 60 + (int32_t)at,
                                .start_ticks = 1,
                                .size = 1,
                                .start_ns = UINT64_C(111000000000) + at,
                                .end_ns = UINT64_C(119000000000),
                                .exec = {.at = exec, .size = length},
                                .ancestor_count = at};
    for (size_t i = 0; i < at; i++)
        capture->ancestors[i].pid = known->capture[at - 1 - i].pid;
    known->ending[at] =
        (struct ending){.source = "fini", .is_measured = true, .end_ns = capture->end_ns};
}

static void divide(struct known *known, bool is_excluded)
{
    const struct division_source source = {.journal = &known->journal,
                                           .allocation = &known->allocation,
                                           .tasks = &known->tasks,
                                           .is_excluded = is_excluded};
    assert_int_equal(division_new(&source, &known->division), 0);
    for (size_t i = 0; i < known->count && !is_excluded; i++) {
        assert_int_equal(division_add(known->division, &known->capture[i], &known->ending[i],
                                      known->how[i] | DIVISION_READS),
                         0);
        if (known->is_passed_over[i])
            division_pass_over(known->division);
    }
    assert_int_equal(division_make(known->division), 0);
}

static void know(struct known *known, const char *rules, const char *journal, const char *captures)
{
    *known = (struct known){.journal = journal_of(journal)};
    known->policy = policy_of(rules, &known->conf);
    for (; *captures != '\0'; captures += strcspn(captures, " ") + 1)
        add_capture(known, captures, strcspn(captures, " "));
    known->allocation = job_allocation_find(&known->journal, UINT64_C(200000000000));
    assert_int_equal(job_tasks_make(&known->journal, &known->tasks), 0);
    divide(known, coverage_excludes(known->policy, &known->journal));
}

static void forget(struct known *known)
{
    division_free(known->division);
    job_tasks_free(&known->tasks);
    journal_free(&known->journal);
    conf_free(&known->conf);
    free(known->policy);
}

static struct coverage coverage_of(const struct known *known)
{
    struct coverage coverage;
    const struct coverage_source source = {.policy = known->policy,
                                           .journal = &known->journal,
                                           .allocation = &known->allocation,
                                           .tasks = &known->tasks,
                                           .division = known->division,
                                           .has_ledger = true};
    assert_int_equal(coverage_find(&source, &coverage), 0);
    return coverage;
}

/* Core seconds of the facts with this outcome; of -1: of all. */
static double core_seconds(const struct coverage *coverage, int outcome)
{
    double sum = 0;
    for (size_t i = 0; i < coverage->fact_count; i++)
        if (outcome < 0 || coverage->facts[i].outcome == (enum coverage_outcome)outcome)
            sum += coverage->facts[i].core_seconds;
    return sum;
}

static void print_facts(const struct coverage *coverage, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < coverage->fact_count; i++) {
        const struct coverage_fact *fact = &coverage->facts[i];
        size_t used = strlen(text);
        if (fact->tasks == 0)
            continue;
        snprintf(text + used, size - used, "%u %s %u %s;", fact->first_task,
                 coverage_outcome_name(fact->outcome), fact->tasks,
                 fact->program == NULL ? "-" : fact->program);
    }
}

TEST(every_task_has_its_outcome)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char found[1024], *expected = in_directory(cases[i].facts);
        struct known known;
        know(&known, cases[i].rules, cases[i].journal, cases[i].captures);
        struct coverage coverage = coverage_of(&known);
        print_facts(&coverage, found, sizeof found);
        if (strcmp(found, expected) != 0)
            fail_msg("%s: found %s and not %s", cases[i].name, found, expected);
        double sum = core_seconds(&coverage, -1);
        if (!(fabs(sum - known.allocation.core_seconds) < 1e-6) ||
            !(known.allocation.core_seconds >= 399))
            fail_msg("%s: %f of %f core seconds", cases[i].name, sum,
                     known.allocation.core_seconds);
        coverage_free(&coverage);
        forget(&known);
        free(expected);
    }
}

/* What programs had, in three examples where nobody saw the program. */
TEST(what_was_not_seen_is_of_no_program)
{
    static const struct {
        const char *journal, *captures;
        enum coverage_outcome outcome;
    } examples[] = {
        {WHO("cores=0-3 job_cores=0-3") TASK("0") RUNS("0", "@bash") EXIT("0", "0") EPILOG, "",
         COVERAGE_SCRIPT},
        {WHO("cores=0-3 job_cores=0-3") TASK("0") RUNS("0", "@bash") EXIT("0", "0") EPILOG,
         "=/bin/bash /usr/bin/apptainer ", COVERAGE_CONTAINER},
        {WHO("cores=0-3 job_cores=0-3") TASK("0") RUNS("0", "@env") EXIT("0", "0") EPILOG,
         "=/usr/bin/env ", COVERAGE_SCRIPT},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct known known;
        know(&known, "[paths]\nskip = .*/bash\nskip = .*/ls\n", examples[i].journal,
             examples[i].captures);
        struct coverage coverage = coverage_of(&known);
        assert_true(core_seconds(&coverage, COVERAGE_RECORDED) <= 0);
        assert_true(core_seconds(&coverage, COVERAGE_STATIC) <= 0);
        assert_true(core_seconds(&coverage, COVERAGE_SAMPLED) <= 0);
        assert_true(core_seconds(&coverage, (int)examples[i].outcome) >= 32);
        coverage_free(&coverage);
        forget(&known);
    }
}

/* What a task leaves behind has the cores that its step still holds. */
TEST(a_run_that_outlives_its_task_has_its_time)
{
    struct known known;
    know(&known, "",
         WHO("cores=0-3 job_cores=0-3") TASK("0")
             RUNS("0", "@dynamic") "exit time=112.000000000 step=0 task=0 pid=50 status=0\n" EPILOG,
         "=/dynamic ");
    /* of 4 CPUs from 111 to 119 */
    assert_true(fabs(division_had(known.division, 0).core_seconds - 4 * 8) < 1e-6);
    forget(&known);
}

/* A leader has the shares of the tasks that follow it here; records and coverage say the same. */
TEST(a_leader_has_what_its_followers_had)
{
    struct known known;
    know(&known, "", WHO("cores=0-3 job_cores=0-3") RANKS("@dynamic") EPILOG, "=/dynamic ");
    struct coverage coverage = coverage_of(&known);
    const struct allocation_run had = division_had(known.division, 0);
    assert_true(had.leads);
    assert_true(fabs(had.core_seconds - core_seconds(&coverage, COVERAGE_RECORDED)) < 1e-6);
    /* of 4 CPUs in 10 s two thirds, and one third of 8 s */
    assert_true(fabs(had.core_seconds - (4 * 10 * 2.0 / 3 + 4 * 8 / 3.0)) < 1e-6);
    assert_true(fabs(core_seconds(&coverage, COVERAGE_LAUNCH) - 4 * 2 / 3.0) < 1e-6);
    assert_int_equal(had.day_count, 1);
    assert_string_equal(had.day[0].date, "1970-01-01");
    assert_true(had.most >= had.core_seconds);
    coverage_free(&coverage);
    forget(&known);
}

/* What is sure of a suspension is not allocated, what is not is uncertain. */
TEST(a_suspended_job_has_no_core_time)
{
    struct known known;
    know(&known, "",
         WHO("cores=0-3 job_cores=0-3") TASK("0")
             RUNS("0", "@dynamic") "suspend time=113.000000000 since=112.000000000\n"
                                   "resume time=117.000000000 since=115.000000000\n" EXIT("0", "0")
                                       EPILOG,
         "=/x ");
    struct coverage coverage = coverage_of(&known);
    assert_int_equal(known.allocation.suspended_ns, UINT64_C(2000000000));
    assert_true(fabs(known.allocation.core_seconds - 4 * 98) < 1e-6);
    assert_true(fabs(core_seconds(&coverage, -1) - 4 * 98) < 1e-6);
    assert_true(fabs(core_seconds(&coverage, COVERAGE_RECORDED) - 4 * 3) < 1e-6);
    assert_true(fabs(core_seconds(&coverage, COVERAGE_UNCERTAIN) - 4 * 3) < 1e-6);
    const struct allocation_run had = division_had(known.division, 0);
    assert_true(fabs(had.core_seconds - 4 * 3) < 1e-6);
    assert_true(fabs(had.most - 4 * 6) < 1e-6);
    coverage_free(&coverage);
    forget(&known);
}

/* A parent's pid may be that of several processes, one after the other. */
TEST(pids_are_used_again)
{
    struct known known;
    know(&known, "",
         WHO("cores=0-3 job_cores=0-3") TASK("0") RUNS("0", "@dynamic") EXIT("0", "0") EPILOG,
         "=/x /y ");
    /* /y hides /x: all of the eight seconds are its own */
    assert_true(fabs(division_had(known.division, 1).core_seconds - 4 * 8) < 1e-6);
    forget(&known);
    know(&known, "",
         WHO("cores=0-3 job_cores=0-3") TASK("0") RUNS("0", "@dynamic") EXIT("0", "0") EPILOG, "");
    add_capture(&known, "/gone", 5);
    add_capture(&known, "/y", 2);
    known.ending[0].end_ns = known.capture[0].end_ns = UINT64_C(110500000000);
    known.capture[0].start_ns = UINT64_C(110100000000);
    division_free(known.division);
    divide(&known, false);
    assert_true(fabs(division_had(known.division, 0).core_seconds - 4 * 0.4) < 1e-6);
    assert_true(fabs(division_had(known.division, 1).core_seconds - 4 * 8) < 1e-6);
    forget(&known);
}

static void make_file(const char *name, const void *bytes, size_t size, mode_t mode)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", made_tree, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0700);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void make_program(const char *name, uint32_t type, mode_t mode)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", made_tree, name);
    made_program(path, type, mode);
}

static int make_directory(void **state)
{
    char text[64];
    if (made_tree_set_up(state) != 0)
        return -1;
    static const char *const names[] = {"dynamic", "orted", "bash", "env"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        make_program(names[i], PT_INTERP, 0755);
    make_program("static", PT_LOAD, 0755);
    make_program("setuid", PT_INTERP, 04755);
    int length = snprintf(text, sizeof text, "#! %s/dynamic -x\n", made_tree);
    make_file("script", text, (size_t)length, 0755);
    snprintf(text, sizeof text, "%s/link", made_tree);
    return symlink("/etc/passwd", text);
}

ALL(make_directory, made_tree_tear_down)
