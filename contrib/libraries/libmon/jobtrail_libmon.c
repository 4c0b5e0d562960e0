/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-libmon(8): the command line.
 */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/command_options.h"
#include "conf/base/days.h"
#include "conf/base/progress.h"
#include "conf/base/stderr_or_syslog.h"
#include "conf/base/text.h"
#include "conf/conf.h"
#include "contrib/libraries/globs.h"
#include "contrib/libraries/libmon/libmon_list.h"
#include "contrib/libraries/libmon/libmon_output.h"
#include "contrib/libraries/libmon/libmon_patience.h"
#include "contrib/libraries/libmon/libmon_watch.h"
#include "contrib/libraries/scan/library_scan.h"

static const char usage[] =
    "Usage: jobtrail-libmon scan [OPTION...]\n"
    "       jobtrail-libmon watch [OPTION...]\n"
    "       jobtrail-libmon list [--conf FILE] [--json] [PATTERN...]\n"
    "\n"
    "scan\n"
    "Says what has changed since the last scan in the libraries below the trees of [libraries] in\n"
    "jobtrail.conf, writes it to their logs, and makes records of it. A timer runs it.\n"
    "\n"
    "watch\n"
    "Scans some seconds after each change, and finds out who made it. Counts opens of libraries\n"
    "outside of jobs, for use_logs and use_records of [libraries]. With 'watch = yes' the node's\n"
    "process watch runs it.\n"
    "\n"
    "list\n"
    "Prints the libraries that the last scan has seen: those whose name matches a PATTERN of the\n"
    "shell, or whose path does if the pattern has a slash; without one all.\n"
    "\n"
    "  --conf FILE         the configuration (default " JOBTRAIL_CONF ")\n"
    "  --dry-run           only say what has changed; write nothing\n"
    "  --json              print JSON\n"
    "  --quiet             print errors only\n"
    "  --wait              where another scan is running, wait for its end\n"
    "  --no-new-hashes     do not hash what is seen for the first time: the first scan is faster\n"
    "  --accept-away       report what is missing in trees that are away as removed\n"
    "  --patience S        leave out what does not answer for S seconds\n"
    "  --root DIR          the packages are those of the system below DIR\n"
    "  --background        of watch: messages go to syslog\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0 all was seen; 1 a tree is away, or something cannot be read; 2 usage; 3 the\n"
    "configuration, the state, a log or the outbox cannot be used; 4 another scan or watch runs. "
    "Of\n"
    "list: 1 no library is chosen.\n";

/* Of the watch, as of the timer's scans. */
enum { PATIENCE_S = 300 };

enum libmon_command { COMMAND_SCAN, COMMAND_WATCH, COMMAND_LIST, COMMANDS };

static const char *const commands[COMMANDS] = {"scan", "watch", "list"};

enum libmon_status {
    LIBMON_OK = 0,
    LIBMON_NOT_ALL = 1,
    LIBMON_USAGE = 2,
    LIBMON_UNUSABLE = 3,
    LIBMON_LOCKED = 4,
};

struct libmon_options {
    const char *conf, *root;
    uint32_t patience; /* seconds; 0: any */
    bool dry_run, json, quiet, wait, no_new_hashes, accept_away, background;
    char **argv, **patterns; /* of main() */
    size_t pattern_count;
};

#define MEMBER(name) offsetof(struct libmon_options, name)

/* clang-format off */
static const struct option_row option_rows[] = {
    {"conf", 'c', OPTION_TEXT, MEMBER(conf), 0, 0, NULL},
    {"root", 'r', OPTION_TEXT, MEMBER(root), 0, 0, NULL},
    {"dry-run", 'd', OPTION_FLAG, MEMBER(dry_run), 0, 0, NULL},
    {"json", 'J', OPTION_FLAG, MEMBER(json), 0, 0, NULL},
    {"quiet", 'q', OPTION_FLAG, MEMBER(quiet), 0, 0, NULL},
    {"wait", 'w', OPTION_FLAG, MEMBER(wait), 0, 0, NULL},
    {"no-new-hashes", 'n', OPTION_FLAG, MEMBER(no_new_hashes), 0, 0, NULL},
    {"accept-away", 'a', OPTION_FLAG, MEMBER(accept_away), 0, 0, NULL},
    {"patience", 'p', OPTION_NUMBER, MEMBER(patience), 1, 86400, NULL},
    {"background", 'b', OPTION_FLAG, MEMBER(background), 0, 0, NULL},
    {"help", 'h', OPTION_ANSWER, 0, 0, 0, NULL},
    {"version", 'V', OPTION_ANSWER, 0, 0, 0, NULL},
    {NULL, 0, 0, 0, 0, 0, NULL},
};
/* clang-format on */

static const struct option_program program = {
    .name = "jobtrail-libmon",
    .version = JOBTRAIL_VERSION,
    .usage = usage,
    .short_options = "hV",
    .rows = option_rows,
};

static enum libmon_status end_scan(struct libmon_output *output, enum library_scan_outcome outcome,
                                   const struct library_scan_counts *counts, const char *trouble)
{
    progress_clear(&output->progress);
    if (outcome == LIBRARY_SCAN_LOCKED) {
        fputs("jobtrail-libmon: another scan is running; --wait waits for its end\n", stderr);
        return LIBMON_LOCKED;
    }
    if (outcome == LIBRARY_SCAN_DONE || output->form == LIBMON_JSON)
        libmon_print_end(output, counts);
    if (outcome == LIBRARY_SCAN_FAILED) {
        fprintf(stderr, "jobtrail-libmon: %s\n", trouble);
        return LIBMON_UNUSABLE;
    }
    if (fflush(stdout) != 0) {
        perror("jobtrail-libmon: stdout");
        return LIBMON_NOT_ALL;
    }
    return counts->trees_away + counts->unreadable + counts->away > 0 ? LIBMON_NOT_ALL : LIBMON_OK;
}

static enum libmon_status scan(const struct libmon_options *options, const struct conf *conf,
                               struct library_beat *beat)
{
    struct libmon_output output = {
        .form = options->json    ? LIBMON_JSON
                : options->quiet ? LIBMON_QUIET
                                 : LIBMON_TEXT,
        .progress.is_shown = !options->quiet && isatty(STDERR_FILENO) != 0,
    };
    struct library_scan_order order = {
        .conf = conf,
        .root = options->root,
        .is_dry = options->dry_run,
        .is_waiting = options->wait,
        .skips_new = options->no_new_hashes,
        .is_accepted = options->accept_away,
        .beat = beat,
        .teller = {.tell = libmon_tell,
                   .flush = libmon_flush,
                   .conf = conf,
                   .context = &output,
                   .keep = libmon_keep,
                   .trouble = libmon_trouble},
        .warn = libmon_warn,
        .progress = libmon_progress,
        .end = libmon_list_keep,
    };
    struct library_scan_counts counts = {0};
    char trouble[1024];
    if (conf->library_trees.count == 0) {
        if (!options->quiet)
            fputs("jobtrail-libmon: there is no tree in [libraries] of jobtrail.conf: nothing to "
                  "do\n",
                  stderr);
        return LIBMON_OK;
    }
    if (!options->dry_run && (output.records = library_outbox_new(conf)) == NULL) {
        fputs("jobtrail-libmon: out of memory\n", stderr);
        return LIBMON_UNUSABLE;
    }
    if (output.records != NULL)
        order.teller.count = library_outbox_count(output.records);
    progress_begin(&output.progress, "files: ", 0);
    enum library_scan_outcome outcome = library_scan(&order, &counts, trouble, sizeof trouble);
    library_outbox_free(output.records);
    return end_scan(&output, outcome, &counts, trouble);
}

struct scan_call {
    const struct libmon_options *options;
    const struct conf *conf;
};

static int scan_of_call(const void *context, struct library_beat *beat)
{
    const struct scan_call *call = context;
    return (int)scan(call->options, call->conf, beat);
}

static enum libmon_status scan_patiently(const struct libmon_options *options,
                                         const struct conf *conf)
{
    const struct scan_call call = {options, conf};
    return options->patience == 0 ? scan(options, conf, NULL)
                                  : (enum libmon_status)libmon_patient_scan(
                                        scan_of_call, &call, options->patience, LIBMON_UNUSABLE);
}

/* ---- Watching -------------------------------------------------------------------------------- */

struct watch_call {
    const struct libmon_options *options;
    const struct conf *conf;
    struct stat loaded; /* the configuration's file */
};

static bool scan_of_watch(void *context)
{
    const struct watch_call *call = context;
    enum libmon_status status = scan_patiently(call->options, call->conf);
    return status == LIBMON_OK || status == LIBMON_NOT_ALL;
}

/* One with a mistake changes nothing. */
static bool is_other_conf(void *context)
{
    const struct watch_call *call = context;
    struct stat now;
    struct conf conf;
    struct conf_error fault;
    if (stat(call->options->conf, &now) != 0 ||
        (now.st_ino == call->loaded.st_ino && now.st_size == call->loaded.st_size &&
         now.st_mtim.tv_sec == call->loaded.st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == call->loaded.st_mtim.tv_nsec) ||
        conf_load_trusted(call->options->conf, &conf, &fault) != 0)
        return false;
    conf_free(&conf);
    return true;
}

static enum libmon_status watch(const struct libmon_options *options, const struct conf *conf)
{
    struct libmon_options of_scans = *options;
    struct watch_call call = {.options = &of_scans, .conf = conf};
    const struct libmon_watch_calls calls = {scan_of_watch, is_other_conf, &call};
    of_scans.wait = true;
    if (of_scans.patience == 0)
        of_scans.patience = PATIENCE_S;
    of_scans.quiet |= options->background;
    if (stat(options->conf, &call.loaded) != 0)
        call.loaded = (struct stat){.st_ino = 0};
    if (!conf->library_watch || conf->library_trees.count == 0) {
        fputs("jobtrail-libmon: watch: [libraries] of jobtrail.conf has no 'watch = yes' with a "
              "tree: nothing to do\n",
              stderr);
        return LIBMON_OK;
    }
    int error = libmon_watch(conf, &calls);
    if (error == 1) {
        execv("/proc/self/exe", options->argv); /* begins anew */
        perror("jobtrail-libmon: watch: it cannot restart");
        return LIBMON_UNUSABLE;
    }
    return error == 0 ? LIBMON_OK : error == -EWOULDBLOCK ? LIBMON_LOCKED : LIBMON_UNUSABLE;
}

/* ---- Listing --------------------------------------------------------------------------------- */

static const char *why_no_list(int error)
{
    return error == -ENOENT   ? "there was no scan yet: jobtrail-libmon scan"
           : error == -EACCES ? "only root can read it; everybody can read the file of [libraries] "
                                "list, if there is one"
           : error == -EAGAIN ? "a scan writes it: try again"
           : error == -EIO    ? "it is damaged, of another version, or a scan was killed while it "
                                "wrote: jobtrail-libmon scan"
                              : strerror(-error);
}

static enum libmon_status list(const struct libmon_options *options, const struct conf *conf)
{
    uint64_t shown;
    int error =
        libmon_list_print(conf, options->json, options->patterns, options->pattern_count, &shown);
    if (error != 0) {
        fprintf(stderr, "jobtrail-libmon: the state in %s: %s\n", conf->library_state,
                why_no_list(error));
        return LIBMON_UNUSABLE;
    }
    if (fflush(stdout) != 0) {
        perror("jobtrail-libmon: stdout");
        return LIBMON_UNUSABLE;
    }
    if (shown > 0)
        return LIBMON_OK;
    fputs("jobtrail-libmon: no library is chosen: 'jobtrail-libmon list' has all\n", stderr);
    return LIBMON_NOT_ALL;
}

/* ---- The command line ------------------------------------------------------------------------ */

static enum libmon_status run(const struct libmon_options *options, enum libmon_command command)
{
    struct conf conf;
    struct conf_error fault;
    char text[1024];
    if (conf_load_trusted(options->conf, &conf, &fault) != 0) {
        conf_error_text(&fault, text, sizeof text);
        fprintf(stderr, "jobtrail-libmon: %s\n", text);
        return LIBMON_UNUSABLE;
    }
    enum libmon_status status = LIBMON_UNUSABLE;
    if (days_use_zone(conf.timezone) == 0)
        status = command == COMMAND_SCAN    ? scan_patiently(options, &conf)
                 : command == COMMAND_WATCH ? watch(options, &conf)
                                            : list(options, &conf);
    else
        fputs("jobtrail-libmon: out of memory\n", stderr); /* conf_load() has checked the zone */
    conf_free(&conf);
    return status;
}

static enum libmon_status wrong_command(const char *word)
{
    char shown[TERMINAL_WORD_SIZE];
    if (word == NULL)
        fputs("jobtrail-libmon: no command: write scan, watch or list\n", stderr);
    else
        fprintf(stderr, "jobtrail-libmon: no command %s: there are scan, watch and list\n",
                terminal_word(word, shown));
    fputs("Try 'jobtrail-libmon --help'.\n", stderr);
    return LIBMON_USAGE;
}

/* NULL: the options of the command fit. */
static const char *wrong_options(const struct libmon_options *options, enum libmon_command command)
{
    bool is_watch = command == COMMAND_WATCH;
    if (command == COMMAND_LIST)
        return options->dry_run || options->quiet || options->wait || options->no_new_hashes ||
                       options->accept_away || options->background || options->patience != 0
                   ? "list has only --conf and --json"
                   : NULL;
    if (options->pattern_count > 0)
        return is_watch ? "watch takes no argument" : "scan takes no argument";
    if (options->root[0] != '/')
        return "the DIR of --root must be absolute";
    if (is_watch && (options->dry_run || options->json || options->accept_away))
        return "watch has no --dry-run, --json and --accept-away";
    return !is_watch && options->background ? "--background is an option of watch" : NULL;
}

static const char *wrong_pattern(const struct libmon_options *options)
{
    for (size_t i = 0; i < options->pattern_count; i++)
        if (globs_fault(options->patterns[i]) != NULL)
            return "a pattern without an end: close '[' by ']'";
    return NULL;
}

/* Returns COMMANDS where there is none of this name. */
static enum libmon_command find_command(const char *word)
{
    enum libmon_command command = COMMAND_SCAN;
    while (word != NULL && command < COMMANDS && strcmp(word, commands[command]) != 0)
        command++;
    return word == NULL ? COMMANDS : command;
}

int main(int argc, char *argv[])
{
    struct libmon_options options = {.conf = JOBTRAIL_CONF, .root = "/", .argv = argv};
    setlocale(LC_CTYPE, "");
    umask(S_IRWXG | S_IRWXO);
    signal(SIGPIPE, SIG_IGN);
    enum options_result result = options_read(argc, argv, &program, &options);
    if (result != OPTIONS_READ)
        return result == OPTIONS_ANSWERED ? LIBMON_OK : LIBMON_USAGE;
    enum libmon_command command = find_command(argv[optind]);
    if (command == COMMANDS)
        return (int)wrong_command(argv[optind]);
    options.patterns = argv + optind + 1;
    options.pattern_count = (size_t)(argc - optind - 1);
    const char *wrong = wrong_options(&options, command);
    if (wrong == NULL)
        wrong = wrong_pattern(&options);
    if (wrong != NULL) {
        fprintf(stderr, "jobtrail-libmon: %s\nTry 'jobtrail-libmon --help'.\n", wrong);
        return LIBMON_USAGE;
    }
    if (options.background) {
        stderr_or_syslog_open("jobtrail-libmon");
        stderr_or_syslog_switch();
    }
    return (int)run(&options, command);
}
