/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_keys.h"

#include <stdlib.h>
#include <string.h>

#include "conf/conf_defaults.h"
#include "extensions.h"

#define FIELD(name) offsetof(struct conf, name)

#define CONF_KEY(section, key, type, field, text, kind) {section, key, FIELD(field), text, &kind},
#define CONF_LINES_KEY(...)

const struct conf_key conf_keys[CONF_KEYS] = {
#include "conf/conf_settings.def"
};

int conf_key_find(const char *section, const char *name)
{
    for (int i = 0; i < CONF_KEYS; i++)
        if (conf_keys[i].name[0] == name[0] && strcmp(conf_keys[i].section, section) == 0 &&
            strcmp(conf_keys[i].name, name) == 0)
            return i;
    return -1;
}

int conf_key_set(const struct conf_key *key, struct conf *conf, const char *text,
                 struct conf_fault *fault)
{
    return conf_value_parse(key->kind, text, (char *)conf + key->offset, fault);
}

void conf_key_print(const struct conf_key *key, const struct conf *conf, char *text, size_t size)
{
    conf_value_print(key->kind, (const char *)conf + key->offset, text, size);
}

int conf_keys_default(struct conf *conf, const struct conf_key **key, struct conf_fault *fault)
{
    for (int i = 0; i < CONF_KEYS; i++) {
        int error = conf_key_set(&conf_keys[i], conf, conf_keys[i].default_text, fault);
        if (error != 0) {
            *key = &conf_keys[i];
            return error;
        }
    }
    return 0;
}

void conf_keys_free(struct conf *conf)
{
    for (int i = 0; i < CONF_KEYS; i++)
        if (conf_keys[i].kind->form == CONF_TEXT || conf_keys[i].kind->form == CONF_WORD)
            free(*(char **)((char *)conf + conf_keys[i].offset));
}
