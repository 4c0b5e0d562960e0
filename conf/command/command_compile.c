/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "conf/command/command.h"
#include "conf/compile.h"
#include "conf/conf_extension.h"
#include "conf/conf_rules.h"
#include "conf/policy/policy_open.h"
#include "conf/policy_file.h"
#include "conf/secret_file.h"

/* ---- check ----------------------------------------------------------------------------------- */

/* `shown`: the file, as plain text. */
static void warn_of_rules(const struct conf *conf, const char *shown)
{
    char word[TERMINAL_WORD_SIZE];
    for (size_t i = 0; i < CONF_LISTS; i++) {
        const struct conf_rules *rules = conf_list_rules(&conf_lists[i], conf);
        for (size_t at = 0; at < rules->count; at++) {
            const struct conf_rule *rule = &rules->rule[at];
            const char *doubt =
                rule->line == 0 ? NULL : conf_rule_doubt(&conf_lists[i], rule->pattern);
            if (doubt != NULL)
                fprintf(stderr, "%s:%u: warning: '%s' in [%s]: %s\n", shown, rule->line,
                        terminal_word(rule->pattern, word), conf_lists[i].section, doubt);
        }
    }
}

enum exit_status command_check(const struct options *options)
{
    struct conf conf;
    struct conf_error why;
    CLEANUP_FREE void *bytes = NULL;
    size_t size;
    char word[TERMINAL_WORD_SIZE];
    const char *path = terminal_word(options->conf, word);
    if (conf_load(options->conf, &conf, &why) != 0)
        return command_refused(&why);
    int error = compile_policy(&conf, &bytes, &size, &why);
    if (error == 0)
        error = secrets_check(&conf, &why);
    if (error == 0) {
        printf("%s: ok", path);
        for (size_t i = 0; i < CONF_LISTS; i++) {
            const struct conf_rules *rules = conf_list_rules(&conf_lists[i], &conf);
            bool is_built_in = rules->count > 0 && rules->rule[0].line == 0;
            printf(", %zu rules in [%s]%s", rules->count, conf_lists[i].section,
                   is_built_in ? " (built in)" : "");
        }
        if (conf.library_trees.count > 0)
            printf(", %zu trees in [libraries]", conf.library_trees.count);
        printf(", %zu bytes compiled\n", size);
        warn_of_rules(&conf, path);
        const struct extension *extension;
        for (size_t at = 0; (extension = conf_left_out(&conf, &at)) != NULL;)
            fprintf(stderr, "%s: warning: " CONF_LEFT_OUT "\n", path, extension->name,
                    extension->words);
        const char *advice = command_advice == NULL ? NULL : command_advice(&conf);
        if (advice != NULL)
            fprintf(stderr, "%s: warning: %s\n", path, advice);
    }
    conf_free(&conf);
    return error == 0 ? STATUS_OK : command_refused(&why);
}

static enum exit_status compile_to_file(const struct conf *conf, const struct options *options)
{
    struct conf_error why;
    struct stat status;
    CLEANUP_FREE void *bytes = NULL, *before = NULL;
    CLEANUP_FREE char *beside = conf_policy_path(conf->path);
    const char *output = options->output != NULL ? options->output : beside;
    size_t size;
    if (output == NULL) {
        fprintf(stderr, "jobtrail-conf: out of memory\n");
        return STATUS_REFUSED;
    }
    if (options->if_newer && policy_file_is_current(output, conf->path))
        return STATUS_OK;
    if (policy_open(output, &status, &before) != 0)
        before = NULL; /* none, or one of another version */
    if (compile_policy_after(conf, before, &bytes, &size, &why) != 0)
        return command_refused(&why);
    int error = policy_file_write(output, bytes, size);
    if (error == 0)
        return STATUS_OK;
    fprintf(stderr, "jobtrail-conf: cannot write %s: %s; the old policy is used\n", output,
            error == -EPERM ? "others than root can change a directory or link on the way there"
                            : strerror(-error));
    return STATUS_REFUSED;
}

enum exit_status command_compile(const struct options *options)
{
    struct conf conf;
    struct conf_error why;
    if (conf_load_trusted(options->conf, &conf, &why) != 0)
        return command_refused(&why);
    enum exit_status status = compile_to_file(&conf, options);
    conf_free(&conf);
    return status;
}
