/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/command/command_hand_in.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "submit/hand_in/link_send.h"

enum { EXIT_SOME_WAIT = 1, EXIT_UNUSABLE = 3 };

int command_hand_in(const char *path)
{
    struct conf conf;
    struct conf_error error;
    struct link_outbox_count count;
    char text[1024];
    if (conf_load_trusted(path, &conf, &error) != 0) {
        conf_error_text(&error, text, sizeof text);
        fprintf(stderr, "jobtrail-submit: %s\n", text);
        return EXIT_UNUSABLE;
    }
    int result = link_send_waiting(&conf, UINT_MAX, &count);
    if (result != 0)
        fprintf(stderr, "jobtrail-submit: not handed in: %s (sessions in %s)\n", strerror(-result),
                conf.sessions[0] == '\0' ? "no directory" : conf.sessions);
    printf("handed in %u, waiting %u\n", count.sent, count.waiting);
    conf_free(&conf);
    return result != 0 ? EXIT_SOME_WAIT : 0;
}
