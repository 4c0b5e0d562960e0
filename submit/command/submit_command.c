/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/command/submit_command.h"

#include <stdio.h>
#include <string.h>

#include "conf/base/days.h"
#include "extensions.h"

/* clang-format off */
static const struct submit_command commands[] = {
    {"flush", "", command_flush, "cjnaoSdJF", true, NULL},
    {"prolog", "", command_prolog, "cnF", false, NULL},
    {"watch", "", command_watch, "cnsD1dJF", true, NULL},
    {"witness", "", JOBTRAIL_WITNESS ? command_witness : NULL, "cnD", true, "the kernel witness"},
    {"status", "", command_status, "cnJMw", true, NULL},
    {"session", "", command_session, "cndJ", false, NULL},
    {"hand-in", "", command_hand_in, "cndJ", false, NULL},
    {"send", "", command_send, "ctaOTJF", false, NULL},
    {"outbox", "list", command_outbox_list, "ctaOTJF", false, NULL},
    {"outbox", "ask", command_outbox_ask, "ctTJ", false, NULL},
    {"outbox", "retry", command_outbox_retry, "ctaOTJF", false, NULL},
    {"outbox", "drop", command_outbox_drop, "ctaOTJF", false, NULL},
};
/* clang-format on */

const struct submit_command *submit_command_find(char *const *words, int count)
{
    const char *name = count > 0 ? words[0] : "", *action = count > 1 ? words[1] : "";
    for (size_t i = 0; i < sizeof commands / sizeof *commands && count < 3; i++)
        if (strcmp(name, commands[i].name) == 0 && strcmp(action, commands[i].action) == 0)
            return &commands[i];
    return NULL;
}

enum submit_status submit_command_run(const struct submit_command *command,
                                      const struct submit_options *options)
{
    if (command->run != NULL)
        return command->run(options);
    fprintf(stderr, "jobtrail-submit: this jobtrail is built without %s\n", command->words);
    return SUBMIT_UNUSABLE;
}

enum submit_status submit_conf_load(const struct submit_options *options, struct conf *conf)
{
    struct conf_error error;
    char text[1024];
    if (conf_load_trusted(options->conf, conf, &error) == 0) {
        if (days_use_zone(conf->timezone) == 0)
            return SUBMIT_OK;
        fputs("jobtrail-submit: out of memory\n", stderr); /* conf_load() has checked the zone */
        conf_free(conf);
        return SUBMIT_UNUSABLE;
    }
    conf_error_text(&error, text, sizeof text);
    fprintf(stderr, "jobtrail-submit: %s\n", text);
    return SUBMIT_UNUSABLE;
}
