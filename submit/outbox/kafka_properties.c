/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/kafka_properties.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/conf_transport.h"
#include "conf/secret_file.h"

#define TOKEN_URL "sasl.oauthbearer.token.endpoint.url"

/* They load a library, or run a command. */
static const char *const refused[] = {"plugin.library.paths",    "interceptors",
                                      "ssl.engine.location",     "ssl.engine.id",
                                      "sasl.kerberos.kinit.cmd", "ssl.providers"};

static char *trim_blanks(char *text)
{
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

static int check_property(const char *name, const char *value, char *why)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (strcmp(name, refused[i]) == 0) {
            snprintf(why, KAFKA_WHY_SIZE, "the property %s loads or runs something: remove it",
                     name);
            return -EPERM;
        }
    if (strcmp(name, TOKEN_URL) == 0 && strncasecmp(value, "https://", 8) != 0 &&
        !url_is_loopback(value)) {
        snprintf(why, KAFKA_WHY_SIZE, "%s: a secret would be sent in clear text: write https://",
                 TOKEN_URL);
        return -EPERM;
    }
    return 0;
}

static int take_line(char *line, const struct kafka_setter *setter, char *why)
{
    char *name = trim_blanks(line), *value = strchr(name, '=');
    if (name[0] == '#' || name[0] == '\0' || value == NULL)
        return 0;
    *value++ = '\0';
    name = trim_blanks(name);
    value = trim_blanks(value);
    int error = check_property(name, value, why);
    return error == 0 ? setter->set(setter->context, name, value, why) : error;
}

int kafka_properties_parse(char *text, const struct kafka_setter *setter, char why[KAFKA_WHY_SIZE])
{
    int error = 0;
    for (char *line = text, *next; line != NULL && error == 0; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        error = take_line(line, setter, why);
    }
    return error;
}

int kafka_properties_read(const char *path, const struct kafka_setter *setter,
                          char why[KAFKA_WHY_SIZE])
{
    char *text = malloc(SECRET_TEXT_MAX);
    ssize_t length = text == NULL ? -ENOMEM : secret_file_read(path, text, SECRET_TEXT_MAX);
    int error = length < 0 ? (int)length : kafka_properties_parse(text, setter, why);
    if (length < 0)
        snprintf(why, KAFKA_WHY_SIZE, "%.120s: %s", path, secret_file_trouble(error));
    if (text != NULL)
        explicit_bzero(text, SECRET_TEXT_MAX);
    free(text);
    return error;
}

/* A broker is [PROTOCOL://]HOST[:PORT]. */
static bool is_loopback(const char *broker, size_t length)
{
    const char *scheme = memmem(broker, length, "://", 3);
    const char *host = scheme == NULL ? broker : scheme + 3;
    size_t size = length - (size_t)(host - broker);
    const char *port = memrchr(host, ':', size);
    if (port != NULL && memchr(port, ']', size - (size_t)(port - host)) == NULL)
        size = (size_t)(port - host);
    return url_host_is_loopback(host, size);
}

int kafka_tells_secret(const char *protocol, const char *mechanism, const char *brokers)
{
    if (strcasecmp(protocol, "sasl_plaintext") != 0 ||
        (strcasecmp(mechanism, "PLAIN") != 0 && strcasecmp(mechanism, "OAUTHBEARER") != 0))
        return 0;
    for (const char *at = brokers + strspn(brokers, ", "); *at != '\0'; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ", ");
        if (!is_loopback(at, length))
            return 1;
        at += length;
    }
    return 0;
}
