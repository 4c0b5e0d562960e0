/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/wrap.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/policy_file.h"
#include "ldwrap/ancestors.h"
#include "ldwrap/called_linkers.h"
#include "ldwrap/functions.h"
#include "ldwrap/link_attempt.h"
#include "ldwrap/link_job.h"
#include "ldwrap/link_switches.h"
#include "submit/hand_in/link_send.h"
#include "submit/record/link_record.h"

/* ---- Crashes of the wrapper ------------------------------------------------------------------ */

enum { PATIENCE_S = 30 };

static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGXFSZ, SIGXCPU};
enum { FAULTS = sizeof faults / sizeof faults[0] };

static const char *linker_path;
static char *const *linker_argv;
static struct sigaction saved[FAULTS];
static bool is_on;

static void become_linker(int number)
{
    sigset_t only;
    crash_default();
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    execv(linker_path, linker_argv);
    _exit(127);
}

static void succeed(int number)
{
    (void)number;
    _exit(0);
}

/* Saves the former handlers, for the linker that we may run. */
static void set_handlers(void (*handler)(int))
{
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], &(struct sigaction){.sa_handler = handler}, is_on ? NULL : &saved[i]);
    is_on = true;
}

void crash_runs_linker(const char *path, char *const *argv)
{
    linker_path = path;
    linker_argv = argv;
    set_handlers(become_linker);
}

void crash_succeeds(void)
{
    set_handlers(succeed);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = succeed}, NULL);
    alarm(PATIENCE_S);
}

void crash_default(void)
{
    for (int i = 0; is_on && i < FAULTS; i++)
        sigaction(faults[i], &saved[i], NULL);
    alarm(0);
    is_on = false;
}

/* ---- The linker ------------------------------------------------------------------------------ */

struct lookup {
    const char *name;
    bool is_xalts; /* XALT's wrapper has called, so that no wrapper of XALT's is looked for */
};

/* Takes DIRECTORY/NAME if it is a program that was not called yet. Returns 0, -ENOENT, -ENOMEM. */
static int take_program(const struct lookup *search, const char *directory, size_t length,
                        char **path)
{
    struct stat status;
    CLEANUP_FREE char *text = NULL;
    const char *slash = length > 0 && directory[length - 1] == '/' ? "" : "/";
    if (asprintf(&text, "%.*s%s%s", (int)length, length == 0 ? "." : directory, slash,
                 search->name) < 0) {
        text = NULL;
        return -ENOMEM;
    }
    if (stat(text, &status) != 0 || !S_ISREG(status.st_mode) || access(text, X_OK) != 0 ||
        called_linkers_have(&status) || (search->is_xalts && xalt_wrapper_is(text)))
        return -ENOENT;
    if (called_linkers_add(&status) != 0)
        return -ENOMEM;
    *path = text;
    text = NULL;
    return 0;
}

/* Takes the first one in a list of directories, with ':' between them. */
static int search_directories(const struct lookup *search, const char *directories, char **path)
{
    int error = -ENOENT;
    for (const char *at = directories; at != NULL && error == -ENOENT;) {
        size_t length = strcspn(at, ":");
        error = take_program(search, at, length, path);
        at = at[length] == ':' ? at + length + 1 : NULL;
    }
    return error;
}

/* clang prefers TARGET-ld to ld, but tries both names in a directory before the next directory.
 * Ours is the first one in PATH, so that clang finds our `ld`. Then TARGET-ld is sought here. */
static int search_target(const struct lookup *search, const struct ancestor *clang, char **path)
{
    CLEANUP_FREE char *name = NULL;
    /* The value of --target=T or -target T in a clang's arguments, or NULL. */
    const char *end = clang->argv + clang->argv_size, *found = NULL;
    bool is_next = false;
    for (const char *at = clang->argv; at < end; at += strlen(at) + 1) {
        if (is_next)
            found = at;
        else if (strncmp(at, "--target=", 9) == 0)
            found = at + 9;
        is_next = strcmp(at, "-target") == 0;
    }
    const char *target = found;
    if (target == NULL || strcmp(search->name, "ld") != 0)
        return -ENOENT;
    if (asprintf(&name, "%s-%s", target, search->name) < 0) {
        name = NULL;
        return -ENOMEM;
    }
    return search_directories(&(struct lookup){name, search->is_xalts}, getenv("PATH"), path);
}

static int search_beside(const struct lookup *search, const struct ancestor *clang, char **path)
{
    int error = search_target(search, clang, path);
    const char *slash = strrchr(clang->path, '/');
    if (error == -ENOENT && slash != NULL)
        error = take_program(search, clang->path, (size_t)(slash - clang->path), path);
    return error;
}

/* Finds the linker that would have been called by the name `called` without us: in COMPILER_PATH,
 * as gcc's collect2 and clang search; in the directory of a clang that has called; then in PATH.
 * Skips programs that have been called for this link (called_linkers.h), among them this one, and
 * XALT's wrappers if one of them has called (called_linkers.h). Adds the one that it finds to their
 * list. Returns 0 and the malloc'ed `*path`, as the caller would have written it; or -ENOENT,
 * -ENOMEM. */
static int real_linker_find(const char *called, const struct ancestors *ancestors, char **path)
{
    const struct ancestor *caller = ancestors_caller(ancestors);
    const struct lookup search = {called, xalt_wrapper_has_called(ancestors)};
    int error = search_directories(&search, getenv("COMPILER_PATH"), path);
    if (error == -ENOENT && caller != NULL && strstr(caller->path, "/clang") != NULL)
        error = search_beside(&search, caller, path);
    return error == -ENOENT ? search_directories(&search, getenv("PATH"), path) : error;
}

/* ---- The link -------------------------------------------------------------------------------- */

enum { STATUS_NO_LINKER = 127 };

/* The real paths of the libraries, each once. As XALT does, leaves out those that the linker was
 * given by a path below /tmp: compilers make libraries there that soon are gone, each with a name
 * of its own. They go to `*others`, as the number of files that are not named. */
static int real_libraries(const struct strings *libraries, struct strings *real, size_t *others)
{
    char path[PATH_MAX];
    int error = 0;
    for (size_t i = 0; i < libraries->count && error == 0; i++) {
        if (strncmp(libraries->item[i], "/tmp/", 5) == 0)
            (*others)++;
        else if (realpath(libraries->item[i], path) != NULL && !strings_have(real, path))
            error = strings_add(real, path);
    }
    return error;
}

/* The compiler's command line, or our own arguments where no compiler has called. */
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

/* How much of the command line is recorded; where the rules cannot be read, the program alone. The
 * rules are `*policy`, which the caller frees. */
static void find_rules(const struct link_job *job, struct command_lines *lines, void **policy)
{
    int error = policy_load_redaction(&job->conf, policy);
    command_lines_make(&job->conf, *policy, lines);
    if (error != 0 && lines->wanted == POLICY_LINE_YES)
        lines->wanted = POLICY_LINE_PROGRAM;
    if (!switch_command_line())
        lines->wanted = POLICY_LINE_NO;
}

static int send_record(const struct link_job *job, const struct strings *libraries, size_t objects,
                       const struct functions *functions)
{
    CLEANUP_FREE char *owned = NULL;
    CLEANUP_FREE void *policy = NULL;
    struct command_lines lines;
    struct built_record record;
    struct link_source source = {
        .conf = &job->conf,
        .lines = &lines,
        .uuid = job->uuid,
        .marked = job->mark >= 0,
        .output = job->line.output,
        .program = job->program,
        .program_path = job->program_path,
        .wrapper = job->wrapper,
        .linker = job->linker,
        .libraries = libraries->item,
        .objects = objects,
        .functions = functions->item,
        .function_count = functions->count,
        .cwd = job->cwd == NULL ? "" : job->cwd,
        .host = job->host,
        .user = link_job_user(),
        .uid = caller_uid(),
        .cluster = link_job_cluster(),
        .start_ns = job->start_ns,
        .end_ns = job->end_ns,
    };
    find_rules(job, &lines, &policy);
    int error = command_line(job, &source.command_line, &source.command_line_size, &owned);
    if (error == 0)
        error = link_record_build(&source, &record);
    if (error != 0)
        return error;
    error = link_send(&job->conf, &record);
    record_free(&record);
    return error;
}

static int record_link(const struct link_job *job, struct link_attempt *attempt,
                       const struct link_inputs *inputs)
{
    CLEANUP_STRINGS struct strings real = {NULL, 0};
    CLEANUP_FUNCTIONS struct functions functions = {NULL, 0};
    size_t objects = inputs->objects;
    int error = real_libraries(&inputs->libraries, &real, &objects);
    if (error == 0 && job->modules.count > 0) {
        CLEANUP_FREE char *map_text = link_attempt_map(job, attempt);
        error = functions_find(job->line.output, &inputs->libraries, map_text, &job->modules,
                               &functions);
    }
    return error == 0 ? send_record(job, &real, objects, &functions) : error;
}

/* After a link that succeeded. From here on no failure of ours changes the exit status. */
static void record_success(struct link_job *job, struct link_attempt *attempt)
{
    struct link_inputs inputs = {.objects = 0};
    crash_succeeds();
    job->end_ns = clock_ns(CLOCK_REALTIME);
    int error = link_attempt_inputs(job, attempt, &inputs);
    if (error == 0)
        error = record_link(job, attempt, &inputs);
    strings_free(&inputs.libraries);
    if (error != 0)
        switch_trace("%s: no record: %s", job->line.output, strerror(-error));
    else
        switch_trace("%s: %s, recorded as %s", job->line.output,
                     job->mark >= 0 ? "marked" : job->line.why_unmarked, job->uuid);
}

/* Runs the link with what we add. Returns its exit status, or -1: the plain link is to follow. */
static int run_attempt(struct link_job *job, bool ask_inputs)
{
    CLEANUP_ATTEMPT struct link_attempt attempt;
    if (link_attempt(job, ask_inputs, &attempt) != 0)
        return -1;
    bool has_exited = WIFEXITED(attempt.status);
    bool is_ended = run_link_is_ended(attempt.status);
    bool has_succeeded = has_exited && WEXITSTATUS(attempt.status) == 0;
    bool was_shown = attempt.run.output.is_released || attempt.run.errors.is_released;
    bool is_final = has_succeeded || is_ended || was_shown ||
                    link_line_has_pipe(&job->arguments, true); /* of which nothing is left */
    if (is_final)
        link_attempt_release(&attempt);
    if (has_succeeded)
        record_success(job, &attempt);
    else if (is_final && !has_exited)
        run_link_die(WTERMSIG(attempt.status));
    else if (!is_final)
        return link_attempt_lacks_option(&attempt) ? run_attempt(job, false) : -1;
    return WEXITSTATUS(attempt.status);
}

/* Finds the linker and gives it its own name as argv[0], as the caller would have. Returns whether
 * another jobtrail-ld has called us, or -errno. */
static int prepare_call(struct link_job *job, char **argv, char **linker)
{
    struct stat self;
    bool is_nested = called_linkers_any();
    const char *name = (const char *)getauxval(AT_EXECFN); /* there may be no /proc */
    if (((name == NULL || stat(name, &self) != 0) && stat("/proc/self/exe", &self) != 0) ||
        called_linkers_add(&self) != 0)
        return -EIO;
    int error = real_linker_find(job->called, &job->ancestors, linker);
    if (error != 0)
        return error;
    job->linker = *linker;
    if (strchr(argv[0], '/') != NULL)
        argv[0] = *linker;
    return is_nested;
}

int wrap(const char *called, int argc, char **argv)
{
    CLEANUP_FREE char *linker = NULL;
    const char *why = NULL;
    struct link_job job = {
        .called = called, .argc = argc, .argv = argv, .mark = -1, .startup = -1, .profile = -1};
    ancestors_read(&job.ancestors);
    int is_nested = prepare_call(&job, argv, &linker);
    if (is_nested < 0) {
        fprintf(stderr, "jobtrail-ld: no other %s than this one in COMPILER_PATH and PATH\n",
                called);
        return STATUS_NO_LINKER;
    }
    if (is_nested) {
        why = "another jobtrail-ld has called";
    } else if (!switch_tracking()) {
        why = "XALT_EXECUTABLE_TRACKING is not yes";
    } else {
        crash_runs_linker(job.linker, job.argv);
        why = link_job_prepare(&job);
        crash_default();
    }
    int status = why == NULL ? run_attempt(&job, true) : -1;
    if (status < 0) {
        switch_trace("%s: plain link: %s", job.line.output == NULL ? "-" : job.line.output,
                     why == NULL ? "the linker does not take what we add" : why);
        execv(job.linker, job.argv);
        fprintf(stderr, "jobtrail-ld: %s: %s\n", job.linker, strerror(errno));
        status = STATUS_NO_LINKER;
    }
    ancestors_free(&job.ancestors);
    link_job_free(&job);
    return status;
}
