/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-libuse(8): the command line.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "conf/base/cleanup.h"
#include "conf/base/command_options.h"
#include "conf/base/days.h"
#include "conf/base/directory.h"
#include "conf/base/text.h"
#include "conf/conf.h"
#include "contrib/libraries/conf_libraries.h"
#include "contrib/libraries/library_date.h"
#include "contrib/libraries/libuse/libuse_poll.h"
#include "contrib/libraries/libuse/libuse_tell.h"
#include "contrib/libraries/scan/library_lock.h"
#include "contrib/libraries/scan/library_reads.h"
#include "contrib/libraries/scan/library_source.h"

/* ---- What is known of uses ------------------------------------------------------------------- */

/* What each tree, and each mount below it that the last scan saw, has for a source of uses. */

struct status {
    const struct conf *conf;
    struct json_object *json; /* an array, or NULL */
    bool is_watched, is_complete;
    int64_t polled_s; /* of the place */
};

static void print_place(struct status *status, const char *path, const char *source,
                        const char *reason, bool is_both)
{
    struct json_object *json = json_object_new_object();
    libuse_json_text(json, "path", path);
    libuse_json_text(json, "source", source);
    libuse_json_text(json, "reason", reason);
    json_object_object_add(json, "watch_too", json_object_new_boolean(is_both));
    if (status->polled_s != LIBRARY_READS_NEVER)
        json_object_object_add(json, "last_turn", json_object_new_int64(status->polled_s));
    json_object_array_add(status->json, json);
}

/* On a file system that hosts share the watch sees this host's opens, and times of last access
 * those of all: the same uses, if both are on. */
static void tell_place(struct status *status, const char *path)
{
    char shown[2 * TERMINAL_WORD_SIZE], when[LIBRARY_DATE_SIZE];
    enum library_source source = library_source_of(path, status->is_watched);
    const char *word = library_source_word(source), *reason = library_source_reason(source);
    bool is_both = status->is_watched && source != SOURCE_WATCH && directory_is_shared(path);
    if (library_source_is_atime(source) && !status->conf->library_use_atime) {
        word = is_both ? "watch" : "none";
        reason = is_both ? "the watch counts the opens of this host alone (fanotify)"
                         : "no watch counts opens here, and there is no use_atime = yes";
        is_both = false;
    }
    status->is_complete &= strcmp(word, "none") != 0;
    if (status->json != NULL) {
        print_place(status, path, word, reason, is_both);
        return;
    }
    terminal_text(path, strlen(path), shown, sizeof shown);
    printf("%-5s  %s: %s", word, shown, reason);
    if (is_both)
        printf("; the watch of this host counts some of the same uses");
    if (strcmp(word, "atime") == 0)
        printf("; last turn: %s", status->polled_s == LIBRARY_READS_NEVER         ? "none"
                                  : library_date_iso(status->polled_s, when) == 0 ? when
                                                                                  : "?");
    putchar('\n');
}

/* The mounts below the trees, in the order of the state. */
static int tell_places(struct status *status, struct library_state *state)
{
    struct library_places places = {NULL, 0};
    int error = library_state_places(state, &places);
    for (size_t i = 0; i < places.count && error == 0; i++) {
        CLEANUP_FREE char *path = malloc(places.place[i].size + 1);
        if (path == NULL)
            error = -ENOMEM;
        else
            library_path(places.place[i].key, places.place[i].size, path);
        const struct conf_line *tree = error == 0 ? conf_library_tree(status->conf, path) : NULL;
        if (tree == NULL)
            continue;
        error = library_reads_polled(state, i, &status->polled_s);
        if (error == 0)
            tell_place(status, path);
    }
    library_places_free(&places);
    return error;
}

static int tell_end(struct status *status)
{
    if (status->json != NULL)
        puts(json_object_to_json_string_ext(status->json, JSON_C_TO_STRING_PLAIN));
    else
        puts("Counts are lower bounds. The watch and atime may see the same uses, in separate logs "
             "and in records\nwith another source: do not add them up.");
    return status->is_complete ? 1 : 0;
}

/* Prints it. Returns 1; 0 where something has no source; or -errno. */
static int libuse_status(const struct conf *conf, bool is_json)
{
    char path[PATH_MAX];
    struct library_state *state = NULL;
    struct status status = {
        .conf = conf,
        .json = is_json ? json_object_new_array() : NULL,
        .is_watched = library_source_is_watched(conf),
        .is_complete = true,
    };
    snprintf(path, sizeof path, "%s/libraries.db", conf->library_state);
    int error = library_state_open(path, true, &state);
    if (error == 0)
        error = tell_places(&status, state);
    if (error != 0)
        fprintf(stderr, "jobtrail-libuse: the state in %s: %s\n", conf->library_state,
                library_state_error(state));
    library_state_close(state);
    if (error == 0)
        error = tell_end(&status);
    json_object_put(status.json);
    return error;
}

/* ---- The program ----------------------------------------------------------------------------- */

static const char usage[] =
    "Usage: jobtrail-libuse poll [OPTION...]\n"
    "       jobtrail-libuse status [OPTION...]\n"
    "\n"
    "poll\n"
    "Prints the libraries below the trees of [libraries] in jobtrail.conf that were read since\n"
    "the last poll, by their times of last access, where no watch counts opens; and sets these\n"
    "times so that the next read moves them. A timer runs it with 'use_atime = yes'.\n"
    "\n"
    "status\n"
    "Says how uses are seen in each tree: by the watch, by times of last access, or not.\n"
    "\n"
    "  --conf FILE         the configuration (default " JOBTRAIL_CONF ")\n"
    "  --json              print JSON\n"
    "  --quiet             of poll: print errors only\n"
    "  --wait              of poll: where a scan is running, wait for its end\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0 all was checked; 1 a tree is away, or uses cannot be seen somewhere; 2\n"
    "usage; 3 the configuration, the state, a log or the outbox cannot be used; 4 a scan or "
    "another\n"
    "poll runs.\n";

enum libuse_exit {
    LIBUSE_OK = 0,
    LIBUSE_NOT_ALL = 1,
    LIBUSE_USAGE = 2,
    LIBUSE_UNUSABLE = 3,
    LIBUSE_LOCKED = 4,
};

struct libuse_options {
    const char *conf;
    bool json, quiet, wait;
};

#define MEMBER(name) offsetof(struct libuse_options, name)

/* clang-format off */
static const struct option_row option_rows[] = {
    {"conf", 'c', OPTION_TEXT, MEMBER(conf), 0, 0, NULL},
    {"json", 'J', OPTION_FLAG, MEMBER(json), 0, 0, NULL},
    {"quiet", 'q', OPTION_FLAG, MEMBER(quiet), 0, 0, NULL},
    {"wait", 'w', OPTION_FLAG, MEMBER(wait), 0, 0, NULL},
    {"help", 'h', OPTION_ANSWER, 0, 0, 0, NULL},
    {"version", 'V', OPTION_ANSWER, 0, 0, 0, NULL},
    {NULL, 0, 0, 0, 0, 0, NULL},
};
/* clang-format on */

static const struct option_program program = {
    .name = "jobtrail-libuse",
    .version = JOBTRAIL_VERSION,
    .usage = usage,
    .short_options = "hV",
    .rows = option_rows,
};

/* ---- A turn ---------------------------------------------------------------------------------- */

static void turn_says(void *context, const char *path, const char *text)
{
    char room[TERMINAL_WORD_SIZE];
    (void)context;
    fprintf(stderr, "jobtrail-libuse: %s: %s\n", terminal_word(path, room), text);
}

static int all_read(void *context, const char *tree, const struct library_reads_sum *sum,
                    uint64_t looked)
{
    (void)looked;
    return libuse_tell_all(context, tree, sum);
}

static void print_json(struct libuse_teller *teller, const struct libuse_counts *counts)
{
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {{"files", counts->files},           {"looked", counts->looked},
                   {"set", counts->set.armed},         {"not_set", counts->set.failed},
                   {"changed", counts->set.changed},   {"unheard", counts->set.unheard},
                   {"waiting", counts->waiting},       {"watched", counts->watched},
                   {"noatime", counts->no_atime},      {"read_only", counts->fixed},
                   {"overlay", counts->layers},        {"not_noted", counts->not_noted},
                   {"unreadable", counts->unreadable}, {"trees_away", counts->away}};
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "uses", json_object_get(teller->json));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_object_add(json, numbers[i].key, json_object_new_uint64(numbers[i].value));
    puts(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN));
    json_object_put(json);
}

static void print_number(uint64_t number, const char *text)
{
    if (number > 0)
        printf("; %" PRIu64 " %s", number, text);
}

static void print_text(const struct libuse_counts *counts)
{
    printf("%" PRIu64 " files, %" PRIu64 " checked, uses: at least %" PRIu64, counts->files,
           counts->looked, counts->uses);
    print_number(counts->set.armed, "had their time of last access set");
    print_number(counts->waiting + counts->set.changed,
                 "are new or changed: they wait for the next scan");
    print_number(counts->set.unheard, "may have been changed: they wait for the next scan");
    print_number(counts->watched, "are counted by the watch");
    print_number(counts->no_atime, "are on mounts with noatime");
    print_number(counts->fixed, "are on read-only mounts");
    print_number(counts->layers, "are on overlays");
    print_number(counts->not_noted, "have no row in the state");
    print_number(counts->unreadable, "cannot be read");
    putchar('\n');
}

static enum libuse_exit end_turn(const struct libuse_options *options, struct libuse_teller *teller,
                                 const struct libuse_counts *counts)
{
    if (counts->set.failed > 0)
        fprintf(stderr, "jobtrail-libuse: %" PRIu64 " times of last access cannot be set: %s\n",
                counts->set.failed, strerror(-counts->set.error));
    if (options->json)
        print_json(teller, counts);
    else if (!options->quiet)
        print_text(counts);
    if (fflush(stdout) != 0) {
        perror("jobtrail-libuse: stdout");
        return LIBUSE_NOT_ALL;
    }
    if (teller->is_line_lost)
        return LIBUSE_UNUSABLE;
    return counts->away + counts->unreadable + counts->no_atime + counts->fixed + counts->layers +
                       counts->not_noted + counts->set.failed + counts->set.unheard >
                   0
               ? LIBUSE_NOT_ALL
               : LIBUSE_OK;
}

static enum libuse_exit state_failed(const struct conf *conf, const struct library_state *state)
{
    fprintf(stderr, "jobtrail-libuse: the state in %s: %s\n", conf->library_state,
            library_state_error(state));
    return LIBUSE_UNUSABLE;
}

static enum libuse_exit turn(const struct libuse_options *options, const struct conf *conf,
                             struct library_state *state)
{
    char trouble[1024] = "";
    struct libuse_counts counts = {0};
    struct libuse_teller teller = {
        .conf = conf,
        .is_printed = !options->quiet,
        .json = options->json ? json_object_new_array() : NULL,
    };
    const struct libuse_order order = {conf, &teller, turn_says, libuse_tell_unheard, all_read};
    enum libuse_exit status = LIBUSE_UNUSABLE;
    if (libuse_teller_open(&teller, trouble, sizeof trouble) != 0)
        fprintf(stderr, "jobtrail-libuse: %s\n", trouble);
    else if (libuse_poll(&order, state, &counts) != 0)
        status = state_failed(conf, state);
    else if (libuse_tell(&teller, state) == 0)
        status = end_turn(options, &teller, &counts);
    libuse_teller_close(&teller);
    return status;
}

static enum libuse_exit poll_once(const struct libuse_options *options, const struct conf *conf)
{
    char path[PATH_MAX], trouble[1024] = "";
    if (conf->library_trees.count == 0 || !conf->library_use_atime) {
        if (!options->quiet)
            fprintf(stderr, "jobtrail-libuse: [libraries] of jobtrail.conf has %s: nothing to do\n",
                    conf->library_trees.count == 0 ? "no tree" : "no 'use_atime = yes'");
        return LIBUSE_OK;
    }
    CLEANUP_CLOSE int lock =
        library_lock(conf->library_state, options->wait, trouble, sizeof trouble);
    if (lock == -EWOULDBLOCK) {
        fputs("jobtrail-libuse: a scan or another turn is running; --wait waits for its end\n",
              stderr);
        return LIBUSE_LOCKED;
    }
    if (lock < 0) {
        fprintf(stderr, "jobtrail-libuse: %s\n", trouble);
        return LIBUSE_UNUSABLE;
    }
    struct library_state *state = NULL;
    snprintf(path, sizeof path, "%s/libraries.db", conf->library_state);
    int error = library_state_open(path, false, &state);
    enum libuse_exit status = error == 0 ? turn(options, conf, state) : state_failed(conf, state);
    library_state_close(state);
    return status;
}

static enum libuse_exit tell_status(const struct libuse_options *options, const struct conf *conf)
{
    int result = libuse_status(conf, options->json);
    return result < 0 ? LIBUSE_UNUSABLE : result == 1 ? LIBUSE_OK : LIBUSE_NOT_ALL;
}

/* ---- The command line ------------------------------------------------------------------------ */

static enum libuse_exit run(const struct libuse_options *options, bool is_poll)
{
    struct conf conf;
    struct conf_error fault;
    char text[1024];
    if (conf_load_trusted(options->conf, &conf, &fault) != 0) {
        conf_error_text(&fault, text, sizeof text);
        fprintf(stderr, "jobtrail-libuse: %s\n", text);
        return LIBUSE_UNUSABLE;
    }
    enum libuse_exit status = LIBUSE_UNUSABLE;
    if (days_use_zone(conf.timezone) == 0)
        status = is_poll ? poll_once(options, &conf) : tell_status(options, &conf);
    else
        fputs("jobtrail-libuse: out of memory\n", stderr); /* conf_load() has checked the zone */
    conf_free(&conf);
    return status;
}

static enum libuse_exit wrong_command(const char *word)
{
    char shown[TERMINAL_WORD_SIZE];
    if (word == NULL)
        fputs("jobtrail-libuse: no command: write poll or status\n", stderr);
    else
        fprintf(stderr, "jobtrail-libuse: no command %s: there are poll and status\n",
                terminal_word(word, shown));
    fputs("Try 'jobtrail-libuse --help'.\n", stderr);
    return LIBUSE_USAGE;
}

int main(int argc, char *argv[])
{
    struct libuse_options options = {.conf = JOBTRAIL_CONF};
    setlocale(LC_CTYPE, "");
    umask(S_IRWXG | S_IRWXO);
    signal(SIGPIPE, SIG_IGN);
    enum options_result result = options_read(argc, argv, &program, &options);
    if (result != OPTIONS_READ)
        return result == OPTIONS_ANSWERED ? LIBUSE_OK : LIBUSE_USAGE;
    bool is_poll = optind < argc && strcmp(argv[optind], "poll") == 0;
    if (optind >= argc || (!is_poll && strcmp(argv[optind], "status") != 0))
        return (int)wrong_command(optind < argc ? argv[optind] : NULL);
    const char *wrong = argc - optind > 1                             ? "takes no argument"
                        : !is_poll && (options.quiet || options.wait) ? "has no --quiet and --wait"
                                                                      : NULL;
    if (wrong != NULL) {
        fprintf(stderr, "jobtrail-libuse: %s %s\nTry 'jobtrail-libuse --help'.\n",
                is_poll ? "poll" : "status", wrong);
        return LIBUSE_USAGE;
    }
    return (int)run(&options, is_poll);
}
