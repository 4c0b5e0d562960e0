/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/conf_transport.h"
#include "submit/command/hand_on.h"
#include "submit/command/submit_command.h"
#include "submit/job/quarantine.h"
#include "submit/outbox/outbox.h"
#include "submit/outbox/outbox_backoff.h"
#include "submit/outbox/outbox_batch.h"
#include "submit/outbox/outbox_quarantine.h"
#include "submit/outbox/outbox_send.h"

/* For reading and writing beside what --timeout bounds. */
enum { HAND_ON_MORE_S = 60 };

static void add_number(struct json_object *table, const char *key, uint64_t value)
{
    json_object_object_add(table, key, json_object_new_uint64(value));
}

static void print_json(struct json_object *object)
{
    puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
    json_object_put(object);
}

static bool is_transport(const char *name)
{
    if (name == NULL || conf_transport_find(name, strlen(name)) != NULL)
        return true;
    fprintf(stderr, "jobtrail-submit: no transport: %s (%s are)\n", name, conf_transport_names());
    return false;
}

static enum submit_status outbox_unusable(int error)
{
    fprintf(stderr, "jobtrail-submit: outbox: %s\n", strerror(-error));
    return SUBMIT_UNUSABLE;
}

/* `at_once`: also to transports that have failed lately. */
static enum submit_status send_waiting(const struct submit_options *options, bool at_once)
{
    struct conf conf;
    struct outbox_sent sent;
    if (!is_transport(options->transport))
        return SUBMIT_USAGE;
    enum submit_status status = submit_conf_load(options, &conf);
    if (status != SUBMIT_OK)
        return status;
    const struct outbox_send_options how = {
        .deadline_ns = clock_deadline((uint64_t)options->timeout_s * 1000),
        .transport = options->transport,
        .at_once = at_once,
    };
    int error = outbox_send(&conf, &how, &sent);
    status =
        hand_on(options, &conf, HAND_ON_OUTBOX, options->timeout_s + HAND_ON_MORE_S, NULL, NULL);
    hand_on_note(options, &conf);
    conf_free(&conf);
    if (error != 0)
        return outbox_unusable(error);
    if (options->json) {
        struct json_object *object = json_object_new_object();
        add_number(object, "accepted", sent.accepted);
        add_number(object, "refused", sent.refused);
        add_number(object, "damaged", sent.damaged);
        add_number(object, "waiting", sent.waiting);
        print_json(object);
    } else {
        printf("accepted %" PRIu64 ", refused %" PRIu64 ", damaged %" PRIu64 ", waiting %" PRIu64
               "\n",
               sent.accepted, sent.refused, sent.damaged, sent.waiting);
    }
    return status == SUBMIT_OK && sent.waiting > 0 ? SUBMIT_SOME_WAIT : status;
}

enum submit_status command_send(const struct submit_options *options)
{
    return send_waiting(options, false);
}

enum submit_status command_outbox_retry(const struct submit_options *options)
{
    return send_waiting(options, true);
}

static void print_waiting(const struct outbox_waiting *waiting)
{
    char when[32] = "-";
    struct tm local;
    time_t oldest = (time_t)waiting->oldest_s;
    if (oldest != 0 && localtime_r(&oldest, &local) != NULL)
        strftime(when, sizeof when, "%FT%T", &local);
    printf("%-8s %8" PRIu64 " records  %10" PRIu64 " bytes  oldest %s%s", waiting->name,
           waiting->records, waiting->bytes, when,
           waiting->is_configured ? "" : "  (not configured)");
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

static struct json_object *waiting_json(const struct outbox_waiting *waiting)
{
    struct json_object *object = json_object_new_object();
    json_object_object_add(object, "transport", json_object_new_string(waiting->name));
    json_object_object_add(object, "configured", json_object_new_boolean(waiting->is_configured));
    add_number(object, "batches", waiting->batches);
    add_number(object, "records", waiting->records);
    add_number(object, "bytes", waiting->bytes);
    add_number(object, "oldest", waiting->oldest_s);
    add_number(object, "lost", waiting->lost);
    add_number(object, "failures", waiting->backoff.failures);
    add_number(object, "next_try", waiting->backoff.failures > 0 ? waiting->backoff.until_s : 0);
    json_object_object_add(object, "reason", json_object_new_string(waiting->backoff.reason));
    return object;
}

static enum submit_status list_waiting(const struct conf *conf,
                                       const struct submit_options *options, int outbox)
{
    struct json_object *all = json_object_new_object(), *array = json_object_new_array();
    enum submit_status status = SUBMIT_OK;
    for (size_t i = 0; i < CONF_TRANSPORTS; i++) {
        const char *name = conf_transports[i].name;
        struct outbox_waiting waiting;
        if (options->transport != NULL && strcmp(options->transport, name) != 0)
            continue;
        int error = outbox_waiting_read(conf, outbox, name, &waiting);
        if (error != 0)
            fprintf(stderr, "jobtrail-submit: %s: %s\n", name, strerror(-error));
        if (!waiting.is_configured && waiting.batches == 0)
            continue;
        if (waiting.batches > 0)
            status = SUBMIT_SOME_WAIT;
        json_object_array_add(array, waiting_json(&waiting));
        if (!options->json)
            print_waiting(&waiting);
    }
    uint64_t overflow = outbox < 0 ? 0 : overflow_read(outbox);
    json_object_object_add(all, "transports", array);
    add_number(all, "overflow", overflow);
    if (!options->json && overflow > 0)
        printf("%" PRIu64 " times records found no room so far, and wait in the spool\n", overflow);
    if (options->json)
        print_json(all);
    else
        json_object_put(all);
    return status;
}

enum submit_status command_outbox_ask(const struct submit_options *options)
{
    struct conf conf;
    if (!is_transport(options->transport))
        return SUBMIT_USAGE;
    enum submit_status status = submit_conf_load(options, &conf);
    if (status != SUBMIT_OK)
        return status;
    struct json_object *all = json_object_new_array();
    for (size_t i = 0; i < CONF_TRANSPORTS; i++) {
        const char *name = conf_transports[i].name;
        struct transport_trouble trouble;
        if (!conf_uses_transport(&conf, name) ||
            (options->transport != NULL && strcmp(options->transport, name) != 0))
            continue;
        int error = outbox_ask(&conf, name, options->timeout_s * 1000, &trouble);
        bool is_reached = error == 0;
        const char *reason = is_reached ? "" : trouble.text;
        struct json_object *one = json_object_new_object();
        json_object_object_add(one, "transport", json_object_new_string(name));
        json_object_object_add(one, "reached", json_object_new_boolean(is_reached));
        json_object_object_add(one, "answers",
                               json_object_new_boolean(is_reached || error == -EPROTO));
        json_object_object_add(one, "reason", json_object_new_string(reason));
        json_object_array_add(all, one);
        if (!options->json)
            printf("%-8s %s%s\n", name,
                   is_reached         ? "reached"
                   : error == -EPROTO ? ""
                                      : "not reached: ",
                   reason);
        if (!is_reached)
            status = SUBMIT_SOME_WAIT;
    }
    conf_free(&conf);
    if (options->json)
        print_json(all);
    else
        json_object_put(all);
    return status;
}

/* Waits for a process that sends, then removes the batches that were made before `before_s`. */
static int drop_batches(int outbox, const char *name, uint64_t before_s, uint64_t *dropped)
{
    struct outbox_batches batches;
    struct outbox_batch batch;
    CLEANUP_CLOSE int directory = directory_open(outbox, name);
    if (directory < 0)
        return directory == -ENOENT ? 0 : directory;
    CLEANUP_CLOSE int lock =
        openat(directory, OUTBOX_LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0 || flock(lock, LOCK_EX) != 0)
        return -errno;
    int error = outbox_batches_list(directory, &batches);
    if (error != 0)
        return error;
    for (size_t i = 0; error == 0 && i < batches.count; i++) {
        if (outbox_batch_time(batches.name[i]) >= before_s)
            continue;
        if (outbox_batch_read(directory, batches.name[i], &batch) == 0) {
            *dropped += batch.count;
            outbox_batch_free(&batch);
        }
        if (unlinkat(directory, batches.name[i], 0) != 0)
            error = -errno;
    }
    outbox_batches_free(&batches);
    return error;
}

static enum submit_status drop_waiting(const struct conf *conf,
                                       const struct submit_options *options, int outbox)
{
    (void)conf;
    uint64_t dropped = 0, now_s = (uint64_t)time(NULL);
    uint64_t before_s =
        options->older_days == 0 ? UINT64_MAX : now_s - (uint64_t)options->older_days * 86400;
    enum submit_status status = SUBMIT_OK;
    for (size_t i = 0; i < CONF_TRANSPORTS && outbox >= 0; i++) {
        const char *name = conf_transports[i].name;
        if (options->transport != NULL && strcmp(options->transport, name) != 0)
            continue;
        int error = drop_batches(outbox, name, before_s, &dropped);
        if (error == 0)
            continue;
        fprintf(stderr, "jobtrail-submit: %s: %s\n", name, strerror(-error));
        status = SUBMIT_UNUSABLE;
    }
    printf(options->json ? "{\"dropped\":%" PRIu64 "}\n" : "dropped %" PRIu64 " records\n",
           dropped);
    return status;
}

/* Runs `action` on the outbox's directory; -1: there is none yet. */
static enum submit_status with_outbox(const struct submit_options *options,
                                      enum submit_status (*action)(const struct conf *conf,
                                                                   const struct submit_options *,
                                                                   int outbox))
{
    struct conf conf;
    if (!is_transport(options->transport))
        return SUBMIT_USAGE;
    enum submit_status status = submit_conf_load(options, &conf);
    if (status != SUBMIT_OK)
        return status;
    CLEANUP_CLOSE int outbox = outbox_directory(&conf);
    enum submit_status others =
        hand_on(options, &conf, HAND_ON_OUTBOX, options->timeout_s + HAND_ON_MORE_S, NULL, NULL);
    status =
        outbox < 0 && outbox != -ENOENT ? outbox_unusable(outbox) : action(&conf, options, outbox);
    conf_free(&conf);
    return others > status ? others : status;
}

enum submit_status command_outbox_list(const struct submit_options *options)
{
    return with_outbox(options, list_waiting);
}

enum submit_status command_outbox_drop(const struct submit_options *options)
{
    if (options->all == (options->transport != NULL))
        return SUBMIT_USAGE;
    return with_outbox(options, drop_waiting);
}
