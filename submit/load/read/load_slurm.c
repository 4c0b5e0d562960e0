/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/load_slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/program_run.h"
#include "conf/base/text.h"

#define DAY_S          86400
#define FIRST_DAYS     30
#define ANSWER_SECONDS 600   /* for the jobs of a day */
#define JOBS_AT_ONCE   10000 /* in one transaction */
#define READ_BYTES     65536
#define SHOWN_BYTES    300 /* longer names of clusters are cut */

enum { NO_PROGRAM = 127 /* as env(1) ends */ };

/* ---- Jobs ----------------------------------------------------------------------------------- */

/* What comes of a question, or of a file. */
struct slurm_input {
    struct slurm_load *load;
    struct slurm_rows rows;
    struct slurm_job *jobs; /* owned: not put yet */
    size_t count, room;
    double asked_time;
    bool store_failed;
    struct load_reason reason;
};

static void drop_jobs(struct slurm_input *input)
{
    for (size_t i = 0; i < input->count; i++)
        slurm_job_free(&input->jobs[i]);
    input->count = 0;
}

/* With a cluster: all of it up to `until` have come. */
static int put_jobs(struct slurm_input *input, const char *cluster, double until)
{
    const struct slurm_answer answer = {input->jobs, input->count, input->asked_time, cluster,
                                        until};
    int error = store_put_slurm_jobs(input->load->store, &answer, &input->load->counts);
    input->store_failed = error != 0;
    drop_jobs(input);
    return error;
}

static int take_job(void *context, struct slurm_job *job)
{
    struct slurm_input *input = context;
    if (GROW_TO(input->jobs, input->room, input->count + 1) != 0) {
        slurm_job_free(job);
        return -ENOMEM;
    }
    input->jobs[input->count++] = *job;
    return input->count < JOBS_AT_ONCE ? 0 : put_jobs(input, NULL, 0);
}

static int take_bytes(void *context, const char *bytes, size_t size)
{
    struct slurm_input *input = context;
    if (*input->load->stop != 0)
        return -EINTR;
    return slurm_rows_read(&input->rows, bytes, size, &input->reason);
}

static void open_input(struct slurm_input *input, struct slurm_load *load)
{
    *input = (struct slurm_input){.load = load,
                                  .rows = {.take = take_job, .context = input},
                                  .asked_time = (double)time(NULL)};
}

static void close_input(struct slurm_input *input)
{
    input->load->damaged += input->rows.damaged;
    drop_jobs(input);
    free(input->jobs);
    slurm_rows_free(&input->rows);
}

/* `from` is the file, or who answers; `said` is in plain ASCII. */
static enum slurm_result tell(const struct slurm_input *input, int error, const char *from,
                              const char *said)
{
    if (error == 0)
        return SLURM_LOADED;
    if (input->store_failed)
        return SLURM_STORE_FAILED;
    if (error == -EINTR)
        return SLURM_STOPPED;
    progress_clear(&input->load->progress);
    if (error == -EBADMSG)
        said = input->reason.text;
    else if (said == NULL || said[0] == '\0')
        said = strerror(-error);
    char shown[TERMINAL_WORD_SIZE], words[TERMINAL_WORD_SIZE];
    fprintf(stderr, "jobtrail-load: jobs of Slurm: %s%s%s\n", terminal_word(from, shown),
            from[0] == '\0' ? "" : ": ", terminal_word(said, words));
    return SLURM_NO_ANSWER;
}

/* ---- Questions ------------------------------------------------------------------------------ */

struct slurm_question {
    const char *cluster; /* "": the default one */
    const char *jobs;    /* their numbers, with commas between; NULL: all of the time */
    double since, until; /* s since the Epoch, of a question without jobs; until 0: up to now */
};

/* Runs what asks sacct(1) wherever jobtrail does (contrib/jobtrail/slurm.py). Its words are fields,
 * cluster, jobs, and times. */
static int run_sacct(struct slurm_input *input, const struct slurm_question *question,
                     struct program_result *result)
{
    char program[PATH_MAX], since[24], until[24];
    const char *const argv[] = {program,
                                SLURM_ROWS_FORMAT,
                                question->cluster,
                                question->jobs == NULL ? "" : question->jobs,
                                since,
                                until,
                                NULL};
    if (!program_place(ROWS_FROM_BIN, program, sizeof program))
        return -ENAMETOOLONG;
    snprintf(since, sizeof since, "%.0f", question->since);
    snprintf(until, sizeof until, "%.0f", question->until);
    return program_run_taking(argv, NULL, ANSWER_SECONDS * 1000, take_bytes, input, result);
}

/* What is wrong with the answer is in `*result`, too. Returns 0, what taking it returned, or
 * another -errno. */
static int ask_sacct(struct slurm_input *input, const struct slurm_question *question,
                     struct program_result *result)
{
    int error = run_sacct(input, question, result);
    char *said = result->complaint;
    bool has_failed = error == 0 && result->status != 0;
    if (error == -ENOENT)
        snprintf(said, sizeof result->complaint, "jobtrail-slurm-rows is not installed");
    else if (has_failed && WIFEXITED(result->status) && WEXITSTATUS(result->status) == NO_PROGRAM)
        snprintf(said, sizeof result->complaint, "there is no sacct here");
    else if (error == -ETIMEDOUT)
        snprintf(said, sizeof result->complaint, "sacct took more than %u s", ANSWER_SECONDS);
    else if (has_failed && said[0] == '\0')
        snprintf(said, sizeof result->complaint, "sacct ended with status %d", result->status);
    return has_failed ? -EPROTO : error;
}

static enum slurm_result ask(struct slurm_load *load, const struct slurm_question *question,
                             const char *cluster, double until)
{
    struct slurm_input input;
    CLEANUP_PROGRAM struct program_result answer = {.text = NULL};
    open_input(&input, load);
    int error = ask_sacct(&input, question, &answer);
    if (error == 0)
        error = slurm_rows_end(&input.rows, &input.reason);
    if (error == 0)
        error = put_jobs(&input, cluster, until);
    enum slurm_result result =
        tell(&input, error, error == -EBADMSG ? "what sacct writes" : question->cluster,
             answer.complaint);
    close_input(&input);
    return result;
}

/* The days from `since` up to now. */
static enum slurm_result ask_days(struct slurm_load *load, const char *cluster, double since)
{
    const double now = (double)time(NULL);
    enum slurm_result result = SLURM_LOADED;
    double from = since;
    char what[SHOWN_BYTES];
    snprintf(what, sizeof what, "days of Slurm's jobs%s%s: ", cluster[0] == '\0' ? "" : ", ",
             cluster);
    progress_begin(&load->progress, what, (size_t)((now - since) / DAY_S) + 1);
    while (result == SLURM_LOADED && from < now) {
        const bool is_last = from + DAY_S >= now;
        const struct slurm_question question = {
            .cluster = cluster, .since = from, .until = is_last ? 0 : from + DAY_S};
        progress_show(&load->progress, (size_t)((from - since) / DAY_S), "");
        result = ask(load, &question, cluster, is_last ? now : from + DAY_S);
        from += DAY_S;
    }
    return result;
}

/* Those that went on when they were asked for, and of which the days reported nothing: somebody has
 * set their end to an earlier time. */
static enum slurm_result ask_open(struct slurm_load *load, const char *cluster, double begun)
{
    int64_t jobs[SLURM_OPEN_MAX];
    char list[SLURM_OPEN_MAX * 21] = "";
    size_t count, used = 0;
    if (store_slurm_open_jobs(load->store, cluster, begun, jobs, &count) != 0)
        return SLURM_STORE_FAILED;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRId64, i == 0 ? "" : ",",
                                 jobs[i]);
    const struct slurm_question question = {.cluster = cluster, .jobs = list};
    return count == 0 ? SLURM_LOADED : ask(load, &question, NULL, 0);
}

/* ---- Clusters ------------------------------------------------------------------------------- */

static size_t put_so_far(const struct slurm_load *load)
{
    return load->counts.fresh + load->counts.updated + load->counts.unchanged;
}

/* Of a name that slurmdbd does not know sacct has no jobs, and says nothing. */
static enum slurm_result check_cluster(const struct slurm_load *load, const char *cluster)
{
    char shown[TERMINAL_WORD_SIZE];
    bool has_any = cluster[0] == '\0';
    if (!has_any && store_has_slurm_jobs(load->store, cluster, &has_any) != 0)
        return SLURM_STORE_FAILED;
    progress_clear(&load->progress);
    if (!has_any)
        fprintf(stderr,
                "jobtrail-load: jobs of Slurm: sacct has none of cluster %s: [site] cluster on its "
                "nodes must be Slurm's ClusterName\n",
                terminal_word(cluster, shown));
    return SLURM_LOADED;
}

static enum slurm_result ask_cluster(struct slurm_load *load, const char *cluster)
{
    const double begun = (double)time(NULL);
    double until, first;
    if (store_slurm_until(load->store, cluster, &until) != 0 ||
        store_slurm_first(load->store, cluster, &first) != 0)
        return SLURM_STORE_FAILED;
    double since = begun - (double)(load->days == 0 ? FIRST_DAYS : load->days) * DAY_S;
    if (until > begun) /* the clock was set back */
        until = begun;
    if (until > 0 && (load->days == 0 || until - DAY_S < since))
        since = until - DAY_S;
    if (load->days == 0 && since < first && first <= begun) /* before that there was no jobtrail */
        since = first;
    const size_t before = put_so_far(load);
    enum slurm_result result = ask_days(load, cluster, since);
    if (result == SLURM_LOADED)
        result = ask_open(load, cluster, begun);
    return result == SLURM_LOADED && put_so_far(load) == before ? check_cluster(load, cluster)
                                                                : result;
}

enum slurm_result load_slurm(struct slurm_load *load)
{
    CLEANUP_FREE char *clusters = NULL;
    enum slurm_result result = SLURM_LOADED, worst = SLURM_LOADED;
    if (store_slurm_clusters(load->store, &clusters) != 0)
        return SLURM_STORE_FAILED;
    for (const char *name = clusters; result <= SLURM_NO_ANSWER && *name != '\0';
         name += strlen(name) + 1) {
        result = ask_cluster(load, name);
        worst = result > worst ? result : worst;
    }
    if (clusters[0] == '\0')
        worst = ask_cluster(load, "");
    progress_clear(&load->progress);
    return worst;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static int read_rows(struct slurm_input *input, int fd)
{
    char bytes[READ_BYTES];
    struct stat facts;
    ssize_t size;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode))
        input->asked_time = (double)facts.st_mtime;
    for (;;) {
        if (*input->load->stop != 0)
            return -EINTR;
        size = read(fd, bytes, sizeof bytes);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            break;
        int error = take_bytes(input, bytes, (size_t)size);
        if (error != 0)
            return error;
    }
    return size < 0 ? -errno : slurm_rows_end(&input->rows, &input->reason);
}

enum slurm_result load_slurm_rows(struct slurm_load *load, const char *path)
{
    struct slurm_input input;
    bool is_stdin = strcmp(path, "-") == 0;
    CLEANUP_CLOSE int file = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    open_input(&input, load);
    int error = !is_stdin && file < 0 ? -errno : read_rows(&input, is_stdin ? STDIN_FILENO : file);
    if (error == 0)
        error = put_jobs(&input, NULL, 0);
    enum slurm_result result = tell(&input, error, path, NULL);
    close_input(&input);
    return result;
}
