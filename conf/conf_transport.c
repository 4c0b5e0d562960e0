/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_transport.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FIELD(name) offsetof(struct conf, name)

const struct conf_transport conf_transports[CONF_TRANSPORTS] = {
    {.name = "file"},
    {.name = "syslog", .advice = "start the syslog daemon, or fix [syslog] socket"},
    {.name = "http",
     .needs = "url",
     .needs_offset = FIELD(http_url),
     .example = "https://...",
     .secret = "token_file",
     .secret_offset = FIELD(http_token_file),
     .secret_holds = "token",
     .advice = "fix url, token_file or ca of [http], or the collector"},
    {.name = "kafka",
     .needs = "brokers",
     .needs_offset = FIELD(kafka_brokers),
     .example = "HOST:PORT",
     .secret = "properties",
     .secret_offset = FIELD(kafka_properties),
     .secret_holds = "properties",
     .advice = "fix brokers, topic or properties of [kafka], or the brokers"},
};

const struct conf_transport *conf_transport_find(const char *name, size_t length)
{
    for (size_t i = 0; i < CONF_TRANSPORTS; i++)
        if (strlen(conf_transports[i].name) == length &&
            memcmp(conf_transports[i].name, name, length) == 0)
            return &conf_transports[i];
    return NULL;
}

const char *conf_transport_names(void)
{
    static char text[16 * CONF_TRANSPORTS];
    size_t length = 0;
    for (size_t i = 0; i < CONF_TRANSPORTS; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                   i == 0                    ? ""
                                   : i + 1 < CONF_TRANSPORTS ? ", "
                                                             : " and ",
                                   conf_transports[i].name);
    return text;
}

/* Words have blanks or commas between. */
static const char *next_word(const char *at)
{
    return at + strspn(at, " \t,");
}

static size_t word_length(const char *at)
{
    return strcspn(at, " \t,");
}

int conf_transport_words(const char *text, struct conf_fault *fault)
{
    static char form[64 + 16 * CONF_TRANSPORTS];
    bool is_seen[CONF_TRANSPORTS] = {false}, has_none = false;
    size_t count = 0;
    snprintf(form, sizeof form, "write none, or some of %s", conf_transport_names());
    for (const char *at = next_word(text); *at != '\0'; count++) {
        size_t length = word_length(at), offset = (size_t)(at - text);
        const struct conf_transport *found = conf_transport_find(at, length);
        bool is_none = length == 4 && memcmp(at, "none", 4) == 0;
        bool *is_given = is_none || found == NULL ? &has_none : &is_seen[found - conf_transports];
        if (found == NULL && !is_none)
            return conf_fault(fault, offset, "unknown transport", form);
        if (*is_given)
            return conf_fault(fault, offset, "a transport twice", "write it once");
        *is_given = true;
        at = next_word(at + length);
    }
    if (count == 0)
        return conf_fault(fault, 0, "no transport", form);
    return count > 1 && has_none ? conf_fault(fault, 0, "none beside other transports", form) : 0;
}

bool conf_uses_transport(const struct conf *conf, const char *name)
{
    for (const char *at = next_word(conf->transport); *at != '\0';
         at = next_word(at + word_length(at)))
        if (strlen(name) == word_length(at) && memcmp(at, name, word_length(at)) == 0)
            return true;
    return false;
}

const struct conf_transport *conf_transport_lacking(const struct conf *conf)
{
    for (size_t i = 0; i < CONF_TRANSPORTS; i++) {
        const struct conf_transport *row = &conf_transports[i];
        if (row->needs != NULL && conf_uses_transport(conf, row->name) &&
            conf_text_at(conf, row->needs_offset)[0] == '\0')
            return row;
    }
    return NULL;
}

bool conf_transport_is_clear(const struct conf *conf)
{
    return conf_uses_transport(conf, "http") &&
           (conf->http_token_file[0] != '\0' || url_has_user(conf->http_url)) &&
           strncasecmp(conf->http_url, "http://", 7) == 0 && !url_is_loopback(conf->http_url);
}

/* ---- Parts of a URL -------------------------------------------------------------------------- */

/* The part between "://" and the path, and its length. A backslash ends it too: programs that read
 * URLs do not agree about its meaning. */
static const char *authority(const char *url, size_t *length)
{
    const char *start = strstr(url, "://");
    start = start == NULL ? url + strlen(url) : start + 3;
    *length = strcspn(start, "/?#\\");
    return start;
}

bool url_has_user(const char *url)
{
    size_t length;
    const char *start = authority(url, &length);
    return memchr(start, '@', length) != NULL;
}

void url_print(const char *url, char *text, size_t size)
{
    size_t length;
    const char *start = authority(url, &length);
    const char *at = memrchr(start, '@', length);
    if (at == NULL)
        snprintf(text, size, "%s", url);
    else
        snprintf(text, size, "%.*s%s", (int)(start - url), url, at + 1);
}

static bool is_loopback_address(const char *host, size_t length)
{
    struct in_addr address;
    char text[INET_ADDRSTRLEN];
    if (length >= sizeof text)
        return false;
    memcpy(text, host, length);
    text[length] = '\0';
    return inet_pton(AF_INET, text, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

bool url_host_is_loopback(const char *host, size_t length)
{
    return (length == 9 && strncasecmp(host, "localhost", 9) == 0) ||
           (length == 5 && memcmp(host, "[::1]", 5) == 0) || is_loopback_address(host, length);
}

bool url_is_loopback(const char *url)
{
    size_t length;
    const char *start = authority(url, &length);
    if (memchr(start, '@', length) != NULL || start[length] == '\\')
        return 0;
    const char *end = *start == '[' ? memchr(start, ']', length) : NULL;
    size_t host = end != NULL ? (size_t)(end + 1 - start) : strcspn(start, ":/?#");
    if (host < length && start[host] != ':')
        return 0;
    return url_host_is_loopback(start, host);
}
