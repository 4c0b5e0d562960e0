/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-conf(8): the command line.
 */
#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/command/command.h"
#include "conf/conf_defaults.h"

static const char usage_text[] =
    "Usage: jobtrail-conf check   [--conf FILE]\n"
    "       jobtrail-conf compile [--conf FILE] [--output FILE] [--if-newer]\n"
    "       jobtrail-conf explain [--conf FILE] [--json] [--host HOST] [--env NAME]\n"
    "                             [--ntasks N] [PATH [ARG...]]\n"
    "       jobtrail-conf explain [--conf FILE] [--json] --command-line COMMAND [ARG...]\n"
    "       jobtrail-conf explain [--conf FILE] --stdin[=SECTION]\n"
    "       jobtrail-conf show    [--conf FILE] [--json]\n"
    "       jobtrail-conf doctor  [--conf FILE] [--plugstack FILE] [--node NAME] [--json]\n"
    "       jobtrail-conf make-key FILE\n"
    "       jobtrail-conf import-xalt [--output FILE] [--cmdline-record yes|no] CONFIG.py\n"
    "       jobtrail-conf --help | --version\n";

struct command {
    const char *name;
    int (*run)(const struct options *options);
    const char *accepts; /* its options, by their letter in long_options[] */
    const char *args;    /* NULL: it takes none; "+": options end where they start; "" */
};

static const struct command commands[] = {
    {"check", command_check, "c", NULL},
    {"compile", command_compile, "con", NULL},
    {"doctor", command_doctor, "cjNp", NULL},
    /* what follows explain's PATH is that program's */
    {"explain", command_explain, "cjHetlL", "+"},
    {"make-key", command_make_key, "", ""},
    {"show", command_show, "cj", NULL},
    {"import-xalt", command_import_xalt, "or", ""},
};

static const struct option long_options[] = {
    {"conf", required_argument, NULL, 'c'},
    {"output", required_argument, NULL, 'o'},
    {"if-newer", no_argument, NULL, 'n'},
    {"json", no_argument, NULL, 'j'},
    {"host", required_argument, NULL, 'H'},
    {"env", required_argument, NULL, 'e'},
    {"node", required_argument, NULL, 'N'},
    {"plugstack", required_argument, NULL, 'p'},
    {"ntasks", required_argument, NULL, 't'},
    {"stdin", optional_argument, NULL, 'l'},
    {"command-line", no_argument, NULL, 'L'},
    {"cmdline-record", required_argument, NULL, 'r'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

int command_refused(const struct conf_error *error)
{
    char text[sizeof *error + 64];
    conf_error_text(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return STATUS_REFUSED;
}

int command_print_json(struct json_object *value)
{
    const char *text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PRETTY |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE);
    int status = text != NULL && puts(text) >= 0 ? STATUS_OK : STATUS_REFUSED;
    json_object_put(value);
    return status;
}

static int wrong_usage(const char *problem, const char *what)
{
    fprintf(stderr, "jobtrail-conf: %s%s\n%s", problem, what, usage_text);
    return STATUS_USAGE;
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int take_ntasks(struct options *options)
{
    char *end;
    long ntasks = strtol(optarg, &end, 10);
    if (end == optarg || *end != '\0' || ntasks < 1 || ntasks > INT32_MAX)
        return -EINVAL;
    options->ntasks = (uint32_t)ntasks;
    return 0;
}

/* Returns 0, or -EINVAL: the option's argument is wrong. */
static int take_option(struct options *options, int letter)
{
    switch (letter) {
    case 'c':
        options->conf = optarg;
        break;
    case 'o':
        options->output = optarg;
        break;
    case 'n':
        options->if_newer = 1;
        break;
    case 'j':
        options->json = 1;
        break;
    case 'H':
        options->host = optarg;
        break;
    case 'e':
        options->env = optarg;
        break;
    case 'N':
        options->node = optarg;
        break;
    case 'p':
        options->plugstack = optarg;
        break;
    case 'l':
        options->lines = optarg != NULL ? optarg : "paths";
        break;
    case 'L':
        options->command_line = 1;
        break;
    case 'r':
        options->xalt_record = optarg;
        return strcmp(optarg, "yes") == 0 || strcmp(optarg, "no") == 0 ? 0 : -EINVAL;
    case 't':
        return take_ntasks(options);
    }
    return 0;
}

/* `argv[0]` is the command's name. */
static int run(const struct command *command, int argc, char **argv)
{
    struct options options = {.conf = DEFAULT_CONF};
    int letter;
    const char *order = command->args != NULL ? command->args : "+";
    while ((letter = getopt_long(argc, argv, order, long_options, NULL)) != -1) {
        if (letter == 'h') {
            fputs(usage_text, stdout);
            return STATUS_OK;
        }
        if (letter == '?' || strchr(command->accepts, letter) == NULL)
            return wrong_usage("wrong option for ", command->name);
        if (take_option(&options, letter) != 0)
            return wrong_usage("wrong value for an option: ", optarg);
    }
    options.args = argv + optind;
    options.args_count = argc - optind;
    if (options.args_count > 0 && command->args == NULL)
        return wrong_usage("unexpected argument ", options.args[0]);
    return command->run(&options);
}

int main(int argc, char **argv)
{
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
    const struct command *command = find_command(argv[1]);
    if (command == NULL)
        return wrong_usage("unknown command ", argv[1]);
    int status = run(command, argc - 1, argv + 1);
    if (fflush(stdout) != 0 && status == STATUS_OK) {
        perror("jobtrail-conf: writing the output");
        status = STATUS_REFUSED;
    }
    return status;
}
