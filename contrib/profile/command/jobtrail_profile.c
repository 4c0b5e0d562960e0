/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-profile(1): the command line.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/command_options.h"
#include "conf/base/number_list.h"
#include "conf/base/replacement.h"
#include "conf/base/text.h"
#include "contrib/profile/command/profile_forms.h"
#include "contrib/profile/command/profile_json.h"
#include "contrib/profile/command/profile_samples.h"
#include "contrib/profile/command/program_choice.h"
#include "contrib/profile/command/readable_names.h"
#include "contrib/profile/numbers.h"
#include "contrib/profile/profile_log.h"
#include "contrib/profile/routine_log.h"
#include "contrib/profile/set_file.h"
#include "contrib/profile/set_order.h"
#include "contrib/profile/symbol_names.h"
#include "contrib/profile/tick_scale.h"
#include "spank/journal.h"

static const char usage[] =
    "Usage: jobtrail-profile show [--program NAME] [--rank LIST] [--sort KEY] [--group function]\n"
    "                             [--json] FILE...\n"
    "       jobtrail-profile show --mpi [--program NAME] [--rank LIST] [--json] FILE...\n"
    "       jobtrail-profile dump [--mpi] [--program NAME] [--rank LIST] FILE...\n"
    "       jobtrail-profile flame [--svg] [--program NAME] [--rank LIST] FILE...\n"
    "       jobtrail-profile diff [--program NAME] [--json] FILE FILE\n"
    "       jobtrail-profile merge -o FILE FILE...\n"
    "\n"
    "Reads profiles of runs: call stacks of programs that were built with "
    "-finstrument-functions,\n"
    "and time in MPI and in designated libraries of any.\n"
    "FILE is what the processes of a job leave on a node, or what was merged from such files.\n"
    "\n"
    "  show                  a log of all ranks of each program, or of one rank: calls, times,\n"
    "                        imbalance\n"
    "  dump                  all numbers of each rank, with tabs between; of sampling files "
    "(.vfd)\n"
    "                        the samples\n"
    "  flame                 folded stacks, of which flame graphs are made\n"
    "  diff                  what has changed from the first file to the second\n"
    "  merge                 one file of several, as of the nodes of a step\n"
    "\n"
    "  -m, --mpi             time in MPI and in designated libraries\n"
    "  -p, --program NAME    this program alone: its name, or its hash, as show and records have\n"
    "                        it\n"
    "  -r, --rank LIST       these ranks alone, such as 0,4-7\n"
    "  -s, --sort KEY        exclusive (default), inclusive, calls or stack\n"
    "  -g, --group function  a row for each function, not for each stack\n"
    "      --json            one object on a line, of each program\n"
    "      --svg             flame: a picture, instead of text\n"
    "  -o, --output FILE     gets its name when it is complete\n"
    "      --node NAME       the node of files that processes left (default: -)\n"
    "      --kept            only kept and merged files, of which no object is opened;\n"
    "                        and at most 1 GiB of memory, and 20 s of processor time\n"
    "      --debug DIRECTORY where separate debug information is (default " SYMBOL_NAMES_DEBUG ")\n"
    "      --linker-names    names of C++ as the linker has them\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0; 1 ranks, nodes or logs of programs are missing, or parts of a file are "
    "damaged:\n"
    "the rest was printed; 2 usage, or a file cannot be read or written.\n";

enum profile_status { PROFILE_OK = 0, PROFILE_NOT_ALL = 1, PROFILE_TROUBLE = 2 };

struct profile_options {
    const char *sort, *group, *output, *node, *debug, *program, *rank_text;
    bool mpi, json, svg, kept, linker_names, help, version;
    enum profile_sort by;
};

#define MEMBER(name) offsetof(struct profile_options, name)

/* clang-format off */
static const struct option_row option_rows[] = {
    {"mpi", 'm', OPTION_FLAG, MEMBER(mpi), 0, 0, NULL},
    {"program", 'p', OPTION_TEXT, MEMBER(program), 0, 0, NULL},
    {"rank", 'r', OPTION_TEXT, MEMBER(rank_text), 0, 0, NULL},
    {"sort", 's', OPTION_TEXT, MEMBER(sort), 0, 0, NULL},
    {"group", 'g', OPTION_TEXT, MEMBER(group), 0, 0, NULL},
    {"json", 'J', OPTION_FLAG, MEMBER(json), 0, 0, NULL},
    {"svg", 'S', OPTION_FLAG, MEMBER(svg), 0, 0, NULL},
    {"output", 'o', OPTION_TEXT, MEMBER(output), 0, 0, NULL},
    {"node", 'N', OPTION_TEXT, MEMBER(node), 0, 0, NULL},
    {"kept", 'K', OPTION_FLAG, MEMBER(kept), 0, 0, NULL},
    {"debug", 'D', OPTION_TEXT, MEMBER(debug), 0, 0, NULL},
    {"linker-names", 'L', OPTION_FLAG, MEMBER(linker_names), 0, 0, NULL},
    {"help", 'h', OPTION_FLAG, MEMBER(help), 0, 0, NULL},
    {"version", 'V', OPTION_FLAG, MEMBER(version), 0, 0, NULL},
    {NULL, 0, 0, 0, 0, 0, NULL},
};
/* clang-format on */

/* What was read for an order. */
struct profile_work {
    const struct profile_options *options;
    char **files;
    int file_count;
    struct profile_set set;
    struct set_order order;
    struct readable_names names;
    struct program_choice choice;
    bool *is_taken; /* owned: ranks of --rank, of the chosen programs; NULL: all of these */
    size_t before;  /* ranks of the first file */
    bool has_missing;
};

static void complain(const char *file, const char *text)
{
    char name[TERMINAL_WORD_SIZE];
    fprintf(stderr, "jobtrail-profile: %s: %s\n", terminal_word(file, name), text);
}

/* The place of the word in a list; -1 after saying that it is not there. */
static int word_of(const char *what, const char *word, const char *const *words, size_t count)
{
    char text[TERMINAL_WORD_SIZE];
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return (int)i;
    fprintf(stderr, "jobtrail-profile: no %s: %s\n", what, terminal_word(word, text));
    return -1;
}

static void say_missing(void *context, uint32_t step, uint32_t first, uint32_t last, uint32_t size)
{
    struct profile_work *work = context;
    work->has_missing = true;
    if (work->options->output == NULL)
        return;
    fputs("jobtrail-profile: ", stderr);
    profile_print_missing(step, first, last, size, stderr);
}

static void say_missing_nodes(void *context, const struct missing_nodes *missing)
{
    struct profile_work *work = context;
    char step[16];
    work->has_missing = true;
    journal_step_text(missing->step, step, sizeof step);
    if (work->options->output != NULL)
        fprintf(stderr, "jobtrail-profile: step %s: profiles of %u of %u nodes%s\n", step,
                missing->there, missing->nodes,
                missing->is_awaited ? "; ids of stacks are provisional" : "");
}

/* Of one program. */
static int show_json(void *context, const bool *is_of)
{
    const struct profile_work *work = context;
    const struct profile_log log = {&work->set, &work->order, work->options->by,
                                    work->options->group != NULL, is_of};
    bool is_all = work->is_taken == NULL;
    if (work->options->mpi)
        return profile_routines_json(&work->set, is_of, is_all);
    int error = is_all ? profile_log_json(&log, work->set.rank_count) : 0;
    for (size_t i = 0; !is_all && error == 0 && i < work->set.rank_count; i++)
        if (is_of[i])
            error = profile_log_json(&log, i);
    return error;
}

/* The ranks that are wanted; NULL: all. */
static const bool *taken(const struct profile_work *work)
{
    return work->is_taken != NULL ? work->is_taken : work->choice.is_taken;
}

static int show(struct profile_work *work)
{
    const struct profile_log log = {&work->set, &work->order, work->options->by,
                                    work->options->group != NULL, NULL};
    struct program_logs logs = {&log, &work->choice.programs, stdout, work->is_taken == NULL};
    const bool is_mpi = work->options->mpi;
    size_t untold = 0;
    int error = work->options->json ? set_programs_each(&work->choice.programs, taken(work),
                                                        show_json, work, &untold)
                                    : program_logs_print(&logs, taken(work), is_mpi, &untold);
    work->has_missing |= error == 0 && untold > 0;
    if (work->options->json && error == 0 && untold > 0)
        fprintf(
            stderr,
            "jobtrail-profile: programs that have no log here: %zu; --program NAME chooses one\n",
            untold);
    if (!work->options->json && !is_mpi && routine_log_has_rows(&work->set, taken(work)))
        puts("# calls of MPI or of designated libraries were counted: --mpi shows their times");
    return error;
}

static int dump(struct profile_work *work)
{
    if (work->options->mpi) {
        profile_routines_dump(&work->set, taken(work));
        return 0;
    }
    return profile_dump(&work->set, &work->order, taken(work));
}

static int flame(struct profile_work *work)
{
    int error = program_choice_warn(&work->choice, work->is_taken, 0, work->set.rank_count);
    return error != 0 ? error
                      : (work->options->svg ? profile_flame_svg
                                            : profile_flame)(&work->set, &work->order, taken(work));
}

static int diff(struct profile_work *work)
{
    const struct profile_log log = {&work->set, &work->order, SORT_EXCLUSIVE, false,
                                    work->choice.is_taken};
    int error = program_choice_warn(&work->choice, NULL, 0, work->before);
    if (error == 0)
        error = program_choice_warn(&work->choice, NULL, work->before, work->set.rank_count);
    return error != 0
               ? error
               : profile_diff(&log, work->before, work->options->json ? FORM_JSON : FORM_TEXT);
}

static int merge(struct profile_work *work)
{
    const char *output = work->options->output;
    mode_t mask = umask(0);
    umask(mask);
    CLEANUP_CLOSE int fd = replacement_open(AT_FDCWD, output);
    int error = fd < 0 ? fd : set_file_write(fd, &work->set);
    if (fd >= 0)
        error = replacement_end(AT_FDCWD, output, fd, 0666 & ~mask, error);
    if (error != 0)
        complain(output, strerror(-error));
    return error;
}

static const struct order {
    const char *name;
    int (*obey)(struct profile_work *);
    const char *options; /* letters of those that it has, beside those that all have */
    int least, most;     /* files */
} orders[] = {
    {"show", show, "mprsgJ", 1, INT32_MAX}, {"dump", dump, "mpr", 1, INT32_MAX},
    {"flame", flame, "prS", 1, INT32_MAX},  {"diff", diff, "pJ", 2, 2},
    {"merge", merge, "o", 1, INT32_MAX},
};

enum { ORDERS = sizeof orders / sizeof orders[0] };

static const struct order *find_order(const char *word)
{
    const char *names[ORDERS];
    for (size_t i = 0; i < ORDERS; i++)
        names[i] = orders[i].name;
    int found = word_of("such order", word, names, ORDERS);
    return found < 0 ? NULL : &orders[found];
}

/* Whether the order has the options that are given; says which it has not. */
static bool has_options(const struct order *order, const struct profile_options *options)
{
    const struct {
        char letter;
        bool is_given;
        const char *name;
    } given[] = {{'m', options->mpi, "--mpi"},
                 {'p', options->program != NULL, "--program"},
                 {'r', options->rank_text != NULL, "--rank"},
                 {'s', options->sort != NULL, "--sort"},
                 {'g', options->group != NULL, "--group"},
                 {'J', options->json, "--json"},
                 {'S', options->svg, "--svg"},
                 {'o', options->output != NULL, "--output"}};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (given[i].is_given && strchr(order->options, given[i].letter) == NULL) {
            fprintf(stderr, "jobtrail-profile: %s has no %s\n", order->name, given[i].name);
            return false;
        }
    if (!options->mpi || (options->sort == NULL && options->group == NULL))
        return true;
    fputs("jobtrail-profile: --mpi has neither --sort nor --group: it is sorted by time\n", stderr);
    return false;
}

/* Reads the values of options; says what is wrong with one. */
static bool read_values(struct profile_options *options)
{
    static const char *const sorts[] = {"exclusive", "inclusive", "calls", "stack"};
    static const char *const groups[] = {"function"};
    if (options->sort != NULL) {
        int sort = word_of("such key to sort by", options->sort, sorts, 4);
        if (sort < 0)
            return false;
        options->by = (enum profile_sort)sort;
    }
    if (options->group != NULL && word_of("such group", options->group, groups, 1) < 0)
        return false;
    if (options->rank_text == NULL || number_list_is_valid(options->rank_text))
        return true;
    fputs("jobtrail-profile: --rank takes numbers, such as 0,4-7\n", stderr);
    return false;
}

/* Returns whether the command line is right for the order; says what is not. */
static bool check_options(const struct order *order, struct profile_options *options, int files)
{
    if (!has_options(order, options) || !read_values(options))
        return false;
    if (order->obey == merge && options->output == NULL) {
        fputs("jobtrail-profile: merge: -o FILE is lacking\n", stderr);
        return false;
    }
    if (files >= order->least && files <= order->most)
        return true;
    fprintf(stderr, "jobtrail-profile: %s takes %s\n", order->name,
            order->most == 2 ? "two files" : "one file or more");
    return false;
}

static int load(struct profile_work *work)
{
    const struct profile_options *options = work->options;
    int error = profile_set_begin(&work->set);
    for (int i = 0; error == 0 && i < work->file_count; i++) {
        error =
            profile_load(work->files[i], options->kept, options->node != NULL ? options->node : "-",
                         options->debug != NULL ? options->debug : SYMBOL_NAMES_DEBUG, &work->set);
        if (error != 0)
            complain(work->files[i],
                     error == -EINVAL ? "is no profile, or a damaged one" : strerror(-error));
        if (i == 0)
            work->before = work->set.rank_count;
    }
    return error;
}

/* Returns 0, -ENOENT after saying that the rank is not there, or -ENOMEM. */
static int take_ranks(struct profile_work *work)
{
    const struct profile_options *options = work->options;
    bool is_there = false;
    if (options->rank_text == NULL)
        return 0;
    work->is_taken = calloc(work->set.rank_count + 1, sizeof *work->is_taken);
    if (work->is_taken == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < work->set.rank_count; i++) {
        work->is_taken[i] =
            (work->choice.is_taken == NULL || work->choice.is_taken[i]) &&
            number_list_has(options->rank_text, profile_rank_number(&work->set.ranks[i]));
        is_there |= work->is_taken[i];
    }
    if (is_there)
        return 0;
    char word[TERMINAL_WORD_SIZE];
    fprintf(stderr, "jobtrail-profile: there is no rank %s in what was read\n",
            terminal_word(options->rank_text, word));
    return -ENOENT;
}

static int drop_repeated(struct profile_work *work)
{
    size_t repeated;
    int error = profile_set_drop_repeated(&work->set, &repeated);
    if (error == 0 && repeated > 0)
        fprintf(stderr, "jobtrail-profile: %zu rank%s in the files more than once: counted once\n",
                repeated, plural(repeated, " is", "s are"));
    return error;
}

/* Of sampling files. Returns -EINVAL where the first file is none: then nothing is printed. */
static int print_samples(const struct profile_work *work)
{
    int error = 0;
    for (int i = 0; error == 0 && i < work->file_count; i++) {
        error = profile_samples_print(work->files[i], work->options->linker_names);
        if (i == 0 && error == -EINVAL)
            return error;
        if (error != 0)
            complain(work->files[i],
                     error == -EINVAL ? "is no sampling file, as those before" : strerror(-error));
    }
    return error == -EINVAL ? -EBADMSG : error;
}

static enum profile_status obey(const struct order *order, struct profile_work *work)
{
    int error = order->obey == dump ? print_samples(work) : -EINVAL;
    if (error != -EINVAL)
        return error == 0 ? PROFILE_OK : PROFILE_TROUBLE;
    error = load(work);
    if (error != 0)
        return PROFILE_TROUBLE;
    if (order->obey != diff)
        error = drop_repeated(work);
    if (error == 0)
        error = program_choice_make(&work->set, work->options->program, &work->choice);
    if (error == 0)
        error = take_ranks(work);
    if (error == 0)
        error = set_order_make(&work->set, &work->order);
    if (error == 0)
        error = missing_ranks(&work->set, work->choice.is_taken, say_missing, work);
    if (error == 0 && order->obey != merge && !work->options->linker_names)
        error = readable_names_put(&work->set, &work->names);
    if (error == 0)
        error = missing_nodes(&work->set, tick_now().real_ns, say_missing_nodes, work);
    if (error == 0)
        error = order->obey(work);
    if (error == -ENOMEM)
        complain(order->name, strerror(ENOMEM));
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("stdout", strerror(errno));
        error = -EIO;
    }
    return error != 0                                   ? PROFILE_TROUBLE
           : work->has_missing || work->set.damaged > 0 ? PROFILE_NOT_ALL
                                                        : PROFILE_OK;
}

/* For who reads what others wrote: a service, root. */
static int set_limits(void)
{
    static const struct rlimit cpu = {20, 21};
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes */
    static const struct rlimit memory = {1 << 30, 1 << 30};
    if (setrlimit(RLIMIT_AS, &memory) != 0)
        return -errno;
#endif
    return setrlimit(RLIMIT_CPU, &cpu) != 0 ? -errno : 0;
}

static enum profile_status run(struct profile_options *options, char **words, int count)
{
    const struct order *order = count == 0 ? NULL : find_order(words[0]);
    if (count == 0)
        fputs("jobtrail-profile: show, dump, flame, diff or merge?\n", stderr);
    if (order == NULL || !check_options(order, options, count - 1)) {
        fputs("Try 'jobtrail-profile --help'.\n", stderr);
        return PROFILE_TROUBLE;
    }
    int error = options->kept ? set_limits() : 0;
    if (error != 0) {
        complain("--kept", strerror(-error));
        return PROFILE_TROUBLE;
    }
    struct profile_work work = {
        .options = options, .files = words + 1, .file_count = count - 1, .before = 0};
    enum profile_status status = obey(order, &work);
    set_order_free(&work.order);
    profile_set_free(&work.set);
    readable_names_free(&work.names);
    program_choice_free(&work.choice);
    free(work.is_taken);
    return status;
}

int main(int argc, char *argv[])
{
    struct profile_options options = {.by = SORT_EXCLUSIVE};
    int letter;
    setlocale(LC_CTYPE, "");
    while ((letter = options_next(argc, argv, "mp:r:s:g:o:hV", option_rows, &options)) !=
           OPTIONS_END) {
        if (letter == OPTIONS_WRONG) {
            fputs("Try 'jobtrail-profile --help'.\n", stderr);
            return PROFILE_TROUBLE;
        }
    }
    if (options.help || options.version) {
        fputs(options.help ? usage : "jobtrail-profile " JOBTRAIL_VERSION "\n", stdout);
        return PROFILE_OK;
    }
    return (int)run(&options, argv + optind, argc - optind);
}
