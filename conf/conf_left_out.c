/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_left_out.h"

#include <string.h>

#include "conf/conf_keys.h"
#include "conf/conf_rules.h"
#include "extensions.h"

static const struct extension extensions[] = {
    {"libraries", "libraries", JOBTRAIL_LIBRARIES},
    {"routines", "routines", JOBTRAIL_ROUTINES},
    {"profile", "profiles", JOBTRAIL_PROFILE},
    {"witness", "the kernel's witness", JOBTRAIL_WITNESS},
    {"answers", "answers", JOBTRAIL_ANSWERS},
};

/* Rules of [profile], which the installed file has, ask for nothing. */
static bool is_given(const struct conf *conf, const char *section)
{
    const struct conf_list *list = conf_list_find(section);
    const struct conf_rules *rules = list == NULL ? NULL : conf_list_rules(list, conf);
    if (rules != NULL && strcmp(section, "profile") != 0 && rules->count > 0 &&
        rules->rule[0].line > 0)
        return true;
    for (size_t i = 0; i < CONF_KEYS; i++)
        if (conf->key_line[i] > 0 && strcmp(conf_keys[i].section, section) == 0)
            return true;
    return strcmp(section, "libraries") == 0 && conf->library_trees.count > 0;
}

const struct extension *conf_left_out(const struct conf *conf, size_t *at)
{
    while (*at < sizeof extensions / sizeof *extensions) {
        const struct extension *extension = &extensions[(*at)++];
        if (!extension->is_built && is_given(conf, extension->name))
            return extension;
    }
    return NULL;
}
