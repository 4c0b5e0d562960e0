/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records as messages of a Kafka topic, by librdkafka: the key is the run's uuid, so that start,
 * end and packages of a run stay in order in one partition; the header `kind` says what it is. A
 * module.
 */
#include <errno.h>
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/clocks.h"
#include "submit/outbox/kafka_properties.h"
#include "submit/outbox/transport.h"

struct kafka_state {
    const struct conf *conf;
    rd_kafka_t *producer;
};

/* About the record itself: no later try will do. */
static int refuses(rd_kafka_resp_err_t error)
{
    return error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
           error == RD_KAFKA_RESP_ERR_INVALID_MSG || error == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE ||
           error == RD_KAFKA_RESP_ERR_INVALID_RECORD;
}

static void set_outcome(struct transport_item *item, rd_kafka_resp_err_t error)
{
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
        item->outcome = TRANSPORT_ACCEPTED;
    } else if (refuses(error)) {
        item->outcome = TRANSPORT_REFUSED;
        snprintf(item->why, sizeof item->why, "%s", rd_kafka_err2str(error));
    }
}

static void delivered(rd_kafka_t *producer, const rd_kafka_message_t *message, void *context)
{
    (void)producer;
    (void)context;
    set_outcome(message->_private, message->err);
}

static int set(void *settings, const char *name, const char *value, char why[KAFKA_WHY_SIZE])
{
    return rd_kafka_conf_set(settings, name, value, why, KAFKA_WHY_SIZE) == RD_KAFKA_CONF_OK
               ? 0
               : -EINVAL;
}

/* With the properties that the site has given. */
static int check_secrecy(rd_kafka_conf_t *settings, char why[KAFKA_WHY_SIZE])
{
    char protocol[32] = "", mechanism[32] = "", brokers[4096] = "";
    size_t size[] = {sizeof protocol, sizeof mechanism, sizeof brokers};
    rd_kafka_conf_get(settings, "security.protocol", protocol, &size[0]);
    rd_kafka_conf_get(settings, "sasl.mechanisms", mechanism, &size[1]);
    rd_kafka_conf_get(settings, "metadata.broker.list", brokers, &size[2]);
    if (!kafka_tells_secret(protocol, mechanism, brokers))
        return 0;
    snprintf(why, KAFKA_WHY_SIZE,
             "a password or token would be sent in clear text: write security.protocol = sasl_ssl");
    return -EPERM;
}

/* librdkafka would print on stderr. */
static void be_silent(const rd_kafka_t *producer, int level, const char *facility, const char *text)
{
    (void)producer;
    (void)level;
    (void)facility;
    (void)text;
}

static int configure(const struct conf *conf, rd_kafka_conf_t *settings,
                     struct transport_trouble *trouble)
{
    char why[KAFKA_WHY_SIZE] = "";
    const struct kafka_setter setter = {set, settings};
    rd_kafka_conf_set_dr_msg_cb(settings, delivered);
    rd_kafka_conf_set_log_cb(settings, be_silent);
    int error = set(settings, "bootstrap.servers", conf->kafka_brokers, why);
    if (error == 0)
        error = set(settings, "enable.idempotence", "true", why);
    if (error == 0)
        error = set(settings, "client.id", "jobtrail", why);
    if (error == 0 && conf->kafka_properties[0] != '\0')
        error = kafka_properties_read(conf->kafka_properties, &setter, why);
    if (error == 0)
        error = check_secrecy(settings, why);
    if (error != 0)
        snprintf(trouble->text, sizeof trouble->text, "%s", why);
    return error;
}

static int kafka_open(const struct conf *conf, void **state, struct transport_trouble *trouble)
{
    char reason[200] = "";
    struct kafka_state *opened = malloc(sizeof *opened);
    rd_kafka_conf_t *settings = rd_kafka_conf_new();
    int error = opened == NULL ? -ENOMEM : configure(conf, settings, trouble);
    rd_kafka_t *producer =
        error != 0 ? NULL : rd_kafka_new(RD_KAFKA_PRODUCER, settings, reason, sizeof reason);
    if (producer == NULL) {
        if (reason[0] != '\0')
            snprintf(trouble->text, sizeof trouble->text, "%s", reason);
        rd_kafka_conf_destroy(settings);
        free(opened);
        return error != 0 ? error : -EINVAL;
    }
    *opened = (struct kafka_state){.conf = conf, .producer = producer};
    *state = opened;
    return 0;
}

static rd_kafka_resp_err_t produce(const struct kafka_state *state, struct transport_item *item)
{
    const struct record_view *record = &item->record;
    const char *key = record->uuid == NULL ? record->name : record->uuid;
    size_t key_length = record->uuid == NULL ? strlen(record->name) : RECORD_UUID_SIZE - 1;
    return rd_kafka_producev(
        state->producer, RD_KAFKA_V_TOPIC(state->conf->kafka_topic),
        RD_KAFKA_V_KEY(key, key_length), RD_KAFKA_V_VALUE((void *)record->text, record->length),
        RD_KAFKA_V_HEADER("kind", record->kind_word.at, (ssize_t)record->kind_word.length),
        RD_KAFKA_V_OPAQUE(item),
        /* copied: an answer may come when the caller has gone on */
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
}

/* A full queue is emptied first. */
static rd_kafka_resp_err_t produce_in_time(const struct kafka_state *state,
                                           struct transport_item *item, uint64_t deadline_ns)
{
    rd_kafka_resp_err_t error;
    while ((error = produce(state, item)) == RD_KAFKA_RESP_ERR__QUEUE_FULL &&
           clock_left_ms(deadline_ns) > 0)
        rd_kafka_poll(state->producer, 10);
    return error;
}

/* What is not delivered in time must not be delivered behind the caller's back: it is purged, and
 * its items stay pending. */
static void finish_delivery(const struct kafka_state *state, uint64_t deadline_ns)
{
    if (rd_kafka_flush(state->producer, (int)clock_left_ms(deadline_ns)) ==
        RD_KAFKA_RESP_ERR_NO_ERROR)
        return;
    rd_kafka_purge(state->producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    rd_kafka_flush(state->producer, 1000);
}

static int kafka_send(void *context, struct transport_item *items, size_t count,
                      uint64_t deadline_ns, struct transport_trouble *trouble)
{
    const struct kafka_state *state = context;
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
    uint64_t soon = clock_deadline(30000);
    if (deadline_ns > soon)
        deadline_ns = soon;
    for (size_t i = 0; i < count; i++) {
        if (items[i].outcome != TRANSPORT_PENDING)
            continue;
        error = produce_in_time(state, &items[i], deadline_ns);
        if (refuses(error))
            set_outcome(&items[i], error);
        else if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
            break;
    }
    finish_delivery(state, deadline_ns);
    for (size_t i = 0; i < count; i++) {
        if (items[i].outcome != TRANSPORT_PENDING)
            continue;
        snprintf(trouble->text, sizeof trouble->text, "%.120s: %s", state->conf->kafka_brokers,
                 error != RD_KAFKA_RESP_ERR_NO_ERROR ? rd_kafka_err2str(error)
                                                     : "no receipt in time");
        return -EAGAIN;
    }
    return 0;
}

/* Brokers that make topics by themselves say of a new one that it has no leader yet. */
static int kafka_ask(void *context, uint64_t deadline_ns, struct transport_trouble *trouble)
{
    const struct kafka_state *state = context;
    const struct rd_kafka_metadata *metadata = NULL;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(state->producer, state->conf->kafka_topic, NULL);
    rd_kafka_resp_err_t error = topic == NULL
                                    ? rd_kafka_last_error()
                                    : rd_kafka_metadata(state->producer, 0, topic, &metadata,
                                                        (int)clock_left_ms(deadline_ns));
    const char *what = state->conf->kafka_brokers;
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR && metadata->topic_cnt == 1 &&
        metadata->topics[0].err != RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE) {
        error = metadata->topics[0].err;
        what = state->conf->kafka_topic;
    }
    if (metadata != NULL)
        rd_kafka_metadata_destroy(metadata);
    if (topic != NULL)
        rd_kafka_topic_destroy(topic);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR)
        return 0;
    snprintf(trouble->text, sizeof trouble->text, "%.120s: %s", what, rd_kafka_err2str(error));
    return -EAGAIN;
}

static void kafka_close(void *context)
{
    struct kafka_state *state = context;
    rd_kafka_destroy(state->producer);
    free(state);
}

const struct transport jobtrail_transport = {"kafka", kafka_open, kafka_send, kafka_ask,
                                             kafka_close};
