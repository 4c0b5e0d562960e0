/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "submit/command/submit_command.h"
#include "submit/hand_in/link_send.h"

enum submit_status command_hand_in(const struct submit_options *options)
{
    struct conf conf;
    struct link_outbox_count count;
    enum submit_status status = submit_conf_load(options, &conf);
    if (status != SUBMIT_OK)
        return status;
    int error = link_send_waiting(&conf, UINT_MAX, &count);
    if (error != 0)
        fprintf(stderr, "jobtrail-submit: not handed in: %s (sessions in %s)\n", strerror(-error),
                conf.sessions[0] == '\0' ? "no directory" : conf.sessions);
    printf("handed in %u, waiting %u\n", count.sent, count.waiting);
    conf_free(&conf);
    return error != 0 ? SUBMIT_SOME_WAIT : SUBMIT_OK;
}
