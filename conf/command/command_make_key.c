/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>

#include "conf/command/command.h"
#include "conf/key_file.h"

int command_make_key(const struct options *options)
{
    if (options->args_count != 1) {
        fprintf(stderr, "jobtrail-conf: make which key? Give one FILE\n");
        return STATUS_USAGE;
    }
    int rc = key_file_make(options->args[0]);
    if (rc == 0)
        return STATUS_OK;
    fprintf(stderr, "jobtrail-conf: %s: %s\n", options->args[0],
            rc == -EPERM ? "others than root can change the way there" : key_file_trouble(rc));
    return STATUS_REFUSED;
}
