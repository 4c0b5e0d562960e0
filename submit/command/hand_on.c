/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/command/hand_on.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/listing.h"
#include "conf/base/process.h"
#include "conf/base/trusted.h"
#include "spank/job_formats.h"
#include "spank/spool_path.h"
#include "spank/version_note.h"
#include "submit/flush/gone_version.h"
#include "submit/job/spool_read.h"

/* Names of users' sessions that are looked at: users make as many as they like. */
enum { NAMES_MAX = 10000 };

static bool has_jobs(const char *spool, uint32_t job)
{
    struct spool_jobs jobs = {NULL, 0};
    CLEANUP_CLOSE int directory = spool_open_node(spool);
    bool has = directory >= 0 && spool_list(directory, job, &jobs) == 0 && jobs.count > 0;
    free(jobs.job);
    return has;
}

static bool has_file(const char *directory, const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    return length > 0 && length < PATH_MAX && access(path, F_OK) == 0;
}

/* Whether a directory in `directory` has a name in it that begins with no dot. */
static bool has_names_below(const char *directory)
{
    CLEANUP_LISTING DIR *listing = NULL;
    int left = NAMES_MAX;
    listing_take(directory_open(AT_FDCWD, directory), &listing);
    for (const char *name; left-- > 0 && (name = listing_next(listing)) != NULL;) {
        CLEANUP_LISTING DIR *below = NULL;
        if (name[0] == '.' || listing_take(directory_open(dirfd(listing), name), &below) != 0)
            continue;
        while ((name = listing_next(below)) != NULL)
            if (name[0] != '.')
                return true;
    }
    return false;
}

static bool has_anything(const char *directory, enum hand_on what, uint32_t job)
{
    return what == HAND_ON_JOBS      ? has_jobs(directory, job)
           : what == HAND_ON_WATCHER ? has_file(directory, SPOOL_WATCH_LOCK)
                                     : has_names_below(directory);
}

/* What the directories of all versions begin with (spank/version_note.h). Returns 0 or
 * -ENAMETOOLONG. */
static int find_prefix(const struct submit_options *options, const struct conf *conf,
                       enum hand_on what, char prefix[PATH_MAX])
{
    int length = 0;
    if (what == HAND_ON_OUTBOX)
        length = snprintf(prefix, PATH_MAX, "%s/outbox", conf->state);
    else if (what == HAND_ON_SESSIONS)
        length = snprintf(prefix, PATH_MAX, "%s", conf->sessions);
    else if (spool_expand_formats(conf->spool, options->node, 1, prefix, PATH_MAX - 1) == 0)
        strcat(prefix, "/");
    else
        return -ENAMETOOLONG;
    return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* Returns the process, or -errno. The version's own configuration comes after that of `options`,
 * and so counts. getopt_long(3) has moved the command behind the options: it comes first again, as
 * ps(1) shows a watcher for days. */
static pid_t start_program(const struct submit_options *options, enum hand_on what,
                           const struct version_note *note)
{
    char number[16];
    int first_word = (int)(options->words - options->argv);
    pid_t pid;
    size_t count = 0;
    const char **argv = calloc((size_t)options->argc + 6, sizeof *argv);
    if (argv == NULL)
        return -ENOMEM;
    snprintf(number, sizeof number, "%u", (unsigned)note->formats);
    argv[count++] = note->submit;
    for (int i = first_word; i < options->argc; i++)
        argv[count++] = options->argv[i];
    for (int i = 1; i < first_word; i++)
        argv[count++] = options->argv[i];
    argv[count++] = "--conf";
    argv[count++] = note->conf;
    argv[count++] = "--formats";
    argv[count++] = number;
    if (what == HAND_ON_JOBS && strcmp(options->words[0], "watch") == 0 && !options->once &&
        !options->detach)
        argv[count++] = "--detach";
    int error =
        posix_spawn(&pid, note->submit, NULL, NULL, (char *const *)(uintptr_t)argv, environ);
    free(argv);
    return error == 0 ? pid : -error;
}

/* Returns SUBMIT_OK; SUBMIT_OTHER where it is gone, or is of other formats by now; or
 * SUBMIT_SOME_WAIT where it goes on, was ended, or could not do its work, which stderr tells: the
 * next try may. */
static enum submit_status run_program(const struct submit_options *options, enum hand_on what,
                                      const struct version_note *note, unsigned timeout_s)
{
    char culprit[PATH_MAX];
    int status = 0;
    int error = trusted_check(note->submit, culprit, sizeof culprit);
    pid_t pid = error != 0 ? error : start_program(options, what, note);
    if (pid == -ENOENT)
        return SUBMIT_OTHER;
    if (pid < 0) {
        fprintf(stderr, "jobtrail-submit: %s, of another version, cannot be run: %s\n",
                note->submit, error == -EPERM ? "others than root can change it" : strerror(-pid));
        return SUBMIT_SOME_WAIT;
    }
    if (!process_reap(pid, (int)timeout_s * 1000, &status) || !WIFEXITED(status))
        return SUBMIT_SOME_WAIT;
    int ended = WEXITSTATUS(status);
    if (ended > SUBMIT_SOME_WAIT && ended != SUBMIT_OTHER)
        fprintf(stderr, "jobtrail-submit: %s, of another version, ended with status %d\n",
                note->submit, ended);
    return ended == SUBMIT_OK || ended == SUBMIT_OTHER ? (enum submit_status)ended
                                                       : SUBMIT_SOME_WAIT;
}

static enum submit_status hand_on_to(const struct submit_options *options, enum hand_on what,
                                     unsigned timeout_s, const char *directory, uint32_t formats,
                                     struct version_note *note)
{
    int error = version_note_read(directory, note);
    if (error == 0 && note->formats == formats)
        return run_program(options, what, note, timeout_s);
    note->submit[0] = '\0';
    if (error == -ENOENT)
        return SUBMIT_OTHER;
    fprintf(stderr, "jobtrail-submit: %s/" VERSION_NOTE ": %s\n", directory,
            error == -EPERM ? "others than root can change it"
            : error != 0    ? strerror(-error)
                            : "it has another number of formats");
    return SUBMIT_SOME_WAIT;
}

enum submit_status hand_on(const struct submit_options *options, const struct conf *conf,
                           enum hand_on what, unsigned timeout_s, const struct flush_options *flush,
                           struct flush_count *count)
{
    char prefix[PATH_MAX], directory[PATH_MAX];
    uint32_t formats[VERSIONS_MAX];
    enum submit_status worst = SUBMIT_OK;
    if (options->formats != 0 || find_prefix(options, conf, what, prefix) != 0)
        return SUBMIT_OK;
    size_t others = version_note_others(prefix, formats);
    for (size_t i = 0; i < others; i++) {
        struct version_note note;
        if (version_note_path(prefix, formats[i], directory) != 0 ||
            !has_anything(directory, what, options->job))
            continue;
        enum submit_status status =
            hand_on_to(options, what, timeout_s, directory, formats[i], &note);
        if (status == SUBMIT_OTHER && what == HAND_ON_WATCHER)
            continue;
        if (status == SUBMIT_OTHER) {
            fprintf(stderr,
                    "jobtrail-submit: what is in %s is of another version (formats %u), and its "
                    "program %s\n",
                    directory, (unsigned)formats[i],
                    note.submit[0] == '\0'           ? "is not known"
                    : access(note.submit, F_OK) == 0 ? "is of yet another version by now"
                                                     : "is gone");
            if (flush != NULL)
                gone_version_flush(conf, flush, directory, formats[i], count);
            status = SUBMIT_SOME_WAIT;
        }
        worst = status > worst ? status : worst;
    }
    return worst;
}

static void note_in(const char *directory, const struct submit_options *options)
{
    struct stat status;
    if (stat(directory, &status) != 0)
        return;
    CLEANUP_FREE char *conf = realpath(options->conf, NULL);
    int error = version_note_write(directory,
                                   options->conf[0] == '/' || conf == NULL ? options->conf : conf,
                                   NULL, "/proc/self/exe");
    if (error != 0)
        fprintf(stderr, "jobtrail-submit: %s/" VERSION_NOTE ": %s\n", directory, strerror(-error));
}

void hand_on_note(const struct submit_options *options, const struct conf *conf)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/outbox" JOB_FORMATS_SUFFIX, conf->state);
    if (geteuid() != 0)
        return;
    if (length > 0 && length < PATH_MAX)
        note_in(path, options);
    length = snprintf(path, sizeof path, "%s" JOB_FORMATS_SUFFIX, conf->sessions);
    if (conf->sessions[0] != '\0' && length > 0 && length < PATH_MAX)
        note_in(path, options);
}
