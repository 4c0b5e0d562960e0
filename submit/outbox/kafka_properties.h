/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file with properties of librdkafka, lines NAME=VALUE as in the files of Kafka's own tools; '#'
 * begins a comment. It may hold passwords, and is a secret file (secret_file.h).
 */
#pragma once

enum { KAFKA_WHY_SIZE = 256 };

/* Who takes a property. Returns 0; or -errno and says why. */
struct kafka_setter {
    int (*set)(void *context, const char *name, const char *value, char why[KAFKA_WHY_SIZE]);
    void *context;
};

/* Hands each property of the file `path` to `setter`. Refused are those that would have librdkafka
 * load a library or run a command, which no file of ours may decide, and a secret that would be
 * fetched or sent in clear text. Returns 0; or -errno, or what `setter` returned, with the reason
 * in `why`. */
int kafka_properties_read(const char *path, const struct kafka_setter *setter,
                          char why[KAFKA_WHY_SIZE]);

/* The same of a text, which is changed. */
int kafka_properties_parse(char *text, const struct kafka_setter *setter, char why[KAFKA_WHY_SIZE]);

/* Whether a password or token would go to brokers in clear text, with these values of
 * security.protocol and sasl.mechanisms, and to others than this host of `brokers`. */
int kafka_tells_secret(const char *protocol, const char *mechanism, const char *brokers);
