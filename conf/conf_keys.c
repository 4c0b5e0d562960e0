/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_keys.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf_defaults.h"
#include "conf/conf_transport.h"

#define LEDGER_BYTES_MIN     (UINT64_C(1) << 20)
#define LEDGER_BYTES_MAX     (UINT64_C(1) << 30)
#define HASH_BYTES_MAX       (UINT64_C(1) << 40)
#define EPILOG_TIMEOUT_MAX_S 300u
#define ALWAYS_RANKS_MAX     1000000000u

static int fail(struct conf_fault *fault, size_t offset, const char *reason, const char *hint)
{
    *fault = (struct conf_fault){offset, reason, hint};
    return -EINVAL;
}

static int store_text(const char *text, void *field)
{
    char *copy = strdup(text);
    if (copy == NULL)
        return -ENOMEM;
    free(*(char **)field);
    *(char **)field = copy;
    return 0;
}

static void print_text(const void *field, char *text, size_t size)
{
    snprintf(text, size, "%s", *(char *const *)field);
}

/* A name of a cluster goes into paths and records. */
static int parse_name(const char *text, void *field, struct conf_fault *fault)
{
    for (size_t i = 0; text[i] != '\0'; i++)
        if (!isalnum((unsigned char)text[i]) && strchr("_-.", text[i]) == NULL)
            return fail(fault, i, "not a name", "letters, digits, '_', '-' and '.' only");
    if (text[0] == '.')
        return fail(fault, 0, "a name that starts with '.'", "start with a letter");
    return store_text(text, field);
}

static int check_absolute(const char *text, struct conf_fault *fault)
{
    if (text[0] != '/')
        return fail(fault, 0, "not an absolute path", "start with '/'");
    for (size_t i = 0; text[i] != '\0'; i++)
        if (iscntrl((unsigned char)text[i]))
            return fail(fault, i, "a control character in a path", "remove it");
    return 0;
}

static int parse_path(const char *text, void *field, struct conf_fault *fault)
{
    int rc = check_absolute(text, fault);
    return rc != 0 ? rc : store_text(text, field);
}

static int parse_spool(const char *text, void *field, struct conf_fault *fault)
{
    int rc = check_absolute(text, fault);
    if (rc != 0)
        return rc;
    for (const char *sign = strchr(text, '%'); sign != NULL; sign = strchr(sign + 2, '%'))
        if (sign[1] != 'n')
            return fail(fault, (size_t)(sign - text), "unknown % sequence",
                        "only %n, the node's name, is replaced");
    return store_text(text, field);
}

/* The loader splits LD_PRELOAD at ':' and blanks and replaces what follows a '$'. */
static int parse_library(const char *text, void *field, struct conf_fault *fault)
{
    int rc = check_absolute(text, fault);
    if (rc != 0)
        return rc;
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (text[i] == ':' || isblank((unsigned char)text[i]))
            return fail(fault, i, "LD_PRELOAD cannot hold a path with ':' or blanks",
                        "install the library under another path");
        if (text[i] == '$' && strncmp(text + i, "$LIB/", 5) != 0)
            return fail(fault, i, "unknown $ sequence",
                        "only $LIB as a whole directory is replaced");
    }
    return store_text(text, field);
}

/* Goes into PYTHONPATH and its like. */
static int parse_hooks(const char *text, void *field, struct conf_fault *fault)
{
    int rc = text[0] == '\0' ? 0 : check_absolute(text, fault);
    if (rc == 0 && strchr(text, ':') != NULL)
        return fail(fault, strcspn(text, ":"), "PYTHONPATH cannot hold a path with ':'",
                    "install the hooks under another path");
    return rc != 0 ? rc : store_text(text, field);
}

/* The decimal number at the start of `text`; `*end` is what follows it. -EINVAL: none, too big. */
static int parse_digits(const char *text, uint64_t *number, const char **end)
{
    uint64_t value = 0;
    const char *at = text;
    for (; isdigit((unsigned char)*at); at++) {
        if (value > UINT32_MAX)
            return -EINVAL;
        value = value * 10 + (uint64_t)(*at - '0');
    }
    if (at == text)
        return -EINVAL;
    *number = value;
    *end = at;
    return 0;
}

/* A number of bytes from 1M to `most`. */
static int store_size(const char *text, void *field, struct conf_fault *fault, uint64_t most,
                      const char *form)
{
    static const char suffixes[] = "KMG";
    uint64_t bytes;
    const char *end;
    if (parse_digits(text, &bytes, &end) != 0)
        return fail(fault, 0, "not a size", form);
    const char *suffix = *end == '\0' ? NULL : strchr(suffixes, *end);
    if (*end != '\0' && (suffix == NULL || end[1] != '\0'))
        return fail(fault, (size_t)(end - text), "not a size", form);
    if (suffix != NULL)
        bytes <<= 10 * (suffix - suffixes + 1); /* at most 2^36 << 30 */
    if (bytes < LEDGER_BYTES_MIN || bytes > most)
        return fail(fault, 0, "size out of range", form);
    *(uint64_t *)field = bytes;
    return 0;
}

static int parse_size(const char *text, void *field, struct conf_fault *fault)
{
    return store_size(text, field, fault, LEDGER_BYTES_MAX,
                      "a number of bytes from 1M to 1G; K, M and G are suffixes");
}

static int parse_hash_size(const char *text, void *field, struct conf_fault *fault)
{
    return store_size(text, field, fault, HASH_BYTES_MAX,
                      "a number of bytes from 1M to 1024G; K, M and G are suffixes");
}

static void print_size(const void *field, char *text, size_t size)
{
    static const char *const suffix[] = {"", "K", "M", "G"};
    uint64_t bytes = *(const uint64_t *)field;
    size_t power = 0;
    for (; power < 3 && bytes % 1024 == 0; power++)
        bytes /= 1024;
    snprintf(text, size, "%" PRIu64 "%s", bytes, suffix[power]);
}

static int parse_seconds(const char *text, void *field, struct conf_fault *fault)
{
    static const char *const form = "a whole number from 1 to 300";
    uint64_t seconds;
    const char *end;
    if (parse_digits(text, &seconds, &end) != 0)
        return fail(fault, 0, "not a number of seconds", form);
    if (*end != '\0')
        return fail(fault, (size_t)(end - text), "not a number of seconds", form);
    if (seconds < 1 || seconds > EPILOG_TIMEOUT_MAX_S)
        return fail(fault, 0, "seconds out of range", form);
    *(uint32_t *)field = (uint32_t)seconds;
    return 0;
}

static int parse_ranks(const char *text, void *field, struct conf_fault *fault)
{
    static const char *const form = "a whole number from 1 to 1000000000";
    uint64_t ranks;
    const char *end;
    if (parse_digits(text, &ranks, &end) != 0)
        return fail(fault, 0, "not a number of ranks", form);
    if (*end != '\0')
        return fail(fault, (size_t)(end - text), "not a number of ranks", form);
    if (ranks < 1 || ranks > ALWAYS_RANKS_MAX)
        return fail(fault, 0, "ranks out of range", form);
    *(uint32_t *)field = (uint32_t)ranks;
    return 0;
}

static void print_number(const void *field, char *text, size_t size)
{
    snprintf(text, size, "%" PRIu32, *(const uint32_t *)field);
}

static int parse_yes_no(const char *text, void *field, struct conf_fault *fault)
{
    int yes = strcmp(text, "yes") == 0;
    if (!yes && strcmp(text, "no") != 0)
        return fail(fault, 0, "neither yes nor no", "write yes or no");
    *(int *)field = yes;
    return 0;
}

static void print_yes_no(const void *field, char *text, size_t size)
{
    snprintf(text, size, "%s", *(const int *)field ? "yes" : "no");
}

/* A whole number from `least` to `most`. */
static int store_number(const char *text, void *field, struct conf_fault *fault, uint32_t least,
                        uint32_t most, const char *form)
{
    uint64_t number;
    const char *end;
    if (parse_digits(text, &number, &end) != 0)
        return fail(fault, 0, "not a number", form);
    if (*end != '\0')
        return fail(fault, (size_t)(end - text), "not a number", form);
    if (number < least || number > most)
        return fail(fault, 0, "out of range", form);
    *(uint32_t *)field = (uint32_t)number;
    return 0;
}

static int parse_subdirectories(const char *text, void *field, struct conf_fault *fault)
{
    return store_number(text, field, fault, 0, 9999, "a whole number from 0 to 9999; 0: none");
}

static int parse_job_cpu(const char *text, void *field, struct conf_fault *fault)
{
    return store_number(text, field, fault, 1, 86400, "a whole number of seconds from 1 to 86400");
}

static int parse_share(const char *text, void *field, struct conf_fault *fault)
{
    return store_number(text, field, fault, 1, 100, "a whole number of hundredths from 1 to 100");
}

static int parse_block_size(const char *text, void *field, struct conf_fault *fault)
{
    return store_number(text, field, fault, 64, 65000, "a whole number of bytes from 64 to 65000");
}

static int parse_http_batch(const char *text, void *field, struct conf_fault *fault)
{
    return store_number(text, field, fault, 1, 10000, "a whole number of records from 1 to 10000");
}

static int parse_http_timeout(const char *text, void *field, struct conf_fault *fault)
{
    return store_number(text, field, fault, 1, 300, "a whole number of seconds from 1 to 300");
}

/* One of the words of `choices`, a list that ends with NULL. */
static int store_choice(const char *text, void *field, struct conf_fault *fault,
                        const char *const choices[], const char *form)
{
    for (size_t i = 0; choices[i] != NULL; i++)
        if (strcmp(text, choices[i]) == 0)
            return store_text(text, field);
    return fail(fault, 0, "unknown value", form);
}

static int parse_fsync(const char *text, void *field, struct conf_fault *fault)
{
    static const char *const choices[] = {"each", "batch", "no", NULL};
    return store_choice(text, field, fault, choices, "write each, batch or no");
}

static int parse_http_format(const char *text, void *field, struct conf_fault *fault)
{
    static const char *const choices[] = {"json", "bulk", "splunk", NULL};
    return store_choice(text, field, fault, choices, "write json, bulk or splunk");
}

static int parse_url(const char *text, void *field, struct conf_fault *fault)
{
    static const char *const form = "start with http:// or https://";
    if (*text != '\0' && strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0)
        return fail(fault, 0, "not a URL", form);
    return store_text(text, field);
}

static int parse_path_or_none(const char *text, void *field, struct conf_fault *fault)
{
    return *text == '\0' ? store_text(text, field) : parse_path(text, field, fault);
}

static int parse_text(const char *text, void *field, struct conf_fault *fault)
{
    (void)fault;
    return store_text(text, field);
}

/* Words with blanks or commas between. */
static int parse_transport(const char *text, void *field, struct conf_fault *fault)
{
    static const char *const form = "write none, or some of file, syslog, http and kafka";
    unsigned seen = 0;
    size_t count = 0;
    for (const char *at = text + strspn(text, " \t,"); *at != '\0'; count++) {
        size_t length = strcspn(at, " \t,");
        int which = conf_transport_index(at, length);
        if (which < 0)
            return fail(fault, (size_t)(at - text), "unknown transport", form);
        if (seen & 1u << which)
            return fail(fault, (size_t)(at - text), "a transport twice", "write it once");
        seen |= 1u << which;
        at += length + strspn(at + length, " \t,");
    }
    if (count == 0)
        return fail(fault, 0, "no transport", form);
    if (count > 1 && seen & 1u << conf_transport_index("none", 4))
        return fail(fault, 0, "none beside other transports", form);
    return store_text(text, field);
}

/* As parse_path; an empty text is none. */
static int parse_optional_path(const char *text, void *field, struct conf_fault *fault)
{
    return text[0] == '\0' ? store_text(text, field) : parse_path(text, field, fault);
}

/* The index of one of the words of `choices`, a list that ends with NULL. */
static int store_index(const char *text, void *field, const char *const choices[])
{
    for (uint32_t i = 0; choices[i] != NULL; i++) {
        if (strcmp(text, choices[i]) == 0) {
            *(uint32_t *)field = i;
            return 0;
        }
    }
    return -EINVAL;
}

static const char *const startups[] = {"none", "static", "all", NULL}; /* by enum conf_startup */

static int parse_startup(const char *text, void *field, struct conf_fault *fault)
{
    if (store_index(text, field, startups) == 0)
        return 0;
    return fail(fault, 0, "unknown kind of programs", "write none, static or all");
}

static void print_startup(const void *field, char *text, size_t size)
{
    snprintf(text, size, "%s", startups[*(const uint32_t *)field]);
}

static const char *const mounts[] = {"auto", "yes", "no", NULL}; /* by enum conf_mount */

static int parse_mount(const char *text, void *field, struct conf_fault *fault)
{
    if (store_index(text, field, mounts) == 0)
        return 0;
    return fail(fault, 0, "neither yes nor no", "write auto, yes or no");
}

static void print_mount(const void *field, char *text, size_t size)
{
    snprintf(text, size, "%s", mounts[*(const uint32_t *)field]);
}

/* By enum policy_command_line. */
static const char *const command_lines[] = {"yes", "program", "no", NULL};

static int parse_command_line(const char *text, void *field, struct conf_fault *fault)
{
    if (store_index(text, field, command_lines) == 0)
        return 0;
    return fail(fault, 0, "unknown value", "write yes, program or no");
}

static void print_command_line(const void *field, char *text, size_t size)
{
    snprintf(text, size, "%s", command_lines[*(const uint32_t *)field]);
}

#define FIELD(name) offsetof(struct conf, name)

const struct conf_key conf_keys[CONF_KEYS] = {
    {"site", "cluster", FIELD(cluster), "", parse_name, print_text},
    {"site", "syshost", FIELD(syshost), "", parse_name, print_text},
    {"spool", "dir", FIELD(spool), DEFAULT_SPOOL, parse_spool, print_text},
    {"spool", "ledger_size", FIELD(ledger_bytes), DEFAULT_LEDGER_SIZE, parse_size, print_size},
    {"spool", "mount", FIELD(mount), "auto", parse_mount, print_mount},
    {"spool", "sessions", FIELD(sessions), DEFAULT_SESSIONS, parse_path_or_none, print_text},
    {"preload", "library", FIELD(library), DEFAULT_LIBRARY, parse_library, print_text},
    {"hooks", "dir", FIELD(hooks), DEFAULT_HOOKS, parse_hooks, print_text},
    {"hooks", "standard_library", FIELD(standard_library), "no", parse_yes_no, print_yes_no},
    {"submit", "program", FIELD(submit), DEFAULT_SUBMIT, parse_path, print_text},
    {"submit", "state", FIELD(state), DEFAULT_STATE, parse_path, print_text},
    {"submit", "epilog_timeout", FIELD(epilog_timeout_s), DEFAULT_EPILOG_TIMEOUT, parse_seconds,
     print_number},
    {"submit", "job_timeout", FIELD(job_timeout_s), "300", parse_seconds, print_number},
    {"submit", "job_cpu", FIELD(job_cpu_s), "120", parse_job_cpu, print_number},
    {"submit", "hash_file_size", FIELD(hash_file_bytes), "4G", parse_hash_size, print_size},
    {"submit", "hash_file_time", FIELD(hash_file_s), "20", parse_seconds, print_number},
    {"submit", "hash_job_size", FIELD(hash_job_bytes), "64G", parse_hash_size, print_size},
    {"submit", "hash_job_time", FIELD(hash_job_s), "60", parse_seconds, print_number},
    {"submit", "hash_objects", FIELD(hash_objects), DEFAULT_HASH_OBJECTS, parse_yes_no,
     print_yes_no},
    {"submit", "coverage", FIELD(coverage), "yes", parse_yes_no, print_yes_no},
    {"transport", "use", FIELD(transport), DEFAULT_TRANSPORT, parse_transport, print_text},
    {"outbox", "size", FIELD(outbox_bytes), "256M", parse_size, print_size},
    {"outbox", "job_share", FIELD(outbox_job_share), "25", parse_share, print_number},
    {"outbox", "user_share", FIELD(outbox_user_share), "50", parse_share, print_number},
    {"signature", "key_file", FIELD(key_file), "", parse_path_or_none, print_text},
    {"file", "dir", FIELD(file_dir), DEFAULT_FILE_DIR, parse_path, print_text},
    {"file", "subdirectories", FIELD(file_subdirectories), "0", parse_subdirectories, print_number},
    {"file", "separate", FIELD(file_separate), "no", parse_yes_no, print_yes_no},
    {"file", "fsync", FIELD(file_fsync), "batch", parse_fsync, print_text},
    {"syslog", "socket", FIELD(syslog_socket), "/dev/log", parse_path, print_text},
    {"syslog", "block_size", FIELD(syslog_block_bytes), "512", parse_block_size, print_number},
    {"http", "url", FIELD(http_url), "", parse_url, print_text},
    {"http", "format", FIELD(http_format), "json", parse_http_format, print_text},
    {"http", "batch", FIELD(http_batch), "100", parse_http_batch, print_number},
    {"http", "gzip", FIELD(http_gzip), "no", parse_yes_no, print_yes_no},
    {"http", "ca", FIELD(http_ca), "", parse_path_or_none, print_text},
    {"http", "token_file", FIELD(http_token_file), "", parse_path_or_none, print_text},
    {"http", "ack", FIELD(http_ack), "no", parse_yes_no, print_yes_no},
    {"http", "timeout", FIELD(http_timeout_s), "10", parse_http_timeout, print_number},
    {"kafka", "brokers", FIELD(kafka_brokers), "", parse_text, print_text},
    {"kafka", "topic", FIELD(kafka_topic), "jobtrail", parse_name, print_text},
    {"kafka", "properties", FIELD(kafka_properties), "", parse_path_or_none, print_text},
    {"link", "tracking", FIELD(track_links), "yes", parse_yes_no, print_yes_no},
    {"link", "function_tracking", FIELD(track_functions), "yes", parse_yes_no, print_yes_no},
    {"link", "modules", FIELD(link_modules), "", parse_optional_path, print_text},
    {"link", "hash_objects", FIELD(hash_inputs), "no", parse_yes_no, print_yes_no},
    {"link", "startup_object", FIELD(link_startup), "static", parse_startup, print_startup},
    {"tracking", "enabled", FIELD(enabled), "yes", parse_yes_no, print_yes_no},
    {"tracking", "opt_out", FIELD(opt_out), "no", parse_yes_no, print_yes_no},
    {"tracking", "scalar", FIELD(track_scalar), "yes", parse_yes_no, print_yes_no},
    {"tracking", "mpi", FIELD(track_mpi), "yes", parse_yes_no, print_yes_no},
    {"tracking", "gpu", FIELD(track_gpu), "yes", parse_yes_no, print_yes_no},
    {"tracking", "signal_handler", FIELD(catch_signals), "no", parse_yes_no, print_yes_no},
    {"tracking", "command_line", FIELD(command_line), "yes", parse_command_line,
     print_command_line},
    {"tracking", "redact_default", FIELD(redact_default), "yes", parse_yes_no, print_yes_no},
    {"sampling", "enabled", FIELD(sample), "no", parse_yes_no, print_yes_no},
    {"sampling", "always_ranks", FIELD(always_ranks), "128", parse_ranks, print_number},
};

int conf_key_find(const char *section, const char *name)
{
    for (int i = 0; i < CONF_KEYS; i++)
        if (strcmp(conf_keys[i].section, section) == 0 && strcmp(conf_keys[i].name, name) == 0)
            return i;
    return -1;
}

int conf_key_set(const struct conf_key *key, struct conf *conf, const char *text,
                 struct conf_fault *fault)
{
    return key->parse(text, (char *)conf + key->offset, fault);
}

void conf_key_print(const struct conf_key *key, const struct conf *conf, char *text, size_t size)
{
    key->print((const char *)conf + key->offset, text, size);
}

int conf_keys_default(struct conf *conf, const struct conf_key **key, struct conf_fault *fault)
{
    for (int i = 0; i < CONF_KEYS; i++) {
        int rc = conf_key_set(&conf_keys[i], conf, conf_keys[i].standard, fault);
        if (rc != 0) {
            *key = &conf_keys[i];
            return rc;
        }
    }
    return 0;
}

void conf_keys_free(struct conf *conf)
{
    for (int i = 0; i < CONF_KEYS; i++)
        if (conf_keys[i].print == print_text)
            free(*(char **)((char *)conf + conf_keys[i].offset));
}
