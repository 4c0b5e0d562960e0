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

/* Appends the epilog's line to the job's journals. The user of the job, and the facts in the line,
 * are in the environment of the Epilog script. */
static void append_epilog_line(const struct conf *conf, const char *node, uint32_t job)
{
    char spool[PATH_MAX];
    uint32_t uid;
    const char *text = getenv("SLURM_JOB_UID");
    if (text != NULL && options_number(text, 0, UINT32_MAX - 1, &uid) == 0 &&
        spool_expand(conf->spool, node, spool, sizeof spool) == 0)
        epilog_note(spool, job, (uid_t)uid);
}

enum submit_status command_flush(const struct submit_options *options)
{
    struct flush_options flush = {options->node, options->job, options->orphans, options->sessions,
                                  options->dry_run};
    struct flush_count count;
    struct conf conf;
    if (options->epilog) {
        const char *id = getenv("SLURM_JOB_ID");
        if (id == NULL || options_number(id, 1, UINT32_MAX, &flush.job) != 0) {
            fprintf(stderr, "jobtrail-submit: not a job id: %s\n",
                    id != NULL ? id : "none in SLURM_JOB_ID");
            return SUBMIT_USAGE;
        }
    }
    bool jobs = options->all || options->orphans || flush.job != 0;
    if (jobs == options->sessions || (options->all && flush.job != 0) ||
        (options->dry_run && (options->epilog || options->sessions)))
        return SUBMIT_USAGE;
    enum submit_status status = submit_conf_load(options, &conf);
    if (status != SUBMIT_OK)
        return status;
    if (options->epilog)
        append_epilog_line(&conf, options->node, flush.job);
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
