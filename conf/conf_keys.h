/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The keys of jobtrail.conf that hold one value: where each is kept in struct conf, how its text
 * becomes a value and back, and what holds when the file does not give it.
 */
#ifndef JOBTRAIL_CONF_KEYS_H
#define JOBTRAIL_CONF_KEYS_H

#include <stddef.h>

#include "conf/conf.h"

/* Why a value was refused. */
struct conf_fault {
    size_t offset;      /* of the offending byte in the value */
    const char *reason; /* static */
    const char *hint;   /* static */
};

struct conf_key {
    const char *section;
    const char *name;
    size_t offset;        /* of the field in struct conf */
    const char *standard; /* the default, as text */
    /* Stores the value of `text` at `field`. Returns 0, -ENOMEM, or -EINVAL and fills `*fault`. */
    int (*parse)(const char *text, void *field, struct conf_fault *fault);
    /* Writes the value at `field` as the file would give it, into `size` bytes at `text`. */
    void (*print)(const void *field, char *text, size_t size);
};

extern const struct conf_key conf_keys[CONF_KEYS];

/* The index of a key in conf_keys[], or -1. */
int conf_key_find(const char *section, const char *name);

/* Stores `text` as the value of `key`, releasing the one before. Errors as of conf_key.parse. */
int conf_key_set(const struct conf_key *key, struct conf *conf, const char *text,
                 struct conf_fault *fault);

void conf_key_print(const struct conf_key *key, const struct conf *conf, char *text, size_t size);

/* Gives every key its default. Returns 0, or -errno and fills `*fault` and `*key`: the prefix that
 * we were configured for does not go into a value. Release with conf_keys_free() in any case. */
int conf_keys_default(struct conf *conf, const struct conf_key **key, struct conf_fault *fault);

void conf_keys_free(struct conf *conf);

#endif
