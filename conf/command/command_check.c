/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/command.h"

#include <stdio.h>

#include "conf/base/cleanup.h"
#include "conf/compile.h"
#include "conf/conf_keys.h"
#include "conf/conf_rules.h"
#include "conf/profile_advice.h"
#include "conf/secret_file.h"

enum exit_status command_check(const struct options *options)
{
    struct conf conf;
    struct conf_error why;
    CLEANUP_FREE void *bytes = NULL;
    size_t size;
    if (conf_load(options->conf, &conf, &why) != 0)
        return command_refused(&why);
    int error = compile_policy(&conf, &bytes, &size, &why);
    if (error == 0)
        error = secrets_check(&conf, &why);
    if (error == 0) {
        printf("%s: ok", options->conf);
        for (size_t i = 0; i < CONF_LISTS; i++) {
            const struct conf_rules *rules = conf_list_rules(&conf_lists[i], &conf);
            bool is_built_in = rules->count > 0 && rules->rule[0].line == 0;
            printf(", %zu rules in [%s]%s", rules->count, conf_lists[i].section,
                   is_built_in ? " (built in)" : "");
        }
        if (conf.library_trees.count > 0)
            printf(", %zu trees in [libraries]", conf.library_trees.count);
        printf(", %zu bytes compiled\n", size);
        const char *advice = profile_advice(&conf);
        const struct extension *extension;
        for (size_t at = 0; (extension = conf_left_out(&conf, &at)) != NULL;)
            fprintf(stderr, "%s: warning: " CONF_LEFT_OUT "\n", options->conf, extension->name,
                    extension->words);
        if (advice != NULL)
            fprintf(stderr, "%s: warning: %s\n", options->conf, advice);
    }
    conf_free(&conf);
    return error == 0 ? STATUS_OK : command_refused(&why);
}
