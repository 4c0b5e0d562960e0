/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The transports: each is a row, from which the configuration, its hints, the outbox, its messages
 * and doctor read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"
#include "conf/conf_fault.h"

/* `needs` and `secret` are keys of the section that has the transport's name. */
struct conf_transport {
    const char *name;
    const char *needs;   /* the key without which it cannot work; NULL: none */
    size_t needs_offset; /* of that key's text in struct conf */
    const char *example; /* of a value of it */
    const char *secret;  /* the key that names a file with a secret; NULL: none */
    size_t secret_offset;
    const char *secret_holds; /* what that file has, for people */
    const char
        *advice; /* of doctor, where the receiver takes no records; NULL: it has none to ask */
};

#define CONF_TRANSPORTS 4

/* In the order in which records are handed to them. */
extern const struct conf_transport conf_transports[CONF_TRANSPORTS];

/* The row of this name, `length` bytes at `name`; NULL: none. */
const struct conf_transport *conf_transport_find(const char *name, size_t length);

/* Of all: "A, B and C". Static. */
const char *conf_transport_names(void);

/* Checks the value of a key that names some of them, or none. Returns 0, or -EINVAL and fills
 * `*fault`. */
int conf_transport_words(const char *text, struct conf_fault *fault);

bool conf_uses_transport(const struct conf *conf, const char *name);

/* The first in use that lacks the key without which it cannot work; NULL: none. */
const struct conf_transport *conf_transport_lacking(const struct conf *conf);

/* Whether a token, or a password in the URL, would be sent unencrypted to another host. */
bool conf_transport_is_clear(const struct conf *conf);

/* The text at an offset in struct conf. */
static inline const char *conf_text_at(const struct conf *conf, size_t offset)
{
    return *(char *const *)(const void *)((const char *)conf + offset);
}

/* ---- Parts of a URL -------------------------------------------------------------------------- */

/* The parts of a URL that decide whether a secret may be sent there. */

/* Whether SCHEME://HOST... has a user's name or password before the host. */
bool url_has_user(const char *url);

/* The URL without a user's name and password, for people: into `size` bytes at `text`, cut where it
 * is longer. */
void url_print(const char *url, char *text, size_t size);

/* Whether the URL names this host independently of name resolution: localhost, 127.0.0.0/8 or
 * [::1]. False for a URL with a user's name, and for any other form. */
bool url_is_loopback(const char *url);

/* The same of a host's name or address, `length` bytes, without a port. */
bool url_host_is_loopback(const char *host, size_t length);
