/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-libq(1): the command line.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/command_options.h"
#include "conf/base/days.h"
#include "conf/base/grow.h"
#include "conf/base/text.h"
#include "contrib/libraries/libq/libq_output.h"
#include "contrib/libraries/libq/log_scan.h"
#include "contrib/libraries/library_log.h"

static const char usage[] =
    "Usage: jobtrail-libq [OPTION...] [FILE...]\n"
    "\n"
    "Prints the lines of logs about libraries whose dates lie in a range; without FILE, or where "
    "it\n"
    "is -, of stdin.\n"
    "\n"
    "  -S, --starttime DATE  the range begins where DATE begins (default: with the oldest line)\n"
    "  -E, --endtime DATE    it ends where DATE ends (default: with the latest line)\n"
    "  -2, --second          by the second date of each line (that of the library's file)\n"
    "  -v, --invert          lines that are not in the range, and those without a date\n"
    "  -l, --list            only the names of files with such lines\n"
    "  -0, --null            with -l: a NUL behind each name instead of a newline\n"
    "  -c, --count           the number of such lines of each file\n"
    "      --by weekday|month  a table: such lines of each library by weekday, or by month\n"
    "      --csv, --json     of -c and --by\n"
    "      --html            of --by: a page\n"
    "      --with-filename, --no-filename\n"
    "                        before lines and counts (default: with more than one FILE)\n"
    "      --timezone ZONE   of local times in logs that do not name it (default: TZ, or the "
    "machine's)\n"
    "      --sorted          assume that times do not go back: find the range by bisection\n"
    "      --unsorted        read all, even if the first line says that times do not go back\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "A DATE is Mon_Mar_06_1995_07:00, 1995-03-06T07:00, now, today or yesterday. What is "
    "incomplete\n"
    "means the whole of it: Mar_1995, 1995-03-06, 1995.\n"
    "\n"
    "Exit status: 0 there are such lines; 1 there are none; 2 usage, or a file cannot be read.\n";

enum libq_status { LIBQ_FOUND = 0, LIBQ_NONE = 1, LIBQ_TROUBLE = 2 };

struct libq_options {
    const char *start, *end, *by, *timezone;
    bool second, invert, list, null, count, csv, json, html, with_name, no_name, sorted, unsorted;
};

#define MEMBER(name) offsetof(struct libq_options, name)

/* clang-format off */
static const struct option_row option_rows[] = {
    {"starttime", 'S', OPTION_TEXT, MEMBER(start), 0, 0, NULL},
    {"endtime", 'E', OPTION_TEXT, MEMBER(end), 0, 0, NULL},
    {"second", '2', OPTION_FLAG, MEMBER(second), 0, 0, NULL},
    {"invert", 'v', OPTION_FLAG, MEMBER(invert), 0, 0, NULL},
    {"list", 'l', OPTION_FLAG, MEMBER(list), 0, 0, NULL},
    {"null", '0', OPTION_FLAG, MEMBER(null), 0, 0, NULL},
    {"count", 'c', OPTION_FLAG, MEMBER(count), 0, 0, NULL},
    {"by", 'b', OPTION_TEXT, MEMBER(by), 0, 0, NULL},
    {"csv", 'C', OPTION_FLAG, MEMBER(csv), 0, 0, NULL},
    {"json", 'J', OPTION_FLAG, MEMBER(json), 0, 0, NULL},
    {"html", 'W', OPTION_FLAG, MEMBER(html), 0, 0, NULL},
    {"with-filename", 'H', OPTION_FLAG, MEMBER(with_name), 0, 0, NULL},
    {"no-filename", 'N', OPTION_FLAG, MEMBER(no_name), 0, 0, NULL},
    {"timezone", 'z', OPTION_TEXT, MEMBER(timezone), 0, 0, NULL},
    {"sorted", 's', OPTION_FLAG, MEMBER(sorted), 0, 0, NULL},
    {"unsorted", 'u', OPTION_FLAG, MEMBER(unsorted), 0, 0, NULL},
    {"help", 'h', OPTION_ANSWER, 0, 0, 0, NULL},
    {"version", 'V', OPTION_ANSWER, 0, 0, 0, NULL},
    {NULL, 0, 0, 0, 0, 0, NULL},
};
/* clang-format on */

static const struct option_program program = {
    .name = "jobtrail-libq",
    .version = JOBTRAIL_VERSION,
    .usage = usage,
    .short_options = "S:E:2vl0chV",
    .rows = option_rows,
};

/* One question, and what has been found until now. */
struct libq_question {
    const struct libq_options *options;
    enum output_form form;
    bool has_names, has_found, has_trouble;
    struct log_query query;
    char *own_zone;           /* TZ, before logs named theirs; NULL: it was not set */
    char zone[DAYS_ZONE_MAX]; /* that of the log; "": our own */
    const char *fault;        /* of the zone of a log */
    struct use_table table;
    struct log_count *counts;
    size_t logs;
};

/* Where the lines of one log go. */
struct log_answer {
    struct libq_question *question;
    const char *name; /* before lines; NULL: none */
    uint64_t lines;
    int64_t row;
};

static void complain(const char *file, const char *text)
{
    char name[TERMINAL_WORD_SIZE];
    fprintf(stderr, "jobtrail-libq: %s: %s\n", terminal_word(file, name), text);
}

/* Returns whether the value is good, and says on stderr where it is not. */
static bool read_by(const char *text, enum use_by *by)
{
    static const char *const names[] = {"weekday", "month"};
    for (size_t i = 0; i < 2; i++) {
        if (strcmp(text, names[i]) == 0) {
            *by = (enum use_by)i;
            return true;
        }
    }
    char word[TERMINAL_WORD_SIZE];
    fprintf(stderr, "jobtrail-libq: --by takes weekday or month: %s\n", terminal_word(text, word));
    return false;
}

static bool read_range(const struct libq_options *options, struct log_query *query)
{
    char first[TERMINAL_WORD_SIZE], last[TERMINAL_WORD_SIZE];
    const char *wrong;
    int error = date_range_read(&query->days, options->start, options->end, &query->range, &wrong);
    if (error == -EINVAL)
        fprintf(stderr,
                "jobtrail-libq: not a date, or not with that weekday: %s; dates are "
                "Mon_Mar_06_1995_07:00, Mar_1995, 1995-03-06T07:00, 1995-03, today\n",
                terminal_word(wrong, first));
    else if (error != 0)
        fprintf(stderr, "jobtrail-libq: the range ends (%s) before it begins (%s)\n",
                terminal_word(options->end, last), terminal_word(options->start, first));
    return error == 0;
}

/* Dates without an offset, of the lines and of the range, are from now on those of the zone that a
 * log names. */
static int use_log_zone(struct log_query *query, const char *zone)
{
    struct libq_question *question =
        (struct libq_question *)((char *)query - offsetof(struct libq_question, query));
    const struct libq_options *options = question->options;
    const char *wrong;
    if (!days_has_zone(zone) && options->timezone != NULL)
        zone = "";
    if (strcmp(zone, question->zone) == 0)
        return 0;
    int error = 0;
    strcpy(question->zone, "?"); /* until all is of one zone again */
    if (zone[0] != '\0')
        error = days_use_zone(zone);
    else if (question->own_zone == NULL ? unsetenv("TZ") != 0
                                        : setenv("TZ", question->own_zone, 1) != 0)
        error = -ENOMEM;
    if (error == -EINVAL)
        question->fault = "its first line names a time zone that is not known here; "
                          "give one by --timezone";
    if (error != 0)
        return error;
    tzset();
    query->days = (struct library_days){0};
    error = date_range_read(&query->days, options->start, options->end, &query->range, &wrong);
    if (error != 0)
        question->fault = "in its time zone the range ends before it begins";
    else
        snprintf(question->zone, sizeof question->zone, "%s", zone);
    return error;
}

/* Keeps what the zone is where no log names one. */
static bool begin_zone(struct libq_question *question)
{
    const char *zone = question->options->timezone;
    if (zone != NULL && days_use_zone(zone) != 0) {
        complain(zone, "not a time zone that is known here; zones are Europe/Berlin, UTC");
        return false;
    }
    const char *own = getenv("TZ");
    question->own_zone = own == NULL ? NULL : strdup(own);
    question->query.in_zone = use_log_zone;
    return own == NULL || question->own_zone != NULL;
}

/* What excludes what. */
static bool are_options_good(const struct libq_options *options)
{
    const char *fault = NULL;
    if (options->list + options->count + (options->by != NULL) > 1)
        fault = "-l, -c and --by: one of them";
    else if (options->csv + options->json + options->html > 1)
        fault = "--csv, --json and --html: one of them";
    else if (options->html && options->by == NULL)
        fault = "--html is a form of --by";
    else if ((options->csv || options->json) && !options->count && options->by == NULL)
        fault = "--csv and --json are forms of -c and --by; lines are text";
    else if (options->null && !options->list)
        fault = "-0 goes with -l";
    else if (options->sorted && options->unsorted)
        fault = "--sorted and --unsorted: one of them";
    else if (options->sorted && options->second)
        fault = "--sorted is about the first date, not the second";
    else if (options->with_name && options->no_name)
        fault = "--with-filename and --no-filename: one of them";
    if (fault != NULL)
        fprintf(stderr, "jobtrail-libq: %s\n", fault);
    return fault == NULL;
}

static int take_line(void *context, const struct line_piece *piece, const struct library_date *date)
{
    struct log_answer *answer = context;
    struct libq_question *question = answer->question;
    if (question->options->by != NULL) {
        struct library_line line;
        if (date == NULL)
            return 0;
        library_line_read(&question->query.days, piece->at, piece->at + piece->size, &line);
        size_t left = (size_t)(piece->at + piece->size - line.words);
        size_t size = strlen(LIBRARY_LOG_CREATED);
        if (left >= size && memcmp(line.words, LIBRARY_LOG_CREATED, size) == 0)
            return 0;
        use_table_add(&question->table, answer->row, date->day);
    } else if (!question->options->list && !question->options->count) {
        output_line(answer->name, piece);
    }
    answer->lines += piece->begins;
    return question->options->list ? 1 : 0;
}

/* A FIFO without a writer does not keep us, and another's terminal does not become ours. */
static int open_log(const char *file)
{
    struct stat facts;
    if (strcmp(file, "-") == 0)
        return dup(STDIN_FILENO);
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        close(fd);
        errno = EISDIR;
        return -1;
    }
    if (fd >= 0)
        fcntl(fd, F_SETFL, 0);
    return fd;
}

/* Adds the number of lines, for -c. */
static int keep_count(struct libq_question *question, const char *file, const char *library,
                      uint64_t lines)
{
    char *name = strdup(library);
    if (name == NULL || GROW(question->counts, question->logs) != 0) {
        free(name);
        return -ENOMEM;
    }
    question->counts[question->logs++] = (struct log_count){file, name, name, lines};
    return 0;
}

/* As those of a table's rows. */
static void shorten_names(struct libq_question *question)
{
    for (size_t i = 0; i < question->logs; i++) {
        const char *name = library_log_short(question->counts[i].library);
        for (size_t j = 0; j < question->logs && question->counts[i].library != name; j++)
            if (strcmp(question->counts[j].library, name) == 0)
                name = question->counts[i].library;
        question->counts[i].name = name;
    }
}

/* Reads one log. Returns 0 or -errno. */
static int read_log(struct libq_question *question, const char *file, enum log_verdict *verdict)
{
    const struct libq_options *options = question->options;
    char library[LIBRARY_NAME_SIZE];
    struct log_answer answer = {question, question->has_names ? file : NULL, 0, 0};
    library_log_name(file, library);
    if (options->by != NULL && (answer.row = use_table_row(&question->table, library)) < 0)
        return (int)answer.row;
    CLEANUP_CLOSE int fd = open_log(file);
    int error = fd < 0 ? -errno : log_scan(fd, &question->query, take_line, &answer, verdict);
    bool is_whole = error == 0 && *verdict == LOG_READ;
    if (options->by != NULL && !is_whole)
        question->table.row[answer.row].is_partial = true;
    question->has_found |= answer.lines > 0;
    if (error == 0 && options->list && answer.lines > 0)
        output_name(file, options->null ? '\0' : '\n');
    if (is_whole && options->count)
        error = keep_count(question, file, library, answer.lines);
    return error;
}

static void ask_log(struct libq_question *question, const char *file)
{
    enum log_verdict verdict = LOG_READ;
    question->fault = NULL;
    int error = read_log(question, file, &verdict);
    if (error != 0)
        complain(file, question->fault != NULL ? question->fault : strerror(-error));
    else if (verdict == LOG_COMPRESSED)
        complain(file, "is compressed; give it to jobtrail-libq by a pipe (zcat FILE | "
                       "jobtrail-libq)");
    else if (verdict == LOG_NOT_IN_ORDER)
        complain(file, "its times go back, so lines may be missing; ask with --unsorted");
    question->has_trouble |= error != 0 || verdict != LOG_READ;
}

static enum libq_status answer_question(struct libq_question *question, char **files, size_t count)
{
    const struct libq_options *options = question->options;
    enum use_by by = USE_BY_WEEKDAY;
    if (!are_options_good(options) || !begin_zone(question) ||
        !read_range(options, &question->query) ||
        (options->by != NULL && !read_by(options->by, &by)))
        return LIBQ_TROUBLE;
    question->form = options->csv    ? OUTPUT_CSV
                     : options->json ? OUTPUT_JSON
                     : options->html ? OUTPUT_HTML
                                     : OUTPUT_TEXT;
    question->has_names = options->with_name || (count > 1 && !options->no_name);
    question->query.is_inverted = options->invert;
    question->query.by_second = options->second;
    question->query.order = options->sorted     ? LOG_SORTED
                            : options->unsorted ? LOG_UNSORTED
                                                : LOG_AS_ITS_HEAD_SAYS;
    if (options->by != NULL)
        use_table_begin(&question->table, by, question->query.range.first_month);
    output_begin();
    for (size_t i = 0; i < count; i++)
        ask_log(question, files[i]);
    use_table_finish(&question->table);
    if (options->html)
        libq_html_print(&question->table, options->start, options->end);
    else if (options->by != NULL)
        output_table(question->form, &question->table);
    shorten_names(question);
    if (options->count)
        output_counts(question->form, question->counts, question->logs, question->has_names);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "jobtrail-libq: stdout: %s\n", strerror(errno));
        question->has_trouble = true;
    }
    return question->has_trouble ? LIBQ_TROUBLE : question->has_found ? LIBQ_FOUND : LIBQ_NONE;
}

int main(int argc, char *argv[])
{
    struct libq_options options = {0};
    static char *standard_input[] = {"-"};
    struct libq_question question = {.options = &options};
    setlocale(LC_CTYPE, "");
    tzset();
    enum options_result result = options_read(argc, argv, &program, &options);
    if (result != OPTIONS_READ)
        return result == OPTIONS_ANSWERED ? LIBQ_FOUND : LIBQ_TROUBLE;
    enum libq_status status =
        optind < argc ? answer_question(&question, argv + optind, (size_t)(argc - optind))
                      : answer_question(&question, standard_input, 1);
    for (size_t i = 0; i < question.logs; i++)
        free(question.counts[i].library);
    free(question.counts);
    free(question.own_zone);
    use_table_free(&question.table);
    return (int)status;
}
