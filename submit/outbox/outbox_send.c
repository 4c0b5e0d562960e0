/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/outbox_send.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/text.h"
#include "conf/conf_transport.h"
#include "conf/secret_file.h"
#include "submit/definition/record_signature.h"
#include "submit/outbox/outbox.h"
#include "submit/outbox/outbox_batch.h"
#include "submit/outbox/outbox_quarantine.h"
#include "submit/outbox/transport.h"

/* Batches that are sent together: small ones of many jobs share a request. */
enum { GROUP_BATCHES = 64, GROUP_RECORDS = 1024 };

struct sender {
    const struct conf *conf;
    const struct outbox_send_options *options;
    const struct transport *transport;
    void *state;
    const char *name; /* of the transport */
    int directory;
    struct outbox_quarantine *quarantine; /* owned */
    struct signature_key *key;            /* owned; NULL: records are not signed */
    struct transport_trouble trouble;
    struct outbox_sent *sent;
};

struct batch_group {
    const char *name[GROUP_BATCHES];
    struct outbox_batch batch[GROUP_BATCHES];
    size_t count, records;
};

static void tell_of_transport(const struct sender *sender, const char *what)
{
    fprintf(stderr, "jobtrail-submit: transport %s: %s\n", sender->name, what);
}

/* Waits for another sender until the deadline. */
static int lock_transport(int directory, uint64_t deadline_ns)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    int fd = openat(directory, OUTBOX_LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || clock_left_ms(deadline_ns) == 0) {
            int error = errno == EWOULDBLOCK ? -EAGAIN : -errno;
            close(fd);
            return error;
        }
        nanosleep(&pause, NULL);
    }
    return fd;
}

/* A batch that is none goes to the quarantine as a whole. */
static int set_batch_aside(const struct sender *sender, const char *name, int error)
{
    char reason[128];
    snprintf(reason, sizeof reason, "not a batch of the outbox: %s", strerror(-error));
    int result = outbox_quarantine_move(sender->quarantine, sender->directory, name, reason);
    sender->sent->damaged += result == 0;
    return result;
}

static int set_damage_aside(const struct sender *sender, const char *name,
                            const struct outbox_batch *batch)
{
    int error = 0;
    for (size_t i = 0; i < batch->damage_count && error == 0; i++) {
        char line[OUTBOX_BATCH_NAME_MAX + 32];
        snprintf(line, sizeof line, "%s.line-%zu", name, i + 1);
        error = outbox_quarantine_keep(
            sender->quarantine, line, batch->damage[i].at, batch->damage[i].length,
            "damaged line in a batch of the outbox: its CRC does not fit");
        sender->sent->damaged += error == 0;
    }
    return error;
}

static int set_refused_aside(const struct sender *sender, const struct outbox_batch *batch)
{
    int error = 0;
    for (size_t i = 0; i < batch->count && error == 0; i++) {
        struct transport_item *item = &batch->item[i];
        sender->sent->accepted += item->outcome == TRANSPORT_ACCEPTED;
        if (item->outcome != TRANSPORT_REFUSED)
            continue;
        text_make_printable(item->why);
        tell_of_transport(sender, item->why);
        error = outbox_quarantine_keep(sender->quarantine, item->record.name, item->record.text,
                                       item->record.length, item->why);
        sender->sent->refused += error == 0;
    }
    return error;
}

static int settle_group(const struct sender *sender, struct batch_group *group)
{
    int error = 0;
    for (size_t i = 0; i < group->count; i++) {
        int one = set_damage_aside(sender, group->name[i], &group->batch[i]);
        if (one == 0)
            one = set_refused_aside(sender, &group->batch[i]);
        if (one == 0)
            one = outbox_batch_settle(sender->directory, group->name[i], &group->batch[i]);
        if (error == 0)
            error = one;
        outbox_batch_free(&group->batch[i]);
    }
    return error;
}

/* All items of the group in one array, and back. */
static int send_group(struct sender *sender, struct batch_group *group)
{
    struct transport_item *items = calloc(group->records + 1, sizeof *items);
    size_t at = 0;
    if (items == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < group->count; i++) {
        memcpy(items + at, group->batch[i].item, group->batch[i].count * sizeof *items);
        at += group->batch[i].count;
    }
    int error = at == 0 ? 0
                        : sender->transport->send(sender->state, items, at,
                                                  sender->options->deadline_ns, &sender->trouble);
    for (size_t i = 0, from = 0; i < group->count; from += group->batch[i++].count)
        memcpy(group->batch[i].item, items + from, group->batch[i].count * sizeof *items);
    free(items);
    return error;
}

static int flush_group(struct sender *sender, struct batch_group *group)
{
    int error = group->count == 0 ? 0 : send_group(sender, group);
    int settled = settle_group(sender, group);
    if (settled != 0)
        snprintf(sender->trouble.text, sizeof sender->trouble.text, "the outbox: %s",
                 strerror(-settled));
    *group = (struct batch_group){.count = 0};
    return error != 0 ? error : settled;
}

static int add_batch(struct sender *sender, struct batch_group *group, const char *name)
{
    struct outbox_batch *batch = &group->batch[group->count];
    int error = outbox_batch_read(sender->directory, name, batch);
    if (error == -ENOENT)
        return 0;
    if (error == -EFBIG || error == -EINVAL || error == -ELOOP)
        return set_batch_aside(sender, name, error);
    if (error != 0)
        return error;
    error = sender->key == NULL ? 0 : outbox_batch_sign(batch, sender->key);
    if (error != 0) {
        snprintf(sender->trouble.text, sizeof sender->trouble.text, "records cannot be signed: %s",
                 strerror(-error));
        outbox_batch_free(batch);
        return error;
    }
    group->name[group->count++] = name;
    group->records += batch->count;
    return group->count == GROUP_BATCHES || group->records >= GROUP_RECORDS
               ? flush_group(sender, group)
               : 0;
}

static int send_batches(struct sender *sender, const struct outbox_batches *batches)
{
    struct batch_group group = {.count = 0};
    int error = 0;
    for (size_t i = 0; i < batches->count && error == 0; i++) {
        if (clock_left_ms(sender->options->deadline_ns) == 0)
            error = -ETIMEDOUT;
        else
            error = add_batch(sender, &group, batches->name[i]);
    }
    int last = flush_group(sender, &group);
    return error != 0 ? error : last;
}

/* Until nothing is left, with the transport open. */
static int send_all(struct sender *sender, struct outbox_batches *batches)
{
    int error = 0;
    while (batches->count > 0 && error == 0) {
        error = send_batches(sender, batches);
        outbox_batches_free(batches);
        if (error == 0)
            error = outbox_batches_list(sender->directory, batches);
    }
    return error;
}

/* A site that has its records signed wants none of them to leave without: without the key all wait,
 * as they do without the token of a collector. */
static int read_key(struct sender *sender)
{
    const char *path = sender->conf->key_file;
    int error = path[0] == '\0' ? 0 : signature_key_read(path, &sender->key);
    if (error != 0)
        snprintf(sender->trouble.text, sizeof sender->trouble.text, "key file %.120s: %s", path,
                 key_file_trouble(error));
    return error;
}

/* Opens the transport and sends. A result of 0 means that nothing is left. */
static int open_and_send(struct sender *sender, struct outbox_batches *batches)
{
    int error = read_key(sender);
    if (error != 0)
        return error;
    sender->transport = transport_find(sender->name, &sender->trouble);
    error = sender->transport == NULL
                ? -ENOENT
                : sender->transport->open(sender->conf, &sender->state, &sender->trouble);
    if (error == 0) {
        error = send_all(sender, batches);
        sender->transport->close(sender->state);
    }
    signature_key_free(sender->key);
    return error;
}

/* With the lock held. */
static int send_locked(struct sender *sender)
{
    struct outbox_backoff backoff;
    struct outbox_batches batches;
    outbox_backoff_read(sender->directory, &backoff);
    int error = outbox_batches_list(sender->directory, &batches);
    if (error != 0)
        return error;
    if (batches.count > 0 && outbox_backoff_holds(&backoff) && !sender->options->at_once) {
        outbox_batches_free(&batches);
        return -EAGAIN;
    }
    if (batches.count == 0)
        return 0;
    uint64_t accepted = sender->sent->accepted;
    error = open_and_send(sender, &batches);
    outbox_batches_free(&batches);
    int late = error == -ETIMEDOUT && clock_left_ms(sender->options->deadline_ns) == 0 &&
               sender->sent->accepted > accepted;
    if (error == 0 || late) { /* it works, there was but no time for all */
        unlinkat(sender->directory, OUTBOX_BACKOFF, 0);
        return late ? -EAGAIN : 0;
    }
    if (sender->trouble.text[0] == '\0')
        snprintf(sender->trouble.text, sizeof sender->trouble.text, "%s", strerror(-error));
    text_make_printable(sender->trouble.text);
    tell_of_transport(sender, sender->trouble.text);
    outbox_backoff_extend(sender->directory, &backoff, &sender->trouble);
    return error;
}

static int send_quarantining(struct sender *sender)
{
    sender->quarantine = outbox_quarantine_new(sender->conf, sender->name);
    if (sender->quarantine == NULL)
        return -ENOMEM;
    int error = send_locked(sender);
    uint64_t lost = outbox_quarantine_overflowed(sender->quarantine);
    if (lost > 0)
        fprintf(stderr,
                "jobtrail-submit: transport %s: %" PRIu64
                " refused or damaged records are lost: %s/quarantine/outbox/%s is full\n",
                sender->name, lost, sender->conf->state, sender->name);
    outbox_quarantine_close(sender->quarantine);
    return error;
}

static int send_by(struct sender *sender, int outbox)
{
    sender->directory = directory_open(outbox, sender->name);
    if (sender->directory < 0)
        return sender->directory == -ENOENT ? 0 : sender->directory;
    CLEANUP_CLOSE int directory = sender->directory;
    CLEANUP_CLOSE int locked = lock_transport(directory, sender->options->deadline_ns);
    return locked < 0 ? locked : send_quarantining(sender);
}

int outbox_send(const struct conf *conf, const struct outbox_send_options *options,
                struct outbox_sent *sent)
{
    *sent = (struct outbox_sent){0};
    CLEANUP_CLOSE int outbox = outbox_directory(conf);
    if (outbox < 0)
        return outbox == -ENOENT ? 0 : outbox;
    for (size_t i = 0; i < CONF_TRANSPORTS; i++) {
        struct sender sender = {
            .conf = conf, .options = options, .name = conf_transports[i].name, .sent = sent};
        if (!conf_uses_transport(conf, sender.name) ||
            (options->transport != NULL && strcmp(options->transport, sender.name) != 0))
            continue;
        sent->waiting += send_by(&sender, outbox) != 0;
    }
    return 0;
}

int outbox_ask(const struct conf *conf, const char *name, unsigned timeout_ms,
               struct transport_trouble *trouble)
{
    void *state;
    *trouble = (struct transport_trouble){.text = ""};
    const struct transport *transport = transport_find(name, trouble);
    int error = transport == NULL ? -ENOENT : transport->open(conf, &state, trouble);
    if (error == 0) {
        error = transport->ask(state, clock_deadline(timeout_ms), trouble);
        transport->close(state);
    }
    if (error != 0 && trouble->text[0] == '\0')
        snprintf(trouble->text, sizeof trouble->text, "%s", strerror(-error));
    text_make_printable(trouble->text);
    return error;
}

/* ---- What waits ------------------------------------------------------------------------------ */

static void count_batch(int directory, const char *name, struct outbox_waiting *waiting)
{
    struct stat status;
    struct outbox_batch batch;
    uint64_t when = outbox_batch_time(name);
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

int outbox_waiting_read(const struct conf *conf, int outbox, const char *name,
                        struct outbox_waiting *waiting)
{
    struct outbox_batches batches;
    *waiting = (struct outbox_waiting){.name = name,
                                       .is_configured = conf_uses_transport(conf, name),
                                       .lost = outbox_quarantine_overflow_read(conf, name)};
    CLEANUP_CLOSE int directory = outbox < 0 ? -ENOENT : directory_open(outbox, name);
    if (directory < 0)
        return directory == -ENOENT ? 0 : directory;
    outbox_backoff_read(directory, &waiting->backoff);
    int error = outbox_batches_list(directory, &batches);
    if (error != 0)
        return error;
    for (size_t i = 0; i < batches.count; i++)
        count_batch(directory, batches.name[i], waiting);
    outbox_batches_free(&batches);
    return 0;
}
