/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/days.h"
#include "conf/base/number_list.h"
#include "conf/conf_transport.h"

/* A cluster's name is part of paths and of records. */
static int check_name(const char *text, struct conf_fault *fault)
{
    for (size_t i = 0; text[i] != '\0'; i++)
        if (!isalnum((unsigned char)text[i]) && strchr("_-.", text[i]) == NULL)
            return conf_fault(fault, i, "not a name", "letters, digits, '_', '-' and '.' only");
    if (text[0] == '.')
        return conf_fault(fault, 0, "a name that starts with '.'", "start with a letter");
    return 0;
}

static int check_path(const char *text, struct conf_fault *fault)
{
    if (text[0] != '/')
        return conf_fault(fault, 0, "not an absolute path", "start with '/'");
    for (size_t i = 0; text[i] != '\0'; i++)
        if (iscntrl((unsigned char)text[i]))
            return conf_fault(fault, i, "a control character in a path", "remove it");
    return 0;
}

static int check_path_or_none(const char *text, struct conf_fault *fault)
{
    return text[0] == '\0' ? 0 : check_path(text, fault);
}

static int check_spool(const char *text, struct conf_fault *fault)
{
    for (const char *sign = strchr(text, '%'); sign != NULL; sign = strchr(sign + 2, '%'))
        if (sign[1] != 'n')
            return conf_fault(fault, (size_t)(sign - text), "unknown % sequence",
                              "only %n, the node's name, is replaced");
    return check_path(text, fault);
}

/* The dynamic loader splits LD_PRELOAD at ':' and blanks, and replaces what follows a '$'. */
static int check_library(const char *text, struct conf_fault *fault)
{
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (text[i] == ':' || isblank((unsigned char)text[i]))
            return conf_fault(fault, i, "LD_PRELOAD cannot hold a path with ':' or blanks",
                              "install the library under another path");
        if (text[i] == '$' && strncmp(text + i, "$PLATFORM/", 10) != 0)
            return conf_fault(fault, i, "unknown $ sequence",
                              "only $PLATFORM as a whole directory is replaced");
    }
    return check_path(text, fault);
}

/* The directory is put into PYTHONPATH and similar lists. */
static int check_hooks(const char *text, struct conf_fault *fault)
{
    if (strchr(text, ':') != NULL)
        return conf_fault(fault, strcspn(text, ":"), "PYTHONPATH cannot hold a path with ':'",
                          "install the hooks under another path");
    return check_path_or_none(text, fault);
}

static int check_url(const char *text, struct conf_fault *fault)
{
    if (*text != '\0' && strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0)
        return conf_fault(fault, 0, "not a URL", "start with http:// or https://");
    return 0;
}

/* HOST:PORT or [ADDRESS]:PORT, or nothing. A listener's host may be left out: all addresses. */
static int check_place(const char *text, struct conf_fault *fault)
{
    static const char hint[] = "write HOST:PORT, with [] around an address of IPv6";
    const char *host_end = text[0] == '[' ? strchr(text, ']') : strchr(text, ':');
    if (text[0] == '\0')
        return 0;
    if (host_end == NULL)
        return conf_fault(fault, 0, "no port", hint);
    const char *port = strchr(host_end, ':');
    size_t digits = port == NULL ? 0 : strspn(port + 1, "0123456789");
    if (digits == 0 || digits > 5 || port[1 + digits] != '\0' || atoi(port + 1) > UINT16_MAX)
        return conf_fault(fault, (size_t)(host_end - text), "no port from 0 to 65535", hint);
    return 0;
}

static int check_numbers(const char *text, struct conf_fault *fault)
{
    return number_list_is_valid(text)
               ? 0
               : conf_fault(fault, 0, "no list of numbers", "write none, all, or such as 0,4-7");
}

static int check_logs(const char *text, struct conf_fault *fault)
{
    return strcmp(text, "summary") == 0 || number_list_is_valid(text)
               ? 0
               : conf_fault(fault, 0, "no list of numbers",
                            "write none, summary, all, or such as 0,4-7");
}

static int check_timezone(const char *text, struct conf_fault *fault)
{
    return *text == '\0' || days_has_zone(text)
               ? 0
               : conf_fault(fault, 0, "no time zone of this machine",
                            "such as Europe/Berlin or UTC; is tzdata installed?");
}

/* clang-format off */
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define TEXT(function) {.form = CONF_TEXT, .check = (function)}
#define CHOICE(shape, list, problem, advice) \
    {.form = (shape), .words = (list), .wrong = (problem), .hint = (advice)}
#define NUMBER(unit, from, to) \
    {.form = CONF_NUMBER, .least = (from), .most = (to), .wrong = "not a number of " unit, \
     .range = unit " out of range", .hint = "a whole number of " unit " from " #from " to " #to}
#define SIZE(to, text) \
    {.form = CONF_SIZE, .least = UINT64_C(1) << 20, .most = (to), .wrong = "not a size", \
     .range = "size out of range", \
     .hint = "a number of bytes from 1M to " text "; K, M and G are suffixes"}

const struct conf_kind
    conf_value_text = TEXT(NULL),
    conf_value_name = TEXT(check_name),
    conf_value_path = TEXT(check_path),
    conf_value_path_or_none = TEXT(check_path_or_none),
    conf_value_spool = TEXT(check_spool),
    conf_value_library = TEXT(check_library),
    conf_value_hooks = TEXT(check_hooks),
    conf_value_url = TEXT(check_url),
    conf_value_timezone = TEXT(check_timezone),
    conf_value_transport_words = TEXT(conf_transport_words),
    conf_value_yes_no = CHOICE(CONF_YES_NO, WORDS("no", "yes"), "neither yes nor no", "write yes or no"),
    /* by enum conf_mount, conf_startup, conf_programs, policy_command_line, conf_witness, conf_profile_steps and conf_profile_mode */
    conf_value_mount = CHOICE(CONF_INDEX, WORDS("auto", "yes", "no"), "neither yes nor no",
                        "write auto, yes or no"),
    conf_value_startup = CHOICE(CONF_INDEX, WORDS("none", "static", "all"), "unknown kind of programs",
                          "write none, static or all"),
    conf_value_programs = CHOICE(CONF_INDEX, WORDS("all", "scalar", "mpi"), "unknown kind of programs",
                           "write all, scalar or mpi"),
    conf_value_command_line = CHOICE(CONF_INDEX, WORDS("yes", "program", "no"), "unknown value",
                               "write yes, program or no"),
    conf_value_http_format = CHOICE(CONF_WORD, WORDS("json", "bulk", "splunk"), "unknown value",
                              "write json, bulk or splunk"),
    conf_value_scheduler = CHOICE(CONF_INDEX, WORDS("slurm", "PBS", "SGE", "LSF"), "unknown batch system",
                             "write slurm, PBS, SGE or LSF"),
    conf_value_size = SIZE(UINT64_C(1) << 30, "1G"),
    conf_value_hash_size = SIZE(UINT64_C(1) << 40, "1024G"),
    conf_value_seconds = NUMBER("seconds", 1, 300),
    conf_value_cpu_seconds = NUMBER("seconds", 1, 86400),
    conf_value_ranks = NUMBER("ranks", 1, 1000000000),
    conf_value_directories = NUMBER("directories", 0, 9999),
    conf_value_block_bytes = NUMBER("bytes", 64, 65000),
    conf_value_records = NUMBER("records", 1, 10000),
    conf_value_place = TEXT(check_place),
    conf_value_see = CHOICE(CONF_WORD, WORDS("own", "slurm", "all"), "unknown value",
                      "write own, slurm or all"),
    conf_value_requests = NUMBER("requests", 1, 1000),
    conf_value_memory = SIZE(UINT64_C(1) << 40, "1024G"),
    conf_value_files = NUMBER("files", 0, 100),
    conf_value_witness = CHOICE(CONF_INDEX, WORDS("off", "ends", "objects", "auto"), "unknown level",
                          "write auto, off, ends or objects"),
    conf_value_profile_steps = CHOICE(CONF_INDEX, WORDS("none", "asked", "all"), "unknown kind of steps",
                                "write none, asked or all"),
    conf_value_profile_mode = CHOICE(CONF_INDEX, WORDS("light", "exact"), "unknown mode",
                               "write light or exact"),
    conf_value_numbers = TEXT(check_numbers),
    conf_value_logs = TEXT(check_logs);
/* clang-format on */

static int parse_text(const char *text, char **field)
{
    char *copy = strdup(text);
    if (copy == NULL)
        return -ENOMEM;
    free(*field);
    *field = copy;
    return 0;
}

/* The decimal number at the start of `text`, at most 10 * UINT32_MAX + 9; `*end` is what follows
 * it. Returns 0 or -EINVAL. */
static int parse_digits(const char *text, uint64_t *number, const char **end)
{
    uint64_t value = 0;
    const char *at = text;
    for (; isdigit((unsigned char)*at); at++) {
        if (value > UINT32_MAX)
            return -EINVAL;
        value = value * 10 + (uint64_t)(*at - '0');
    }
    *number = value;
    *end = at;
    return at == text ? -EINVAL : 0;
}

/* A CONF_NUMBER or CONF_SIZE. */
static int parse_amount(const struct conf_kind *kind, const char *text, uint64_t *amount,
                        struct conf_fault *fault)
{
    static const char suffixes[] = "KMG";
    uint64_t value;
    const char *end;
    if (parse_digits(text, &value, &end) != 0)
        return conf_fault(fault, 0, kind->wrong, kind->hint);
    const char *suffix = kind->form == CONF_NUMBER || *end == '\0' ? NULL : strchr(suffixes, *end);
    if (*end != '\0' && (suffix == NULL || end[1] != '\0'))
        return conf_fault(fault, (size_t)(end - text), kind->wrong, kind->hint);
    if (suffix != NULL)
        value <<= 10 * (suffix - suffixes + 1); /* at most 2^36 << 30 */
    if (value < kind->least || value > kind->most)
        return conf_fault(fault, 0, kind->range, kind->hint);
    *amount = value;
    return 0;
}

int conf_value_parse(const struct conf_kind *kind, const char *text, void *field,
                     struct conf_fault *fault)
{
    uint64_t amount;
    uint32_t word = 0;
    int error = 0;
    while (kind->words != NULL && kind->words[word] != NULL && strcmp(text, kind->words[word]) != 0)
        word++;
    if (kind->words != NULL && kind->words[word] == NULL)
        return conf_fault(fault, 0, kind->wrong, kind->hint);
    switch (kind->form) {
    case CONF_TEXT:
        error = kind->check == NULL ? 0 : kind->check(text, fault);
        return error != 0 ? error : parse_text(text, field);
    case CONF_WORD:
        return parse_text(text, field);
    case CONF_INDEX:
        *(uint32_t *)field = word;
        return 0;
    case CONF_YES_NO:
        *(bool *)field = word != 0;
        return 0;
    case CONF_NUMBER:
    case CONF_SIZE:
        error = parse_amount(kind, text, &amount, fault);
        if (error == 0 && kind->form == CONF_NUMBER)
            *(uint32_t *)field = (uint32_t)amount;
        else if (error == 0)
            *(uint64_t *)field = amount;
    }
    return error;
}

void conf_value_print(const struct conf_kind *kind, const void *field, char *text, size_t size)
{
    static const char *const suffixes[] = {"", "K", "M", "G"};
    uint64_t bytes;
    size_t power = 0;
    switch (kind->form) {
    case CONF_TEXT:
    case CONF_WORD:
        snprintf(text, size, "%s", *(char *const *)field);
        break;
    case CONF_INDEX:
        snprintf(text, size, "%s", kind->words[*(const uint32_t *)field]);
        break;
    case CONF_YES_NO:
        snprintf(text, size, "%s", kind->words[*(const bool *)field]);
        break;
    case CONF_NUMBER:
        snprintf(text, size, "%" PRIu32, *(const uint32_t *)field);
        break;
    case CONF_SIZE:
        bytes = *(const uint64_t *)field;
        for (; power < 3 && bytes % 1024 == 0; power++)
            bytes /= 1024;
        snprintf(text, size, "%" PRIu64 "%s", bytes, suffixes[power]);
    }
}
