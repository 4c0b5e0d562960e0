// SPDX-License-Identifier: LGPL-2.1-or-later
// A Kafka cluster of three brokers, librdkafka's mock, in a process of its own, for tests:
//
//   kafka_collector DIR TOPIC
//
// Writes the brokers' addresses to DIR/brokers when it is ready, and appends "KIND KEY TEXT" of
// each message of the topic to DIR/taken.
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>

static rd_kafka_t *make(rd_kafka_type_t type, const char *brokers)
{
    char reason[256];
    rd_kafka_conf_t *settings = rd_kafka_conf_new();
    if (brokers != NULL)
        rd_kafka_conf_set(settings, "bootstrap.servers", brokers, reason, sizeof reason);
    if (type == RD_KAFKA_CONSUMER)
        rd_kafka_conf_set(settings, "group.id", "test", reason, sizeof reason);
    rd_kafka_conf_set(settings, "auto.offset.reset", "earliest", reason, sizeof reason);
    rd_kafka_t *client = rd_kafka_new(type, settings, reason, sizeof reason);
    if (client == NULL) {
        fprintf(stderr, "kafka_collector: %s\n", reason);
        exit(1);
    }
    return client;
}

static FILE *open_in(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "ae");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

static void take(FILE *taken, const rd_kafka_message_t *message)
{
    rd_kafka_headers_t *headers;
    const void *kind = "?";
    size_t size = 1;
    if (rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR)
        rd_kafka_header_get_last(headers, "kind", &kind, &size);
    fprintf(taken, "%.*s %.*s %.*s\n", (int)size, (const char *)kind, (int)message->key_len,
            (const char *)message->key, (int)message->len, (const char *)message->payload);
    fflush(taken);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(make(RD_KAFKA_PRODUCER, NULL), 3);
    const char *brokers = rd_kafka_mock_cluster_bootstraps(cluster);
    rd_kafka_mock_topic_create(cluster, argv[2], 4, 3);
    rd_kafka_t *consumer = make(RD_KAFKA_CONSUMER, brokers);
    rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(topics, argv[2], RD_KAFKA_PARTITION_UA);
    rd_kafka_subscribe(consumer, topics);
    FILE *taken = open_in(argv[1], "taken"), *ready = open_in(argv[1], "brokers");
    fprintf(ready, "%s\n", brokers);
    fclose(ready);
    for (;;) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(consumer, 1000);
        if (message == NULL)
            continue;
        if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR)
            take(taken, message);
        rd_kafka_message_destroy(message);
    }
}
