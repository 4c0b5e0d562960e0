/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/wrap.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/policy_load.h"
#include "ldwrap/chain.h"
#include "ldwrap/functions.h"
#include "ldwrap/guard.h"
#include "ldwrap/link_attempt.h"
#include "ldwrap/link_job.h"
#include "ldwrap/link_switches.h"
#include "ldwrap/real_linker.h"
#include "submit/hand_in/link_send.h"
#include "submit/record/link_record.h"

enum { STATUS_NO_LINKER = 127 };

/* Signals by which somebody has ended the link; it is not to begin again. */
static int is_ended_from_outside(int status)
{
    if (!WIFSIGNALED(status))
        return 0;
    switch (WTERMSIG(status)) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGKILL:
    case SIGTERM:
    case SIGUSR1:
    case SIGUSR2:
    case SIGPIPE:
    case SIGXCPU:
        return 1;
    default:
        return 0;
    }
}

static void exec_plain(const struct link_job *job, const char *why)
{
    switch_trace("%s: plain link: %s", job->line.output == NULL ? "-" : job->line.output, why);
    execv(job->linker, job->argv);
    fprintf(stderr, "jobtrail-ld: %s: %s\n", job->linker, strerror(errno));
}

/* Each file once, by its real path. */
static int real_inputs(const struct strings *inputs, struct strings *real)
{
    char path[PATH_MAX];
    int result = 0;
    for (size_t i = 0; i < inputs->count && result == 0; i++) {
        if (realpath(inputs->item[i], path) != NULL && !strings_have(real, path))
            result = strings_add(real, path);
    }
    return result;
}

/* The compiler's command line; our own arguments where no compiler called. */
static int command_line(const struct link_job *job, const char **line, size_t *size, char **owned)
{
    const struct ancestor *compiler = ancestors_compiler(&job->ancestors);
    if (compiler != NULL) {
        *line = compiler->argv;
        *size = compiler->argv_size;
        return 0;
    }
    FILE *stream = open_memstream(owned, size);
    if (stream == NULL)
        return -ENOMEM;
    for (int i = 0; i < job->argc; i++)
        fwrite(job->argv[i], 1, strlen(job->argv[i]) + 1, stream);
    if (fclose(stream) != 0)
        return -ENOMEM;
    *line = *owned;
    return 0;
}

/* What of the command line is recorded; without the rules, nothing but the program. The rules are
 * `*policy`, which the caller frees. */
static void find_rules(const struct link_job *job, struct command_lines *lines, void **policy)
{
    int result = policy_load(&job->conf, policy);
    command_lines_make(&job->conf, *policy, lines);
    if (result != 0 && lines->wanted == POLICY_LINE_YES)
        lines->wanted = POLICY_LINE_PROGRAM;
    if (!switch_command_line())
        lines->wanted = POLICY_LINE_NO;
}

static int send_record(const struct link_job *job, const struct strings *real,
                       const struct functions *functions)
{
    CLEANUP_FREE char *owned = NULL;
    CLEANUP_FREE void *policy = NULL;
    struct command_lines lines;
    struct record record;
    struct link_source source = {
        .conf = &job->conf,
        .lines = &lines,
        .uuid = job->uuid,
        .marked = job->mark >= 0,
        .output = job->line.output,
        .program = job->program,
        .program_path = job->program_path,
        .linker = job->linker,
        .inputs = real->item,
        .functions = functions->item,
        .function_count = functions->count,
        .cwd = job->cwd == NULL ? "" : job->cwd,
        .host = job->host,
        .user = link_job_user(),
        .cluster = link_job_cluster(),
        .start_ns = job->start_ns,
        .end_ns = job->end_ns,
    };
    find_rules(job, &lines, &policy);
    int result = command_line(job, &source.command_line, &source.command_line_size, &owned);
    if (result == 0)
        result = link_record_build(&source, &record);
    if (result != 0)
        return result;
    result = link_send(&job->conf, &record);
    record_free(&record);
    return result;
}

static int record_link(const struct link_job *job, struct link_attempt *attempt,
                       const struct strings *inputs)
{
    struct strings real = {NULL, 0};
    struct functions functions = {NULL, 0};
    int result = real_inputs(inputs, &real);
    if (result == 0 && job->modules.count > 0) {
        CLEANUP_FREE char *map_text = link_attempt_map(job, attempt);
        result = functions_find(job->line.output, inputs, map_text, &job->modules, &functions);
    }
    if (result == 0)
        result = send_record(job, &real, &functions);
    strings_free(&real);
    functions_free(&functions);
    return result;
}

/* The link has succeeded: the rest is ours, and whatever becomes of it, the user has his program.
 */
static void finish(struct link_job *job, struct link_attempt *attempt)
{
    struct strings inputs = {NULL, 0};
    guard_success();
    job->end_ns = link_job_now();
    int result = link_attempt_inputs(job, attempt, &inputs);
    if (result == 0)
        result = record_link(job, attempt, &inputs);
    if (result != 0)
        switch_trace("%s: no record: %s", job->line.output, strerror(-result));
    else
        switch_trace("%s: %s, recorded as %s", job->line.output,
                     job->mark >= 0 ? "marked" : job->line.unmarked, job->uuid);
    strings_free(&inputs);
}

/* Runs the link with what we add. Returns its exit status, or -1 where the plain link is to follow.
 */
static int try(struct link_job *job, int ask_inputs)
{
    struct link_attempt attempt;
    int status = -1;
    if (link_attempt(job, ask_inputs, &attempt) != 0) {
        link_attempt_free(&attempt);
        return -1;
    }
    int ended = is_ended_from_outside(attempt.status);
    int succeeded = WIFEXITED(attempt.status) && WEXITSTATUS(attempt.status) == 0;
    int shown = attempt.run.output.released || attempt.run.errors.released;
    if (succeeded || ended || shown)
        link_attempt_release(&attempt);
    if (succeeded)
        finish(job, &attempt);
    int too_much = !succeeded && !shown && link_attempt_was_asked_too_much(&attempt);
    if (succeeded || shown)
        status = WIFEXITED(attempt.status) ? WEXITSTATUS(attempt.status) : 1;
    link_attempt_free(&attempt);
    if (ended || (shown && WIFSIGNALED(attempt.status)))
        run_link_die(WTERMSIG(attempt.status));
    return too_much ? try(job, 0) : status;
}

/* Our own file; without /proc too. */
static int stat_self(struct stat *self)
{
    const char *name = (const char *)getauxval(AT_EXECFN);
    return (name != NULL && stat(name, self) == 0) || stat("/proc/self/exe", self) == 0;
}

/* Calls the linker by its own name, as the caller would have. */
static int prepare_call(struct link_job *job, char **argv, char **linker)
{
    struct stat self;
    int begun = chain_has_begun();
    if (!stat_self(&self) || chain_add(&self) != 0)
        return -EIO;
    int result = real_linker_find(job->called, &job->ancestors, linker);
    if (result != 0)
        return result;
    job->linker = *linker;
    if (strchr(argv[0], '/') != NULL)
        argv[0] = *linker;
    return begun;
}

static const char *prepare(struct link_job *job)
{
    guard_exec(job->linker, job->argv);
    const char *why = link_job_prepare(job);
    guard_off();
    return why;
}

int wrap(const char *called, int argc, char **argv)
{
    CLEANUP_FREE char *linker = NULL;
    const char *why = NULL;
    struct link_job job = {.called = called, .argc = argc, .argv = argv, .mark = -1, .startup = -1};
    ancestors_read(&job.ancestors);
    int begun = prepare_call(&job, argv, &linker);
    if (begun < 0) {
        fprintf(stderr, "jobtrail-ld: no other %s than this one in COMPILER_PATH and PATH\n",
                called);
        return STATUS_NO_LINKER;
    }
    if (begun)
        why = "another jobtrail-ld has called";
    else if (!switch_tracking())
        why = "XALT_EXECUTABLE_TRACKING is not yes";
    else
        why = prepare(&job);
    int status = why == NULL ? try(&job, 1) : -1;
    if (status < 0) {
        exec_plain(&job, why == NULL ? "the linker does not take what we add" : why);
        status = STATUS_NO_LINKER;
    }
    ancestors_free(&job.ancestors);
    link_job_free(&job);
    return status;
}
