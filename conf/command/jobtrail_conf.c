/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-conf(8): the command line.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "conf/base/command_options.h"
#include "conf/base/program_run.h"
#include "conf/base/text.h"
#include "conf/command/command.h"
#include "conf/conf_defaults.h"
#include "conf/secret_file.h"

/* XALT's configuration is Python, and so is what reads it: import_xalt.py, which reads the
 * program's syntax tree and never runs it. */
static enum exit_status import_xalt(const struct options *options)
{
    char script[PATH_MAX];
    const char *output = options->output != NULL ? options->output : "-";
    const char *record = options->xalt_record != NULL ? options->xalt_record : "";
    if (options->xalt_record != NULL && strcmp(record, "yes") != 0 && strcmp(record, "no") != 0) {
        fprintf(stderr, "jobtrail-conf: --cmdline-record takes yes or no\n");
        return STATUS_USAGE;
    }
    if (options->args_count != 1) {
        fprintf(stderr, "jobtrail-conf: import what? Give one CONFIG.py\n");
        return STATUS_USAGE;
    }
    if (!program_place(IMPORT_XALT_FROM_BIN, script, sizeof script) || access(script, R_OK) != 0) {
        fprintf(stderr, "jobtrail-conf: %s: %s; is all of jobtrail installed?\n", script,
                strerror(errno));
        return STATUS_REFUSED;
    }
    /* -I: nothing from the user's environment or directory becomes part of the program */
    execlp("python3", "python3", "-I", "-B", script, "--output", output, "--cmdline-record", record,
           "--", options->args[0], (char *)NULL);
    fprintf(stderr, "jobtrail-conf: cannot run python3: %s\n", strerror(errno));
    return STATUS_REFUSED;
}

static enum exit_status make_key(const struct options *options)
{
    if (options->args_count != 1) {
        fprintf(stderr, "jobtrail-conf: make which key? Give one FILE\n");
        return STATUS_USAGE;
    }
    int error = key_file_make(options->args[0]);
    if (error == 0)
        return STATUS_OK;
    char word[TERMINAL_WORD_SIZE];
    fprintf(stderr, "jobtrail-conf: %s: %s\n", terminal_word(options->args[0], word),
            error == -EPERM ? "others than root can change a directory or link on the way there"
                            : key_file_trouble(error));
    return STATUS_REFUSED;
}

static const char usage_text[] =
    "Usage: jobtrail-conf check   [--conf FILE]\n"
    "       jobtrail-conf compile [--conf FILE] [--output FILE] [--if-newer]\n"
    "       jobtrail-conf explain [--conf FILE] [--json] [--host HOST] [--env NAME]\n"
    "                             [--library FILE] [--routines FILE] [PATH [ARG...]]\n"
    "       jobtrail-conf explain [--conf FILE] [--json] --command-line COMMAND [ARG...]\n"
    "       jobtrail-conf explain [--conf FILE] --stdin[=SECTION]\n"
    "       jobtrail-conf show    [--conf FILE] [--json]\n"
    "       jobtrail-conf doctor  [--conf FILE] [--plugstack FILE] [--node NAME] [--json]\n"
    "                             [--role node|login|collector[,...]]\n"
    "                             [--run [--user NAME] [--timeout SECONDS] [-- SRUN-OPTION...]]\n"
    "       jobtrail-conf make-key FILE\n"
    "       jobtrail-conf import-xalt [--output FILE] [--cmdline-record yes|no] CONFIG.py\n"
    "       jobtrail-conf --help | --version\n";

struct conf_command {
    const char *name;
    enum exit_status (*run)(const struct options *options);
    const char *accepts; /* its options, by their letter in option_rows[] */
    const char *args;    /* NULL: it takes none; "+": options end where they start; "" */
};

static const struct conf_command commands[] = {
    {"check", command_check, "c", NULL},
    {"compile", command_compile, "con", NULL},
    {"doctor", command_doctor, "cjNpRUTu", ""},
    /* what follows explain's PATH is that program's */
    {"explain", command_explain, "cjHelLbI", "+"},
    {"make-key", make_key, "", ""},
    {"show", command_show, "cj", NULL},
    {"import-xalt", import_xalt, "or", ""},
};

#define MEMBER(name) offsetof(struct options, name)

/* clang-format off */
static const struct option_row option_rows[] = {
    {"conf", 'c', OPTION_TEXT, MEMBER(conf), 0, 0, NULL},
    {"output", 'o', OPTION_TEXT, MEMBER(output), 0, 0, NULL},
    {"if-newer", 'n', OPTION_FLAG, MEMBER(if_newer), 0, 0, NULL},
    {"json", 'j', OPTION_FLAG, MEMBER(json), 0, 0, NULL},
    {"host", 'H', OPTION_TEXT, MEMBER(host), 0, 0, NULL},
    {"env", 'e', OPTION_TEXT, MEMBER(env), 0, 0, NULL},
    {"node", 'N', OPTION_TEXT, MEMBER(node), 0, 0, NULL},
    {"plugstack", 'p', OPTION_TEXT, MEMBER(plugstack), 0, 0, NULL},
    {"run", 'U', OPTION_FLAG, MEMBER(run), 0, 0, NULL},
    {"user", 'u', OPTION_TEXT, MEMBER(user), 0, 0, NULL},
    {"timeout", 'T', OPTION_NUMBER, MEMBER(timeout_s), 1, 86400, NULL},
    {"role", 'R', OPTION_TEXT, MEMBER(role), 0, 0, NULL},
    {"library", 'b', OPTION_TEXT, MEMBER(library), 0, 0, NULL},
    {"routines", 'I', OPTION_TEXT, MEMBER(routines), 0, 0, NULL},
    {"stdin", 'l', OPTION_TEXT, MEMBER(lines), 0, 0, "paths"},
    {"command-line", 'L', OPTION_FLAG, MEMBER(command_line), 0, 0, NULL},
    {"cmdline-record", 'r', OPTION_TEXT, MEMBER(xalt_record), 0, 0, NULL},
    {"help", 'h', OPTION_FLAG, MEMBER(help), 0, 0, NULL},
    {NULL, 0, 0, 0, 0, 0, NULL},
};
/* clang-format on */

enum exit_status command_refused(const struct conf_error *why)
{
    char text[sizeof *why + 64];
    conf_error_text(why, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return STATUS_REFUSED;
}

enum exit_status command_print_json(struct json_object *value)
{
    const char *text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PRETTY |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE);
    enum exit_status status = text != NULL && puts(text) >= 0 ? STATUS_OK : STATUS_REFUSED;
    json_object_put(value);
    return status;
}

static enum exit_status wrong_usage(const char *problem, const char *what)
{
    char word[TERMINAL_WORD_SIZE];
    fprintf(stderr, "jobtrail-conf: %s%s\n%s", problem, terminal_word(what, word), usage_text);
    return STATUS_USAGE;
}

static const struct conf_command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* `argv[0]` is the command's name. */
static enum exit_status run_command(const struct conf_command *command, int argc, char **argv)
{
    struct options options = {.conf = DEFAULT_CONF};
    int letter;
    const char *order = command->args != NULL ? command->args : "+";
    while ((letter = options_next(argc, argv, order, option_rows, &options)) != OPTIONS_END)
        if (letter != 'h' && strchr(command->accepts, letter) == NULL)
            return wrong_usage("wrong option for ", command->name);
    if (options.help) {
        fputs(usage_text, stdout);
        return STATUS_OK;
    }
    options.args = argv + optind;
    options.args_count = argc - optind;
    if (options.args_count > 0 && command->args == NULL)
        return wrong_usage("unexpected argument ", options.args[0]);
    return command->run(&options);
}

int main(int argc, char **argv)
{
    options_begin();
    if (argc < 2)
        return wrong_usage("no command given", "");
    if (strcmp(argv[1], "--help") == 0) {
        fputs(usage_text, stdout);
        return STATUS_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("jobtrail-conf " JOBTRAIL_VERSION);
        return STATUS_OK;
    }
    const struct conf_command *command = find_command(argv[1]);
    if (command == NULL)
        return wrong_usage("unknown command ", argv[1]);
    return (int)run_command(command, argc - 1, argv + 1);
}
