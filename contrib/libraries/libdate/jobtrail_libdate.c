/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-libdate(1)
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/command_options.h"
#include "conf/base/text.h"
#include "contrib/libraries/library_date.h"
#include "contrib/libraries/lines/user_lines.h"
#include "submit/hand_in/link_send.h"

static const char usage[] =
    "Usage: jobtrail-libdate [OPTION...]\n"
    "       jobtrail-libdate -f LOG [-q] [WORD...]\n"
    "\n"
    "Prints date and time as jobtrail-libq reads them: Mon_Mar_06_1995_07:00.\n"
    "\n"
    "  -d, --date DATE       that time instead of now: in this form, as "
    "1995-03-06T07:00:05+01:00,\n"
    "                        or as @SECONDS since the Epoch\n"
    "  -r, --reference FILE  the time of last modification of FILE\n"
    "      --iso             as 1995-03-06T07:00:05+01:00\n"
    "  -f, --file LOG        append date, your name and the words to a log of the site's,\n"
    "                        within a minute or two\n"
    "  -q, --quiet           of -f: print nothing; see the exit status\n"
    "      --conf FILE       of -f: the configuration (default " JOBTRAIL_CONF ")\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0; 1 there is no such file, log, or time, or the line is too long; 2 usage;\n"
    "3 it cannot be handed in.\n";

enum libdate_status { LIBDATE_OK = 0, LIBDATE_NONE = 1, LIBDATE_USAGE = 2, LIBDATE_UNSENT = 3 };

struct libdate_options {
    const char *date, *reference, *file, *conf;
    bool iso, quiet;
};

#define MEMBER(name) offsetof(struct libdate_options, name)

/* clang-format off */
static const struct option_row option_rows[] = {
    {"date", 'd', OPTION_TEXT, MEMBER(date), 0, 0, NULL},
    {"reference", 'r', OPTION_TEXT, MEMBER(reference), 0, 0, NULL},
    {"file", 'f', OPTION_TEXT, MEMBER(file), 0, 0, NULL},
    {"quiet", 'q', OPTION_FLAG, MEMBER(quiet), 0, 0, NULL},
    {"conf", 'c', OPTION_TEXT, MEMBER(conf), 0, 0, NULL},
    {"iso", 'I', OPTION_FLAG, MEMBER(iso), 0, 0, NULL},
    {"help", 'h', OPTION_ANSWER, 0, 0, 0, NULL},
    {"version", 'V', OPTION_ANSWER, 0, 0, 0, NULL},
    {NULL, 0, 0, 0, 0, 0, NULL},
};
/* clang-format on */

static const struct option_program program = {
    .name = "jobtrail-libdate",
    .version = JOBTRAIL_VERSION,
    .usage = usage,
    .short_options = "+d:r:f:qhV",
    .rows = option_rows,
};

/* @SECONDS, negative too, or a date. Returns 0 or -EINVAL. */
static int read_date(const char *text, int64_t *time_s)
{
    if (text[0] == '@') {
        char *end;
        errno = 0;
        long long value = strtoll(text + 1, &end, 10);
        if (errno != 0 || end == text + 1 || *end != '\0' || strchr(" \t\n\v\f\r", text[1]) != NULL)
            return -EINVAL;
        *time_s = value;
        return 0;
    }
    static struct library_days days;
    struct library_date date;
    int error = library_date_parse(&days, text, strlen(text), &date);
    if (error != 0 || date.is_not_weekday)
        return -EINVAL;
    *time_s = date.first_s;
    return 0;
}

static enum libdate_status print_date(const struct libdate_options *options, int64_t time_s)
{
    char text[LIBRARY_DATE_SIZE];
    int error = options->iso ? library_date_iso(time_s, text) : library_date_old(time_s, text);
    if (error != 0)
        fprintf(stderr, "jobtrail-libdate: a time whose year is not one of 1 to 9999\n");
    else if (puts(text) < 0 || fflush(stdout) != 0) {
        fprintf(stderr, "jobtrail-libdate: stdout: %s\n", strerror(errno));
        error = -EIO;
    }
    return error == 0 ? LIBDATE_OK : LIBDATE_NONE;
}

static enum libdate_status print_asked(const struct libdate_options *options)
{
    int64_t time_s = time(NULL);
    struct stat facts;
    char word[TERMINAL_WORD_SIZE];
    if (options->date != NULL && options->reference != NULL) {
        fputs("jobtrail-libdate: -d and -r: one of them\n", stderr);
        return LIBDATE_USAGE;
    }
    if (options->date != NULL && read_date(options->date, &time_s) != 0) {
        fprintf(stderr,
                "jobtrail-libdate: not a date, or not with that weekday: %s; dates are "
                "Mon_Mar_06_1995_07:00, 1995-03-06T07:00:05, @794473205\n",
                terminal_word(options->date, word));
        return LIBDATE_USAGE;
    }
    if (options->reference != NULL) {
        if (stat(options->reference, &facts) != 0) {
            int error = errno;
            fprintf(stderr, "jobtrail-libdate: %s: %s\n", terminal_word(options->reference, word),
                    strerror(error));
            return LIBDATE_NONE;
        }
        time_s = facts.st_mtim.tv_sec;
    }
    return print_date(options, time_s);
}

/* ---- -f -------------------------------------------------------------------------------------- */

struct line_sending {
    struct conf conf;
    bool is_quiet;
    char name[LOG_NAME_SIZE];
};

__attribute__((format(printf, 3, 4))) static enum libdate_status
refuse(const struct line_sending *sending, enum libdate_status status, const char *format, ...)
{
    va_list args;
    if (sending->is_quiet)
        return status;
    fputs("jobtrail-libdate: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
    return status;
}

/* NAME, NAME.log, or either of them below the site's directory. */
static bool read_name(struct line_sending *sending, const char *log)
{
    const char *directory = sending->conf.library_log_dir;
    size_t length = strlen(directory);
    if (strncmp(log, directory, length) == 0 && log[length] == '/')
        log += length + 1;
    size_t size = strlen(log);
    if (size > 4 && strcmp(log + size - 4, ".log") == 0)
        size -= 4;
    snprintf(sending->name, sizeof sending->name, "%.*s", (int)(size < INT16_MAX ? size : 0), log);
    return size < sizeof sending->name && log_name_is_good(sending->name);
}

/* What the flush would find of the line: there is such a log, and it is not too long. Returns 0 or
 * -errno. */
static int check_line(const struct line_sending *sending, const struct log_message *message)
{
    char user[LIBRARY_USER_SIZE], line[LOG_LINE_SIZE], date[LIBRARY_DATE_SIZE];
    struct globs *names;
    library_user_name(caller_uid(), user);
    if (library_date_old((int64_t)time(NULL), date) != 0 ||
        log_message_line(message, date, user, line) < 0)
        return -EMSGSIZE;
    int error = globs_read(sending->conf.library_log_names, &names);
    if (error != 0)
        return error;
    CLEANUP_CLOSE int directory =
        open(sending->conf.library_log_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_made = directory < 0 && errno == ENOENT && globs_match(names, message->name);
    error = directory >= 0 ? user_lines_find(directory, names, message->name)
            : is_made      ? 0
                           : -errno;
    globs_free(names);
    return error > 0 ? 0 : error;
}

/* Root's processes append it themselves, which says what is wrong. */
static int hand_on(const struct conf *conf, const struct log_message *message,
                   const struct record_view *record)
{
    struct user_lines lines;
    if (!caller_is_root())
        return hand_in(conf, record);
    int error = user_lines_open(conf, 0, &lines);
    if (error == 0)
        error = user_lines_append(&lines, message, (int64_t)time(NULL));
    user_lines_close(&lines);
    return error;
}

static enum libdate_status send_line(struct line_sending *sending, const char *log,
                                     char *const *words, size_t count)
{
    char bytes[LOG_MESSAGE_MAX], shown[TERMINAL_WORD_SIZE], file[64];
    const char *directory = sending->conf.library_log_dir;
    struct log_message message;
    if (directory[0] == '\0')
        return refuse(sending, LIBDATE_NONE,
                      "this site has no log_dir in [libraries] of jobtrail.conf");
    if (!read_name(sending, log))
        return refuse(sending, LIBDATE_NONE,
                      "no name of a log in %s: %s; it has letters, digits and ._+-", directory,
                      terminal_word(log, shown));
    size_t size = log_message_make(sending->name, words, count, bytes);
    int error = size == 0 || log_message_read(bytes, size, &message) != 0
                    ? -EMSGSIZE
                    : check_line(sending, &message);
    if (error == -EMSGSIZE)
        return refuse(sending, LIBDATE_NONE, "the line is too long: it may have %d bytes",
                      LOG_LINE_SIZE - 2);
    if (error == -ENOENT)
        return refuse(sending, LIBDATE_NONE,
                      "there is no log %s.log in %s, and log_names of jobtrail.conf makes none",
                      sending->name, directory);
    if (error == -EPERM)
        return refuse(sending, LIBDATE_NONE, "%s.log in %s is no plain file of root's",
                      sending->name, directory);
    snprintf(file, sizeof file, USER_LINES_WORD ".%0*" PRIu64 ".%d", USER_LINES_DIGITS,
             clock_ns(CLOCK_REALTIME), (int)getpid());
    const struct record_view record = record_view(file, bytes, size);
    if (error == 0)
        error = hand_on(&sending->conf, &message, &record);
    return error == 0
               ? LIBDATE_OK
               : refuse(sending, LIBDATE_UNSENT, "%s.log: the line cannot be handed in: %s",
                        sending->name,
                        error == -ENOENT ? "this host has no [spool] sessions" : strerror(-error));
}

static enum libdate_status libdate_send(const char *conf, const char *log, char *const *words,
                                        size_t count, bool is_quiet)
{
    struct line_sending sending = {.is_quiet = is_quiet};
    struct conf_error fault;
    char text[1024];
    if (conf_load(conf, &sending.conf, &fault) != 0) {
        conf_error_text(&fault, text, sizeof text);
        return refuse(&sending, LIBDATE_UNSENT, "%s", text);
    }
    enum libdate_status status = send_line(&sending, log, words, count);
    conf_free(&sending.conf);
    return status;
}

int main(int argc, char *argv[])
{
    struct libdate_options options = {.conf = JOBTRAIL_CONF};
    tzset();
    enum options_result result = options_read(argc, argv, &program, &options);
    if (result != OPTIONS_READ)
        return result == OPTIONS_ANSWERED ? LIBDATE_OK : LIBDATE_USAGE;
    if (options.file != NULL &&
        (options.date != NULL || options.reference != NULL || options.iso)) {
        fputs("jobtrail-libdate: -f has no -d, -r and --iso: the time is that of the entry\n",
              stderr);
        return LIBDATE_USAGE;
    }
    if (options.file != NULL)
        return libdate_send(options.conf, options.file, argv + optind, (size_t)(argc - optind),
                            options.quiet);
    if (optind < argc) {
        char word[TERMINAL_WORD_SIZE];
        fprintf(stderr, "jobtrail-libdate: no such argument: %s; a time is given by -d\n",
                terminal_word(argv[optind], word));
        return LIBDATE_USAGE;
    }
    return (int)print_asked(&options);
}
