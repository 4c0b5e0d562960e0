/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The files with secrets that a configuration names.
 */
#ifndef JOBTRAIL_CONF_SECRETS_H
#define JOBTRAIL_CONF_SECRETS_H

#include "conf/conf_transport.h"

enum { SECRETS_MAX = 1 + CONF_TRANSPORTS };

struct secret {
    const char *section, *name; /* the key that names it */
    const char *holds;          /* what is in it, for people; NULL: a key of signatures */
    const char *path;           /* the configuration's */
    int trouble;                /* 0, or -errno of reading it */
    const char *reason;         /* for people; NULL where there is no trouble */
};

/* Reads those that are in use. Returns how many there are. */
size_t secrets_look(const struct conf *conf, struct secret secrets[SECRETS_MAX]);

/* Refuses a configuration with a secret that exists and cannot be used. A secret that is missing,
 * or that this process may not read, is no fault of the configuration. Returns 0, or -EINVAL and
 * fills `*why`. */
int secrets_check(const struct conf *conf, struct conf_error *why);

#endif
