/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of a URL that decide whether a secret may be sent there.
 */
#ifndef JOBTRAIL_CONF_URL_H
#define JOBTRAIL_CONF_URL_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
