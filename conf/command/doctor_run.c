/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A step whose record is followed, station by station, as ARCHITECTURE.md has them: the step, the
 * plugin, the library, the flush, the outbox, the store.
 */
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/program_run.h"
#include "conf/command/doctor_checks.h"
#include "conf/conf_defaults.h"
#include "spank/spool_path.h"

/* Seconds: to get resources, the step's limit (minutes), what an epilog and a timer may take,
 * between two looks at the store. */
#define IMMEDIATE_S "60"
#define LIMIT_MIN   "2"

/* Default for what an epilog does, and for the store: a timer loads every five minutes. */
enum { STATION_S = 90, STORE_S = 420 };

enum { STEP_S = 240, SHOW_S = 10, ACCT_MS = 60000, WORDS_MAX = 64 };

struct run {
    struct doctor *doctor;
    const struct conf *conf;
    const struct doctor_run *asked;
    uint64_t start_ms;
    char helper[PATH_MAX]; /* what the step runs */
    unsigned job;
    char node[256];
    bool is_here; /* the step ran on this node */
};

/* Progress, on stderr. */
static void show(const struct run *run, const char *station, const char *what)
{
    uint64_t ms = clock_ms() - run->start_ms;
    fprintf(stderr, "%4" PRIu64 ".%" PRIu64 " s  %s: %s\n", ms / 1000, ms / 100 % 10, station,
            what);
}

/* Adds what `format` says of a station: that the record has come to it, or, with an advice, that it
 * has not. Returns whether it has. */
__attribute__((format(printf, 4, 5))) static bool tell(const struct run *run, const char *station,
                                                       const char *advice, const char *format, ...)
{
    char found[512];
    va_list arguments;
    bool has_come = advice == NULL;
    va_start(arguments, format);
    vsnprintf(found, sizeof found, format, arguments);
    va_end(arguments);
    show(run, station, found);
    doctor_add(run->doctor, has_come ? FINDING_OK : FINDING_BAD, "run", station,
               has_come ? "" : advice, "%s", found);
    return has_come;
}

/* Waits until `is_done`, for the time that was asked for or else `seconds`, and shows each ten
 * seconds that it still waits. */
static bool wait_until(const struct run *run, const char *station, unsigned seconds,
                       unsigned pause_ms, bool (*is_done)(const struct run *run))
{
    const struct timespec pause = {.tv_sec = pause_ms / 1000,
                                   .tv_nsec = pause_ms % 1000 * 1000000L};
    unsigned asked_s = run->asked->timeout_s;
    uint64_t end = clock_ms() + (asked_s > 0 ? asked_s : seconds) * UINT64_C(1000);
    uint64_t next = clock_ms() + SHOW_S * UINT64_C(1000);
    while (!is_done(run)) {
        if (clock_ms() >= end)
            return false;
        nanosleep(&pause, NULL);
        if (clock_ms() < next)
            continue;
        show(run, station, "still waiting");
        next += SHOW_S * UINT64_C(1000);
    }
    return true;
}

/* Of Slurm's variables srun is to take those that name the cluster alone: where the doctor runs in
 * a job, it would start the step there. Returns a list that is to be freed, with words that are
 * not. */
static char **clean_environment(void)
{
    static char tracing[] = "XALT_TRACING=yes", tracking[] = "XALT_EXECUTABLE_TRACKING=yes";
    size_t count = 0, kept = 0;
    while (environ[count] != NULL)
        count++;
    char **clean = calloc(count + 3, sizeof *clean);
    if (clean == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const char *word = environ[i];
        bool is_slurms = strncmp(word, "SLURM", 5) == 0 && strncmp(word, "SLURM_CONF=", 11) != 0;
        if (!is_slurms && strncmp(word, "XALT_", 5) != 0 &&
            strncmp(word, "JOBTRAIL_SPOOL=", 15) != 0)
            clean[kept++] = environ[i];
    }
    clean[kept++] = tracing;
    clean[kept] = tracking;
    return clean;
}

/* Appends words up to a NULL. */
static void add_words(const char *argv[WORDS_MAX], const char *const *words)
{
    size_t count = 0;
    while (argv[count] != NULL)
        count++;
    for (; *words != NULL && count < WORDS_MAX - 1; words++)
        argv[count++] = *words;
    argv[count] = NULL;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *last_line(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    char *line = strrchr(text, '\n');
    for (char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' && *at != '\n')
            *at = '?';
    return line == NULL ? text : line + 1;
}

/* What the library says of the program on a line of its own; "": nothing. */
static void find_decision(const struct run *run, const char *text, char *decision, size_t size)
{
    char start[PATH_MAX + 16];
    snprintf(start, sizeof start, "jobtrail: %s: ", run->helper);
    const char *found = strstr(text, start);
    found = found == NULL ? "" : found + strlen(start);
    snprintf(decision, size, "%.*s", (int)strcspn(found, "\n"), found);
}

/* The plugin and the library, by what the program has printed. */
static bool look_at_task(struct run *run, char *text)
{
    char decision[256], spool[PATH_MAX];
    int library = 0, slot = 0;
    find_decision(run, text, decision, sizeof decision);
    bool is_silent = decision[0] == '\0';
    const char *line = strstr(text, "doctor-step job=");
    if (line == NULL ||
        sscanf(line, "doctor-step job=%u node=%255s spool=%4095s library=%d slot=%d", &run->job,
               run->node, spool, &library, &slot) != 5)
        return tell(run, "step", "see what srun says, and Slurm's logs",
                    "the program has not run: %.400s", last_line(text));
    run->is_here = (run->doctor->roles & ROLE_NODE) && strcmp(run->node, run->doctor->node) == 0;
    tell(run, "step", NULL, "job %u ran on %.255s", run->job, run->node);
    if (strcmp(spool, "-") == 0)
        return tell(run, "plugin",
                    "see plugstack, plugin, policy, tracking and spool of doctor on that node, and "
                    "the lines with jobtrail: in slurmd's log",
                    "the plugin has done nothing for the step");
    tell(run, "plugin", NULL, "%.500s", spool);
    if (!library)
        return tell(run, "library", "see library of doctor on that node",
                    "the library is not loaded into the program");
    if (!slot)
        return tell(run, "library", "fix the rule, or what another finding of doctor names", "%s",
                    is_silent ? "the program has no place in the ledger" : decision);
    return tell(run, "library", NULL, "%s",
                is_silent ? "the program has a place in the ledger" : decision);
}

static bool run_step(struct run *run)
{
    const char *argv[WORDS_MAX];
    CLEANUP_FREE char **environment = clean_environment();
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    if (environment == NULL || access(run->helper, X_OK) != 0)
        return tell(run, "step", "install jobtrail-conf with all of its package",
                    "the program doctor-step is not installed");
    /* stdout and stderr in one, as they come. */
    static char nodelist[300];
    snprintf(nodelist, sizeof nodelist, "--nodelist=%.256s", run->doctor->node);
    argv[0] = NULL;
    add_words(argv, WORDS("sh", "-c", "exec \"$@\" 2>&1", "sh"));
    if (run->asked->user != NULL)
        add_words(argv, WORDS("runuser", "-u", run->asked->user, "--"));
    add_words(argv, WORDS("srun", "--nodes=1", "--ntasks=1", "--job-name=jobtrail-doctor",
                          "--immediate=" IMMEDIATE_S, "--time=" LIMIT_MIN, "--chdir=/",
                          run->doctor->roles & ROLE_NODE ? nodelist : NULL));
    add_words(argv, (const char *const *)run->asked->args);
    add_words(argv, WORDS(run->helper));
    show(run, "step", "srun starts a program");
    int error = program_run(argv, environment, STEP_S * 1000, &result);
    if (error != 0)
        return tell(run, "step", "see whether srun works here", "srun: %s", strerror(-error));
    if (result.status != 0 && strstr(result.text, "doctor-step job=") == NULL)
        return tell(run, "step",
                    "give srun the options that it needs behind --, as --account, or use --user",
                    "srun: %.400s", last_line(result.text));
    return look_at_task(run, result.text);
}

static bool is_flushed(const struct run *run)
{
    char spool[PATH_MAX], pattern[PATH_MAX + 32];
    glob_t found = {0};
    if (spool_expand(run->conf->spool, run->doctor->node, spool, sizeof spool) != 0)
        return true;
    snprintf(pattern, sizeof pattern, "%s/%u.*", spool, run->job);
    bool is_there = glob(pattern, 0, NULL, &found) == 0;
    globfree(&found);
    return !is_there;
}

/* Whether a transport still has a batch of the job, and such a file beside it ("." is). Names of a
 * job's batches end with its number (submit/outbox/outbox.h). */
static bool has_batch(const struct run *run, const char *beside)
{
    char pattern[PATH_MAX + 64], path[PATH_MAX + 64];
    glob_t found = {0};
    bool is_there = false;
    snprintf(pattern, sizeof pattern, "%s/outbox" JOB_FORMATS_SUFFIX "/*/*.j%u", run->conf->state,
             run->job);
    (void)glob(pattern, 0, NULL, &found);
    for (size_t i = 0; !is_there && i < found.gl_pathc; i++) {
        const char *slash = strrchr(found.gl_pathv[i], '/');
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - found.gl_pathv[i]), found.gl_pathv[i],
                 beside);
        is_there = access(path, F_OK) == 0;
    }
    globfree(&found);
    return is_there;
}

static bool is_sent(const struct run *run)
{
    return !has_batch(run, ".");
}

/* A transport that has failed is left alone for some time (submit/outbox/outbox_backoff.h). */
static bool is_sent_or_failed(const struct run *run)
{
    return is_sent(run) || has_batch(run, ".backoff");
}

static bool follow_node(struct run *run)
{
    if (!run->is_here)
        return tell(run, "flush", NULL, "not followed on %.200s: that is not this node", run->node);
    show(run, "flush", "waiting for the job's epilog");
    if (!wait_until(run, "flush", STATION_S, 100, is_flushed))
        return tell(run, "flush",
                    "see slurmd, leftovers and helper above, and the lines with "
                    "jobtrail: in slurmd's log",
                    "job %u is still in the spool", run->job);
    tell(run, "flush", NULL, "the job's records are in the outbox");
    if (!wait_until(run, "outbox", STATION_S, 100, is_sent_or_failed) || !is_sent(run))
        return tell(run, "outbox", "see transport, records, outbox and timer above",
                    "the job's records wait in the outbox");
    return tell(run, "outbox", NULL, "handed to %.200s", run->conf->transport);
}

enum in_store { STORE_HAS, STORE_HAS_NOT, STORE_UNREADABLE };

/* The command that asks for the run: of this store or, where it is NULL, of what jobtrail-acct
 * takes here. The service for answers may show a run to its user alone. Valid until another call.
 */
static void acct_words(const struct run *run, const char *store, const char *argv[WORDS_MAX])
{
    static char program[PATH_MAX], job[16], conf[PATH_MAX + 16];
    bool has_store = store != NULL || getenv("JOBTRAIL_STORE") != NULL;
    doctor_installed(ACCT_FROM_BIN, program, sizeof program);
    snprintf(job, sizeof job, "%u", run->job);
    snprintf(conf, sizeof conf, "JOBTRAIL_CONF=%s", run->doctor->conf);
    argv[0] = NULL;
    if (!has_store && run->asked->user != NULL && run->conf->answers_address[0] != '\0')
        add_words(argv, WORDS("runuser", "-u", run->asked->user, "--"));
    add_words(argv, WORDS("env", conf, program[0] == '\0' ? "jobtrail-acct" : program, "--jobs",
                          job, "--json", store == NULL ? NULL : "--store", store));
}

/* `why`: what jobtrail-acct has complained about. The store of a collector is made when the first
 * record is loaded. */
static enum in_store ask_store(const struct run *run, char why[256])
{
    static struct collector_env env; /* large */
    const char *argv[WORDS_MAX];
    doctor_collector_env(run->doctor, &env);
    why[0] = '\0';
    bool is_collectors = (run->doctor->roles & ROLE_COLLECTOR) && getenv("JOBTRAIL_STORE") == NULL;
    if (is_collectors && strncmp(env.store, "sqlite:", 7) == 0 && access(env.store + 7, F_OK) != 0)
        return STORE_HAS_NOT;
    acct_words(run, is_collectors ? env.store : NULL, argv);
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    int error = program_run(argv, NULL, ACCT_MS, &result);
    snprintf(why, 256, "%s", error != 0 ? strerror(-error) : result.complaint);
    if (error != 0 || result.status != 0)
        return STORE_UNREADABLE;
    return strstr(result.text, "doctor-step") != NULL ? STORE_HAS : STORE_HAS_NOT;
}

static bool is_stored_or_unreadable(const struct run *run)
{
    char why[256];
    return ask_store(run, why) != STORE_HAS_NOT;
}

static void follow_store(const struct run *run)
{
    static const char advice[] =
        "see store, arrival, refused and timer of doctor on the collector; "
        "--timeout waits longer";
    char why[256];
    if (run->conf->sample) {
        tell(run, "store", NULL, "not followed: [sampling] may leave the run out");
        return;
    }
    enum in_store in_store = ask_store(run, why);
    if (in_store == STORE_HAS_NOT) {
        show(run, "store", "waiting for jobtrail-load");
        wait_until(run, "store", STORE_S, 2000, is_stored_or_unreadable);
        in_store = ask_store(run, why);
    }
    if (in_store == STORE_HAS)
        tell(run, "store", NULL, "jobtrail-acct -j %u shows the run", run->job);
    else if (in_store == STORE_HAS_NOT)
        tell(run, "store", advice, "the store does not have the run");
    else if (run->doctor->roles & ROLE_COLLECTOR)
        tell(run, "store", advice, "it cannot be read: %.300s", why);
    else
        tell(run, "store", NULL,
             "not followed, since no store can be read here (%.200s). On the collector: "
             "jobtrail-acct -j %u",
             why, run->job);
}

void doctor_run(struct doctor *doctor, const struct conf *conf)
{
    static struct run run; /* large */
    if (doctor->run == NULL)
        return;
    run =
        (struct run){.doctor = doctor, .conf = conf, .asked = doctor->run, .start_ms = clock_ms()};
    doctor_installed(STEP_FROM_BIN, run.helper, sizeof run.helper);
    if (run_step(&run) && follow_node(&run))
        follow_store(&run);
}
