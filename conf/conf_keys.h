/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The keys of jobtrail.conf that hold one value: where each is kept in struct conf, of which kind
 * it is, and its default.
 */
#pragma once

#include <stddef.h>

#include "conf/conf.h"
#include "conf/conf_value.h"

struct conf_key {
    const char *section;
    const char *name;
    size_t offset; /* of the field in struct conf */
    const char *default_text;
    const struct conf_kind *kind;
};

extern const struct conf_key conf_keys[CONF_KEYS];

/* The index of a key in conf_keys[], or -1. */
int conf_key_find(const char *section, const char *name);

/* Stores `text` as the value of `key`, releasing the one before. Errors as of
 * conf_value_parse(). */
int conf_key_set(const struct conf_key *key, struct conf *conf, const char *text,
                 struct conf_fault *fault);

void conf_key_print(const struct conf_key *key, const struct conf *conf, char *text, size_t size);

/* Gives every key its default. Returns 0, or -errno and fills `*fault` and `*key`: a default with
 * the prefix of the build may be refused. Release with conf_keys_free() in any case. */
int conf_keys_default(struct conf *conf, const struct conf_key **key, struct conf_fault *fault);

void conf_keys_free(struct conf *conf);
