/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/command_options.h"
#include "spank/epilog_note.h"
#include "spank/spool_path.h"
#include "submit/command/hand_on.h"
#include "submit/command/submit_command.h"
#include "submit/flush/flush.h"
#include "submit/flush/watch.h"

/* For reading and writing beside what the configuration bounds. */
enum { HAND_ON_MORE_S = 60 };

static void print_count(const struct flush_count *count, bool json)
{
    const struct {
        const char *name;
        uint64_t value;
    } values[] = {
        {"jobs", count->jobs},
        {"records", count->records},
        {"packages", count->packages},
        {"unhooked", count->unhooked},
        {"dropped", count->dropped},
        {"damaged", count->damaged},
        {"misdated", count->misdated},
        {"left_out", count->left_out},
        {"quarantined", count->quarantined},
        {"lost", count->lost},
        {"left", count->left},
        {"running", count->running},
        {"failed", count->failed},
        {"overflowed", count->overflowed},
        {"refused", count->refused},
        {"waiting", count->waiting},
    };
    const char *quote = json ? "\"" : "", *colon = json ? ":" : "";
    fputs(json ? "{" : "", stdout);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        printf("%s%s%s%s%s %" PRIu64, i == 0 ? "" : ", ", quote, values[i].name, quote, colon,
               values[i].value);
    puts(json ? "}" : "");
}

/* A number in the environment of a Prolog script; false: it is not there. */
static bool number_of(const char *name, uint32_t least, uint32_t *number)
{
    const char *text = getenv(name);
    return text != NULL && options_number(text, least, UINT32_MAX - 1, number) == 0;
}

enum submit_status command_prolog(const struct submit_options *options)
{
    char spool[PATH_MAX];
    struct conf conf;
    uint32_t job, uid;
    if (!number_of("SLURM_JOB_ID", 1, &job) || !number_of("SLURM_JOB_UID", 0, &uid)) {
        fprintf(stderr, "jobtrail-submit: no job in SLURM_JOB_ID and SLURM_JOB_UID\n");
        return SUBMIT_OK;
    }
    if (submit_conf_load(options, &conf) != SUBMIT_OK)
        return SUBMIT_OK;
    if (spool_expand(conf.spool, options->node, spool, sizeof spool) == 0)
        epilog_note_credential(spool, job, (uid_t)uid);
    struct submit_options of_job = *options;
    of_job.job = job;
    hand_on(&of_job, &conf, HAND_ON_JOBS, conf.epilog_timeout_s, NULL, NULL);
    conf_free(&conf);
    return SUBMIT_OK;
}

enum submit_status command_flush(const struct submit_options *options)
{
    struct flush_options flush = {options->node, options->job, options->orphans, options->sessions,
                                  options->dry_run};
    struct flush_count count;
    struct conf conf;
    bool jobs = options->all || options->orphans || flush.job != 0;
    if (jobs == options->sessions || (options->all && flush.job != 0) ||
        (options->dry_run && options->sessions))
        return SUBMIT_USAGE;
    enum submit_status status = submit_conf_load(options, &conf);
    if (status != SUBMIT_OK)
        return status;
    int error = flush_run(&conf, &flush, &count);
    status = hand_on(options, &conf, options->sessions ? HAND_ON_SESSIONS : HAND_ON_JOBS,
                     conf.job_timeout_s + conf.epilog_timeout_s + HAND_ON_MORE_S,
                     jobs ? &flush : NULL, &count);
    if (!options->dry_run)
        hand_on_note(options, &conf);
    if (error != 0)
        fprintf(stderr, "jobtrail-submit: nothing flushed: %s (spool %s, outbox in %s)\n",
                error == -ESTALE
                    ? "slurmd has mounted the spool in a mount namespace of its own: flush from "
                      "there (nsenter --mount), or say [spool] mount = no"
                    : strerror(-error),
                conf.spool, conf.state);
    conf_free(&conf);
    if (error != 0)
        return SUBMIT_UNUSABLE;
    if (!options->dry_run)
        print_count(&count, options->json);
    return status == SUBMIT_OK && (count.failed > 0 || count.running > 0) ? SUBMIT_SOME_WAIT
                                                                          : status;
}

/* ---- watch ----------------------------------------------------------------------------------- */

/* As long as a process watch takes to end another one. */
enum { HAND_ON_S = 6 };

/* Each version has a process watch of its own. Those of other versions end with their last job. */
static void hand_on_watch(const struct submit_options *options)
{
    struct conf conf;
    if (options->formats != 0 || submit_conf_load(options, &conf) != SUBMIT_OK)
        return;
    hand_on(options, &conf, options->stop ? HAND_ON_WATCH : HAND_ON_JOBS, HAND_ON_S, NULL, NULL);
    conf_free(&conf);
}

enum submit_status command_watch(const struct submit_options *options)
{
    if (options->stop + options->detach + options->once > 1)
        return SUBMIT_USAGE;
    hand_on_watch(options);
    if (!options->stop && !options->once)
        return watch_run(options->conf, options->node, options->detach, options->formats != 0) == 0
                   ? SUBMIT_OK
                   : SUBMIT_UNUSABLE;
    int error = options->stop ? watch_stop(options->conf, options->node)
                              : watch_look(options->conf, options->node);
    if (error == 0)
        return SUBMIT_OK;
    fprintf(stderr, "jobtrail-submit: watch: %s\n", strerror(-error));
    return SUBMIT_UNUSABLE;
}
