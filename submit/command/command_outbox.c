/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/command/command_outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/conf.h"
#include "conf/conf_transport.h"
#include "submit/job/overflow.h"
#include "submit/outbox/outbox.h"
#include "submit/outbox/outbox_backoff.h"
#include "submit/outbox/outbox_batch.h"
#include "submit/outbox/outbox_quarantine.h"
#include "submit/outbox/outbox_send.h"

enum { EXIT_SOME_WAIT = 1, EXIT_USAGE = 2, EXIT_UNUSABLE = 3, DEFAULT_TIMEOUT_S = 300 };

static const char usage[] =
    "Usage: jobtrail-submit send [--conf FILE] [--timeout SECONDS] [--json]\n"
    "       jobtrail-submit outbox list [--conf FILE] [--transport NAME] [--json]\n"
    "       jobtrail-submit outbox retry [--conf FILE] [--transport NAME] [--timeout SECONDS]\n"
    "                                    [--json]\n"
    "       jobtrail-submit outbox drop [--conf FILE] (--transport NAME | --all)\n"
    "                                   [--older-than DAYS] [--json]\n"
    "\n"
    "send    hands what lies in the outbox to the transports, but to one that has failed lately;\n"
    "        a timer runs it\n"
    "list    says what lies there for which transport, and how its last try went\n"
    "retry   as send, now, whether a transport has failed lately or not\n"
    "drop    removes records that wait for a transport, for good\n"
    "\n"
    "  --conf FILE          the configuration (default " JOBTRAIL_CONF ")\n"
    "  --transport NAME     only of this transport\n"
    "  --all                of all transports\n"
    "  --older-than DAYS    only what has waited longer\n"
    "  --timeout SECONDS    how long to send, 1 to 86400 (default 300)\n"
    "  --json               print JSON\n"
    "  --help\n"
    "\n"
    "Exit status: 0 all done; 1 records still wait; 2 usage; 3 configuration or outbox cannot be\n"
    "used.\n";

struct arguments {
    const char *conf, *transport;
    uint64_t older_days, timeout_s;
    int all, json;
};

/* What lies there for one transport. */
struct waiting {
    const char *name;
    int configured;
    uint64_t batches, records, bytes, oldest_s; /* oldest_s: since the Epoch, 0: none */
    uint64_t lost; /* refused or damaged, and no room in the quarantine, so far */
    struct outbox_backoff backoff;
};

static int parse_number(const char *text, uint64_t most, uint64_t *number)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || value > most) {
        fprintf(stderr, "jobtrail-submit: not a number up to %" PRIu64 ": %s\n", most, text);
        return -EINVAL;
    }
    *number = value;
    return 0;
}

static int check_transport(const char *name)
{
    if (strcmp(name, "none") != 0 && conf_transport_index(name, strlen(name)) >= 0)
        return 0;
    fprintf(stderr, "jobtrail-submit: no transport: %s (file, syslog, http and kafka are)\n", name);
    return -EINVAL;
}

/* Returns 0 to go on, or what to exit with, plus 1. */
static int parse(int argc, char *argv[], struct arguments *arguments)
{
    static const struct option options[] = {
        {"conf", required_argument, NULL, 'c'},    {"transport", required_argument, NULL, 't'},
        {"all", no_argument, NULL, 'a'},           {"older-than", required_argument, NULL, 'o'},
        {"timeout", required_argument, NULL, 'T'}, {"json", no_argument, NULL, 'J'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
    };
    int option, result = 0;
    while (result == 0 && (option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            arguments->conf = optarg;
            break;
        case 't':
            arguments->transport = optarg;
            result = check_transport(optarg);
            break;
        case 'a':
            arguments->all = 1;
            break;
        case 'o':
            result = parse_number(optarg, 100000, &arguments->older_days);
            break;
        case 'T':
            result = parse_number(optarg, 86400, &arguments->timeout_s);
            break;
        case 'J':
            arguments->json = 1;
            break;
        case 'h':
            fputs(usage, stdout);
            return 1;
        default:
            fputs("Try 'jobtrail-submit outbox --help'.\n", stderr);
            return EXIT_USAGE + 1;
        }
    }
    return result == 0 && arguments->timeout_s > 0 ? 0 : EXIT_USAGE + 1;
}

static void add(struct json_object *table, const char *key, uint64_t value)
{
    json_object_object_add(table, key, json_object_new_uint64(value));
}

static int print_json(struct json_object *object)
{
    puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
    json_object_put(object);
    return 0;
}

static int send_now(const struct conf *conf, const struct arguments *arguments, int at_once)
{
    struct outbox_sent sent;
    const struct outbox_send_options options = {
        .deadline_ns = transport_deadline(arguments->timeout_s * 1000),
        .transport = arguments->transport,
        .at_once = at_once,
    };
    int result = outbox_send(conf, &options, &sent);
    if (result != 0) {
        fprintf(stderr, "jobtrail-submit: outbox: %s\n", strerror(-result));
        return EXIT_UNUSABLE;
    }
    if (arguments->json) {
        struct json_object *object = json_object_new_object();
        add(object, "accepted", sent.accepted);
        add(object, "refused", sent.refused);
        add(object, "damaged", sent.damaged);
        add(object, "waiting", sent.waiting);
        print_json(object);
    } else {
        printf("accepted %" PRIu64 ", refused %" PRIu64 ", damaged %" PRIu64 ", waiting %" PRIu64
               "\n",
               sent.accepted, sent.refused, sent.damaged, sent.waiting);
    }
    return sent.waiting > 0 ? EXIT_SOME_WAIT : 0;
}

/* Seconds since the Epoch, out of a batch's name; 0 when it is none. */
static uint64_t batch_time(const char *name)
{
    char digits[12];
    snprintf(digits, sizeof digits, "%.11s", name);
    return strspn(digits, "0123456789") == 11 ? strtoull(digits, NULL, 10) : 0;
}

static void look_at_batch(int directory, const char *name, struct waiting *waiting)
{
    struct stat status;
    struct outbox_batch batch;
    uint64_t when = batch_time(name);
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    waiting->batches++;
    waiting->bytes += (uint64_t)status.st_size;
    if (when != 0 && (waiting->oldest_s == 0 || when < waiting->oldest_s))
        waiting->oldest_s = when;
    if (outbox_batch_read(directory, name, &batch) != 0)
        return;
    waiting->records += batch.count;
    outbox_batch_free(&batch);
}

/* Opens a transport's directory. Returns a descriptor or -errno. */
static int open_transport(int outbox, const char *name)
{
    int fd = openat(outbox, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return fd < 0 ? -errno : fd;
}

static int look_at(int outbox, struct waiting *waiting)
{
    struct outbox_batches batches;
    int directory = open_transport(outbox, waiting->name);
    if (directory < 0)
        return directory == -ENOENT ? 0 : directory;
    outbox_backoff_read(directory, &waiting->backoff);
    int result = outbox_batches_list(directory, &batches);
    for (size_t i = 0; result == 0 && i < batches.count; i++)
        look_at_batch(directory, batches.name[i], waiting);
    if (result == 0)
        outbox_batches_free(&batches);
    close(directory);
    return result;
}

static void print_waiting(const struct waiting *waiting)
{
    char when[32] = "-";
    struct tm local;
    time_t oldest = (time_t)waiting->oldest_s;
    if (oldest != 0 && localtime_r(&oldest, &local) != NULL)
        strftime(when, sizeof when, "%FT%T", &local);
    printf("%-8s %8" PRIu64 " records  %10" PRIu64 " bytes  oldest %s%s", waiting->name,
           waiting->records, waiting->bytes, when, waiting->configured ? "" : "  (not configured)");
    if (waiting->backoff.failures > 0)
        printf("  failed %u times, again in %" PRIu64 " s: %s", waiting->backoff.failures,
               outbox_backoff_holds(&waiting->backoff)
                   ? waiting->backoff.until_s - (uint64_t)time(NULL)
                   : 0,
               waiting->backoff.reason);
    if (waiting->lost > 0)
        printf("  %" PRIu64 " refused or damaged ones found no room in the quarantine so far",
               waiting->lost);
    putchar('\n');
}

static struct json_object *waiting_json(const struct waiting *waiting)
{
    struct json_object *object = json_object_new_object();
    json_object_object_add(object, "transport", json_object_new_string(waiting->name));
    json_object_object_add(object, "configured", json_object_new_boolean(waiting->configured));
    add(object, "batches", waiting->batches);
    add(object, "records", waiting->records);
    add(object, "bytes", waiting->bytes);
    add(object, "oldest", waiting->oldest_s);
    add(object, "lost", waiting->lost);
    add(object, "failures", waiting->backoff.failures);
    add(object, "next_try", waiting->backoff.failures > 0 ? waiting->backoff.until_s : 0);
    json_object_object_add(object, "reason", json_object_new_string(waiting->backoff.reason));
    return object;
}

static int list(const struct conf *conf, const struct arguments *arguments, int outbox)
{
    struct json_object *all = json_object_new_object(), *array = json_object_new_array();
    int status = 0;
    for (size_t i = 0; conf_transports[i] != NULL; i++) {
        struct waiting waiting = {.name = conf_transports[i],
                                  .configured = conf_uses_transport(conf, conf_transports[i])};
        if (strcmp(waiting.name, "none") == 0 ||
            (arguments->transport != NULL && strcmp(arguments->transport, waiting.name) != 0))
            continue;
        int result = outbox < 0 ? 0 : look_at(outbox, &waiting);
        if (result != 0)
            fprintf(stderr, "jobtrail-submit: %s: %s\n", waiting.name, strerror(-result));
        waiting.lost = outbox_quarantine_overflow_read(conf, waiting.name);
        if (!waiting.configured && waiting.batches == 0)
            continue;
        if (waiting.batches > 0)
            status = EXIT_SOME_WAIT;
        json_object_array_add(array, waiting_json(&waiting));
        if (!arguments->json)
            print_waiting(&waiting);
    }
    uint64_t overflow = outbox < 0 ? 0 : overflow_read(outbox);
    json_object_object_add(all, "transports", array);
    add(all, "overflow", overflow);
    if (!arguments->json && overflow > 0)
        printf("%" PRIu64 " times records found no room so far, and wait in the spool\n", overflow);
    if (arguments->json)
        print_json(all);
    else
        json_object_put(all);
    return status;
}

/* Removes the batches that were made before `before_s`. Whoever sends is waited for. */
static int drop_of(int outbox, const char *name, uint64_t before_s, uint64_t *dropped)
{
    struct outbox_batches batches;
    struct outbox_batch batch;
    int directory = open_transport(outbox, name);
    if (directory < 0)
        return directory == -ENOENT ? 0 : directory;
    int lock = openat(directory, OUTBOX_LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int result = lock < 0 || flock(lock, LOCK_EX) != 0 ? -errno : 0;
    if (result == 0)
        result = outbox_batches_list(directory, &batches);
    for (size_t i = 0; result == 0 && i < batches.count; i++) {
        if (batch_time(batches.name[i]) >= before_s)
            continue;
        if (outbox_batch_read(directory, batches.name[i], &batch) == 0) {
            *dropped += batch.count;
            outbox_batch_free(&batch);
        }
        if (unlinkat(directory, batches.name[i], 0) != 0)
            result = -errno;
    }
    if (result == 0)
        outbox_batches_free(&batches);
    if (lock >= 0)
        close(lock);
    close(directory);
    return result;
}

static int drop(const struct arguments *arguments, int outbox)
{
    uint64_t dropped = 0, now = (uint64_t)time(NULL);
    uint64_t before_s =
        arguments->older_days == 0 ? UINT64_MAX : now - arguments->older_days * 86400;
    int status = 0;
    for (size_t i = 0; conf_transports[i] != NULL && outbox >= 0; i++) {
        if (arguments->transport != NULL && strcmp(arguments->transport, conf_transports[i]) != 0)
            continue;
        int result = drop_of(outbox, conf_transports[i], before_s, &dropped);
        if (result == 0)
            continue;
        fprintf(stderr, "jobtrail-submit: %s: %s\n", conf_transports[i], strerror(-result));
        status = EXIT_UNUSABLE;
    }
    printf(arguments->json ? "{\"dropped\":%" PRIu64 "}\n" : "dropped %" PRIu64 " records\n",
           dropped);
    return status;
}

static int run(const char *command, const struct conf *conf, const struct arguments *arguments)
{
    if (strcmp(command, "send") == 0 || strcmp(command, "retry") == 0)
        return send_now(conf, arguments, strcmp(command, "retry") == 0);
    int outbox = outbox_directory(conf);
    if (outbox < 0 && outbox != -ENOENT) {
        fprintf(stderr, "jobtrail-submit: outbox: %s\n", strerror(-outbox));
        return EXIT_UNUSABLE;
    }
    int status =
        strcmp(command, "list") == 0 ? list(conf, arguments, outbox) : drop(arguments, outbox);
    if (outbox >= 0)
        close(outbox);
    return status;
}

int command_outbox_is(int argc, char *argv[])
{
    return argc > 1 && (strcmp(argv[1], "send") == 0 || strcmp(argv[1], "outbox") == 0);
}

/* "send", "list", "retry" or "drop"; NULL when it is none of these, or lacks what it needs. */
static const char *command_of(int argc, char *argv[], const struct arguments *arguments)
{
    const char *first = optind < argc ? argv[optind] : "", *command = first;
    int words = argc - optind;
    if (strcmp(first, "outbox") == 0)
        command = words == 2 ? argv[optind + 1] : "";
    else
        return words == 1 && strcmp(first, "send") == 0 ? first : NULL;
    int drops = strcmp(command, "drop") == 0;
    if (drops && (arguments->all != 0) == (arguments->transport != NULL))
        return NULL;
    return drops || strcmp(command, "list") == 0 || strcmp(command, "retry") == 0 ? command : NULL;
}

int command_outbox(int argc, char *argv[])
{
    struct arguments arguments = {.conf = JOBTRAIL_CONF, .timeout_s = DEFAULT_TIMEOUT_S};
    struct conf conf;
    struct conf_error error;
    char text[1024];
    int parsed = parse(argc, argv, &arguments);
    if (parsed != 0)
        return parsed - 1;
    const char *command = command_of(argc, argv, &arguments);
    if (command == NULL) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (conf_load_trusted(arguments.conf, &conf, &error) != 0) {
        conf_error_text(&error, text, sizeof text);
        fprintf(stderr, "jobtrail-submit: %s\n", text);
        return EXIT_UNUSABLE;
    }
    int status = run(command, &conf, &arguments);
    conf_free(&conf);
    return status;
}
