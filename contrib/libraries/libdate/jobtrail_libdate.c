/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-libdate(1)
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "conf/base/command_options.h"
#include "conf/base/terminal_text.h"
#include "contrib/libraries/libdate/libdate_send.h"
#include "contrib/libraries/library_date.h"

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
    "  -f, --file LOG        append date, your name and the words to a log of the site's\n"
    "  -q, --quiet           of -f: say nothing; the exit status tells\n"
    "      --conf FILE       of -f: the configuration (default " JOBTRAIL_CONF ")\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0; 1 there is no such file, log, or time, or the line is too long; 2 usage;\n"
    "3 the log cannot be written now; 4 the line is left out, as too many were written.\n";

enum libdate_status { LIBDATE_OK = 0, LIBDATE_NONE = 1, LIBDATE_USAGE = 2 };

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

static int send_asked(const struct libdate_options *options, char *const *words, int count)
{
    if (options->date == NULL && options->reference == NULL && !options->iso)
        return (int)libdate_send(options->conf, options->file, words, (size_t)count,
                                 options->quiet);
    fputs("jobtrail-libdate: -f has no -d, -r and --iso: the time is that of the entry\n", stderr);
    return LIBDATE_USAGE;
}

int main(int argc, char *argv[])
{
    struct libdate_options options = {.conf = JOBTRAIL_CONF};
    tzset();
    enum options_result result = options_read(argc, argv, &program, &options);
    if (result != OPTIONS_READ)
        return result == OPTIONS_ANSWERED ? LIBDATE_OK : LIBDATE_USAGE;
    if (options.file != NULL)
        return send_asked(&options, argv + optind, argc - optind);
    if (optind < argc) {
        char word[TERMINAL_WORD_SIZE];
        fprintf(stderr, "jobtrail-libdate: no such argument: %s; a time is given by -d\n",
                terminal_word(argv[optind], word));
        return LIBDATE_USAGE;
    }
    return (int)print_asked(&options);
}
