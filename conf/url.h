/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What of a URL decides whether a secret may be sent there.
 */
#ifndef JOBTRAIL_CONF_URL_H
#define JOBTRAIL_CONF_URL_H

#include <stddef.h>

/* Whether SCHEME://HOST... has a user's name or password before the host. */
int url_has_user(const char *url);

/* The URL without a user's name and password, for people: into `size` bytes at `text`, cut where it
 * is longer. */
void url_print(const char *url, char *text, size_t size);

/* Whether it leads to this host, whatever resolves names: localhost, 127.0.0.0/8 or [::1]. One with
 * a user's name does not count, nor one that is unusual. */
int url_is_loopback(const char *url);

/* The same of a host's name or address, `length` bytes, without a port. */
int url_host_is_loopback(const char *host, size_t length);

#endif
