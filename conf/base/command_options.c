/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/command_options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/text.h"

int options_number(const char *text, uint32_t least, uint32_t most, uint32_t *number)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || value < least || value > most)
        return -EINVAL;
    *number = (uint32_t)value;
    return 0;
}

/* Whether nobody reads the pipe that standard output is. */
static bool is_unread(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

static pid_t began; /* the process that options_begin() ran in */

/* At the end of a program that has no trouble of its own: what could not be written is one. Nobody
 * reads a closed pipe. A forked child's end is none of the program's. */
static void close_stdout(int status, void *unused)
{
    (void)unused;
    bool was_bad = ferror(stdout) != 0;
    errno = 0;
    if (status != EXIT_SUCCESS || getpid() != began || (fflush(stdout) == 0 && !was_bad) ||
        errno == EPIPE || errno == EBADF || (errno == 0 && is_unread()))
        return;
    fprintf(stderr, "%s: the output cannot be written: %s\n", program_invocation_short_name,
            strerror(errno != 0 ? errno : EIO));
    _exit(EXIT_FAILURE);
}

void options_begin(void)
{
    if (began == 0 && unsetenv("POSIXLY_CORRECT") == 0 && on_exit(close_stdout, NULL) == 0)
        began = getpid();
}

int options_next(int argc, char **argv, const char *short_options, const struct option_row *rows,
                 void *values)
{
    options_begin();
    struct option options[OPTION_ROWS_MAX + 1] = {0};
    for (size_t i = 0; i < OPTION_ROWS_MAX && rows[i].name != NULL; i++) {
        bool has_argument = rows[i].kind == OPTION_TEXT || rows[i].kind == OPTION_NUMBER;
        int argument = !has_argument               ? no_argument
                       : rows[i].otherwise != NULL ? optional_argument
                                                   : required_argument;
        options[i] = (struct option){rows[i].name, argument, NULL, rows[i].letter};
    }
    int letter = getopt_long(argc, argv, short_options, options, NULL);
    while (rows->name != NULL && rows->letter != letter)
        rows++;
    if (rows->name == NULL || rows->kind == OPTION_ANSWER)
        return letter;
    char *member = (char *)values + rows->member;
    if (rows->kind == OPTION_FLAG) {
        *(bool *)member = true;
    } else if (rows->kind == OPTION_TEXT) {
        *(const char **)(void *)member = optarg != NULL ? optarg : rows->otherwise;
    } else if (options_number(optarg, rows->least, rows->most, (uint32_t *)(void *)member) != 0) {
        char word[TERMINAL_WORD_SIZE];
        fprintf(stderr, "%s: --%s takes a whole number from %" PRIu32 " to %" PRIu32 ": %s\n",
                program_invocation_short_name, rows->name, rows->least, rows->most,
                terminal_word(optarg, word));
        return OPTIONS_WRONG;
    }
    return letter;
}

enum options_result options_read(int argc, char **argv, const struct option_program *program,
                                 void *values)
{
    bool is_help = false, is_version = false;
    int letter;
    while ((letter = options_next(argc, argv, program->short_options, program->rows, values)) !=
           OPTIONS_END) {
        if (letter == OPTIONS_WRONG) {
            fprintf(stderr, "Try '%s --help'.\n", program->name);
            return OPTIONS_REFUSED;
        }
        is_help = is_help || letter == 'h';
        is_version = is_version || letter == 'V';
    }
    if (is_help)
        fputs(program->usage, stdout);
    else if (is_version)
        printf("%s %s\n", program->name, program->version);
    return is_help || is_version ? OPTIONS_ANSWERED : OPTIONS_READ;
}
