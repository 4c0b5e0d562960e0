/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which transports [transport] use names.
 */
#ifndef JOBTRAIL_CONF_TRANSPORT_H
#define JOBTRAIL_CONF_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf_loader.h"

/* In the order in which records are handed to them. Ends with NULL. */
extern const char *const conf_transports[];

/* The index of the name, `length` bytes at `name`, in conf_transports[], or -1. */
int conf_transport_index(const char *name, size_t length);

bool conf_uses_transport(const struct conf *conf, const char *name);

/* Whether XALT's loaders read what goes by this transport: [transport] xalt_strict names it. */
bool conf_is_for_xalt(const struct conf *conf, const char *name);

/* Refuses a transport that lacks what it cannot do without, or that would send a token or password
 * in clear text to another host. Returns 0 or -EINVAL. */
int conf_transport_check(struct conf_loader *loader);

#endif
