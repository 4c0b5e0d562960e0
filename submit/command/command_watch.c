/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "submit/command/hand_on.h"
#include "submit/command/submit_command.h"
#include "submit/flush/watch.h"

/* As long as a watcher takes to end another one. */
enum { HAND_ON_S = 6 };

/* Each version has a watcher of its own. Those of other versions end with their last job. */
static void hand_on_watch(const struct submit_options *options)
{
    struct conf conf;
    if (options->formats != 0 || submit_conf_load(options, &conf) != SUBMIT_OK)
        return;
    hand_on(options, &conf, options->stop ? HAND_ON_WATCHER : HAND_ON_JOBS, HAND_ON_S, NULL, NULL);
    conf_free(&conf);
}

enum submit_status command_watch(const struct submit_options *options)
{
    if (options->stop + options->detach + options->once > 1)
        return SUBMIT_USAGE;
    hand_on_watch(options);
    if (!options->stop && !options->once)
        return watch_run(options->conf, options->node, options->detach, options->formats != 0) == 0
                   ? SUBMIT_OK
                   : SUBMIT_UNUSABLE;
    int error = options->stop ? watch_stop(options->conf, options->node)
                              : watch_look(options->conf, options->node);
    if (error == 0)
        return SUBMIT_OK;
    fprintf(stderr, "jobtrail-submit: watch: %s\n", strerror(-error));
    return SUBMIT_UNUSABLE;
}
