/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>

#include "conf/command/command.h"
#include "conf/secret_file.h"

enum exit_status command_make_key(const struct options *options)
{
    if (options->args_count != 1) {
        fprintf(stderr, "jobtrail-conf: make which key? Give one FILE\n");
        return STATUS_USAGE;
    }
    int error = key_file_make(options->args[0]);
    if (error == 0)
        return STATUS_OK;
    fprintf(stderr, "jobtrail-conf: %s: %s\n", options->args[0],
            error == -EPERM ? "others than root can change a directory or link on the way there"
                            : key_file_trouble(error));
    return STATUS_REFUSED;
}
