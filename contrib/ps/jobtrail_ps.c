/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-ps(1): the command line.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/clocks.h"
#include "conf/base/command_options.h"
#include "conf/base/grow.h"
#include "conf/base/host.h"
#include "conf/base/text.h"
#include "conf/conf.h"
#include "contrib/ps/ps_jobs.h"
#include "contrib/ps/ps_output.h"
#include "contrib/ps/running.h"
#include "spank/spool_path.h"

static const char usage[] =
    "Usage: jobtrail-ps [OPTION...]\n"
    "       srun --overlap --jobid=JOB jobtrail-ps [OPTION...]\n"
    "\n"
    "Lists the programs that jobs run on this node now, as far as jobtrail records them: your own\n"
    "jobs, or as root all jobs. In a job it lists that job.\n"
    "\n"
    "  -j, --jobs LIST       these jobs, as numbers without steps\n"
    "  -a, --all             in a job, too: all of your jobs on this node\n"
    "  -o, --format LIST     FIELD[%[-]WIDTH],...\n"
    "  -e, --helpformat      list the fields\n"
    "  -n, --noheader\n"
    "  -P, --parsable2       fields separated by |\n"
    "  -p, --parsable        the same, with a | at the end\n"
    "      --json\n"
    "      --conf FILE       the configuration (default " JOBTRAIL_CONF ")\n"
    "      --node NAME       this node's name in Slurm (default: SLURMD_NODENAME or the host's "
    "name)\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0 all that was asked for is listed; 1 a job is unknown here, is another user's, "
    "or\n"
    "cannot be read; 2 usage; 3 the configuration or the spool cannot be used.\n";

enum ps_status { PS_OK = 0, PS_NOT_ALL = 1, PS_USAGE = 2, PS_UNUSABLE = 3 };

struct ps_options {
    const char *jobs, *format, *conf, *node;
    bool all, helpformat, noheader, parsable, parsable2, json;
    bool is_named; /* set by answer(): who asks has named each job that is listed */
};

#define MEMBER(name) offsetof(struct ps_options, name)

/* clang-format off */
static const struct option_row option_rows[] = {
    {"jobs", 'j', OPTION_TEXT, MEMBER(jobs), 0, 0, NULL},
    {"all", 'a', OPTION_FLAG, MEMBER(all), 0, 0, NULL},
    {"format", 'o', OPTION_TEXT, MEMBER(format), 0, 0, NULL},
    {"helpformat", 'e', OPTION_FLAG, MEMBER(helpformat), 0, 0, NULL},
    {"noheader", 'n', OPTION_FLAG, MEMBER(noheader), 0, 0, NULL},
    {"parsable2", 'P', OPTION_FLAG, MEMBER(parsable2), 0, 0, NULL},
    {"parsable", 'p', OPTION_FLAG, MEMBER(parsable), 0, 0, NULL},
    {"json", 'J', OPTION_FLAG, MEMBER(json), 0, 0, NULL},
    {"conf", 'c', OPTION_TEXT, MEMBER(conf), 0, 0, NULL},
    {"node", 'N', OPTION_TEXT, MEMBER(node), 0, 0, NULL},
    {"help", 'h', OPTION_ANSWER, 0, 0, 0, NULL},
    {"version", 'V', OPTION_ANSWER, 0, 0, 0, NULL},
    {NULL, 0, 0, 0, 0, 0, NULL},
};
/* clang-format on */

static const struct option_program program = {
    .name = "jobtrail-ps",
    .version = JOBTRAIL_VERSION,
    .usage = usage,
    .short_options = "j:ao:enPphV",
    .rows = option_rows,
};

/* The numbers in a list with commas. Returns 0; -EINVAL after saying what is wrong; or -ENOMEM. */
static int read_ids(const char *list, uint32_t **ids, size_t *count)
{
    char word[32];
    for (const char *at = list; *at != '\0';) {
        uint32_t id;
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), at);
        if (length >= sizeof word || options_number(word, 1, UINT32_MAX - 1, &id) != 0) {
            char shown[TERMINAL_WORD_SIZE];
            terminal_text(at, length, shown, sizeof shown);
            fprintf(stderr, "jobtrail-ps: not the number of a job: %s\n", shown);
            return -EINVAL;
        }
        if (GROW(*ids, *count) != 0)
            return -ENOMEM;
        (*ids)[(*count)++] = id;
        at += length + (at[length] == ',');
    }
    return 0;
}

static const char *verdict_text(const struct ps_job *job)
{
    switch (job->verdict) {
    case PS_OPEN:
        return NULL;
    case PS_OVER:
        return "has ended here";
    case PS_UNKNOWN:
        return "is not known here: it has ended, has not begun, runs on other nodes, or is not "
               "recorded";
    case PS_FOREIGN:
        return "is another user's";
    case PS_NO_LEDGER:
        return "has begun no step here that is recorded";
    case PS_OPTED_OUT:
        return "is not recorded: it was started with --jobtrail=no";
    case PS_ELSEWHERE:
        return "has its captures in another mount namespace: ask from inside of the job, by srun "
               "--overlap, or as root in slurmd's (nsenter --mount)";
    case PS_FAILED:
        break;
    }
    return job->error == -EINVAL ? "has no usable ledger" : strerror(-job->error);
}

/* What is said of a job on stderr. Returns whether that is trouble. */
static bool tell(const struct ps_job *job, const char *node, const char *text)
{
    fprintf(stderr, "jobtrail-ps: job %u on %s %s\n", (unsigned)job->job, node, text);
    return true;
}

/* Returns whether all is well. */
static bool list_job(const struct ps_options *options, const struct conf *conf,
                     const struct ps_job *job, const struct ps_columns *columns, enum ps_form form,
                     size_t *rows)
{
    struct running_list list;
    int error = running_read(conf, job->ledger, job->uid, job->gid, &list);
    if (error != 0)
        return !tell(job, options->node,
                     error == -EINVAL   ? "has no usable ledger"
                     : error == -EPROTO ? "has captures that stop the reader"
                                        : strerror(-error));
    struct ps_row row = {.job = job, .node = options->node, .now_ns = clock_ns(CLOCK_REALTIME)};
    size_t before = *rows;
    for (size_t i = 0; i < list.count; i++) {
        row.run = &list.run[i];
        if (row.run->pid != getpid())
            ps_print_row(form, columns, &row, (*rows)++ == 0);
    }
    bool is_whole = !list.is_cut || !tell(job, options->node, "runs more programs than are listed");
    if (is_whole && *rows == before && options->is_named)
        tell(job, options->node, "runs nothing now that is recorded");
    if (job->opted_out)
        tell(job, options->node, "is recorded only in part: it or a step had --jobtrail=no");
    running_free(&list);
    return is_whole;
}

/* Jobs that nobody has named are left out where there is nothing to list of them. */
static enum ps_status list_jobs(const struct ps_options *options, const struct conf *conf,
                                const struct ps_jobs *jobs)
{
    struct ps_columns columns;
    size_t rows = 0;
    enum ps_status status = PS_OK;
    enum ps_form form = options->json        ? PS_JSON
                        : options->parsable2 ? PS_BARS
                        : options->parsable  ? PS_BARS_AT_END
                                             : PS_TABLE;
    const char *format = options->format == NULL ? PS_DEFAULT_FORMAT : options->format;
    if (!ps_columns_read(format, &columns))
        return PS_USAGE;
    ps_print_head(form, &columns, !options->noheader);
    for (size_t i = 0; i < jobs->count; i++) {
        const struct ps_job *job = &jobs->job[i];
        const char *text = verdict_text(job);
        bool is_told =
            options->is_named || job->verdict == PS_FAILED || job->verdict == PS_ELSEWHERE;
        if (text == NULL ? !list_job(options, conf, job, &columns, form, &rows)
                         : is_told && tell(job, options->node, text))
            status = PS_NOT_ALL;
    }
    ps_print_end(form);
    char word[TERMINAL_WORD_SIZE];
    if (jobs->count == 0)
        fprintf(stderr, "jobtrail-ps: no job on %s%s\n", terminal_word(options->node, word),
                caller_is_root() ? ""
                                 : " of yours: name it by -j, or run this in the job by srun "
                                   "--overlap --jobid=JOB");
    return fflush(stdout) == 0 ? status : PS_NOT_ALL;
}

static enum ps_status answer(struct ps_options *options, const uint32_t *ids, size_t count)
{
    char text[1024], spool[PATH_MAX];
    struct conf conf;
    struct conf_error fault;
    struct ps_jobs jobs;
    if (conf_load_trusted(options->conf, &conf, &fault) != 0) {
        conf_error_text(&fault, text, sizeof text);
        fprintf(stderr, "jobtrail-ps: %s\n", text);
        return PS_UNUSABLE;
    }
    enum ps_status status = PS_UNUSABLE;
    int error = spool_expand(conf.spool, options->node, spool, sizeof spool);
    if (error == 0)
        error = ps_jobs_find(spool, ids, count, options->all, &jobs);
    if (error == 0) {
        options->is_named = count > 0 || (!caller_is_root() && jobs.count == 1);
        status = list_jobs(options, &conf, &jobs);
        ps_jobs_free(&jobs);
    } else {
        char word[TERMINAL_WORD_SIZE];
        fprintf(stderr, "jobtrail-ps: the spool %s of %s: %s\n", conf.spool,
                terminal_word(options->node, word),
                error == -ENOENT ? "not there: no job was recorded on this machine since it was "
                                   "booted"
                                 : strerror(-error));
    }
    conf_free(&conf);
    return status;
}

int main(int argc, char *argv[])
{
    struct ps_options options = {.conf = JOBTRAIL_CONF, .node = host_node()};
    uint32_t *ids = NULL;
    size_t count = 0;
    setlocale(LC_CTYPE, "");
    enum options_result result = options_read(argc, argv, &program, &options);
    if (result != OPTIONS_READ)
        return result == OPTIONS_ANSWERED ? PS_OK : PS_USAGE;
    if (options.helpformat) {
        ps_fields_print();
        return PS_OK;
    }
    if (optind < argc) {
        char shown[TERMINAL_WORD_SIZE];
        fprintf(stderr, "jobtrail-ps: no such argument: %s; name a job by -j\n",
                terminal_word(argv[optind], shown));
        return PS_USAGE;
    }
    int error = options.jobs == NULL ? 0 : read_ids(options.jobs, &ids, &count);
    enum ps_status status = error == -EINVAL ? PS_USAGE : PS_UNUSABLE;
    if (error == 0)
        status = answer(&options, ids, count);
    else if (error != -EINVAL)
        fprintf(stderr, "jobtrail-ps: %s\n", strerror(-error));
    free(ids);
    return (int)status;
}
