/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "submit/command/submit_command.h"
#include "submit/flush/watch.h"

enum submit_status command_watch(const struct submit_options *options)
{
    if (options->stop + options->detach + options->once > 1)
        return SUBMIT_USAGE;
    if (!options->stop && !options->once)
        return watch_run(options->conf, options->node, options->detach) == 0 ? SUBMIT_OK
                                                                             : SUBMIT_UNUSABLE;
    int error = options->stop ? watch_stop(options->conf, options->node)
                              : watch_look(options->conf, options->node);
    if (error == 0)
        return SUBMIT_OK;
    fprintf(stderr, "jobtrail-submit: watch: %s\n", strerror(-error));
    return SUBMIT_UNUSABLE;
}
