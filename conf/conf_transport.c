/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_transport.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "conf/conf_keys.h"
#include "conf/url.h"

const char *const conf_transports[] = {"file", "syslog", "http", "kafka", "none", NULL};

int conf_transport_index(const char *name, size_t length)
{
    for (int i = 0; conf_transports[i] != NULL; i++)
        if (strlen(conf_transports[i]) == length && memcmp(conf_transports[i], name, length) == 0)
            return i;
    return -1;
}

static bool is_named(const char *words, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = words; *at != '\0';) {
        size_t word = strcspn(at, " \t,");
        if (word == length && memcmp(at, name, length) == 0)
            return true;
        at += word + strspn(at + word, " \t,");
    }
    return false;
}

bool conf_uses_transport(const struct conf *conf, const char *name)
{
    return is_named(conf->transport, name);
}

bool conf_is_for_xalt(const struct conf *conf, const char *name)
{
    return is_named(conf->xalt_strict, name);
}

/* Whether a token, or a password in the URL, would be sent unencrypted to another host. */
static bool sends_secret_in_clear(const struct conf *conf)
{
    return conf_uses_transport(conf, "http") &&
           (conf->http_token_file[0] != '\0' || url_has_user(conf->http_url)) &&
           strncasecmp(conf->http_url, "http://", 7) == 0 && !url_is_loopback(conf->http_url);
}

int conf_transport_check(struct conf_loader *loader)
{
    const struct conf *conf = loader->conf;
    const char *missing = NULL, *hint = NULL;
    if (conf_uses_transport(conf, "http") && conf->http_url[0] == '\0') {
        missing = "the transport http has no url";
        hint = "write url = https://... in [http]";
    } else if (conf_uses_transport(conf, "kafka") && conf->kafka_brokers[0] == '\0') {
        missing = "the transport kafka has no brokers";
        hint = "write brokers = HOST:PORT in [kafka]";
    }
    if (missing == NULL && sends_secret_in_clear(conf)) {
        loader->line = conf->key_line[conf_key_find("http", "url")];
        conf_refuse(loader, 1, "a token or password would be sent in clear text");
        conf_refuse_hint(loader, "write url = https://...; http:// to this host is fine");
        return loader->error;
    }
    if (missing == NULL)
        return 0;
    loader->line = conf->key_line[conf_key_find("transport", "use")];
    conf_refuse(loader, 1, "%s", missing);
    conf_refuse_hint(loader, hint);
    return loader->error;
}
