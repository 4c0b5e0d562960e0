/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/compile.h"
#include "conf/policy_file.h"

static int compile(const struct conf *conf, const struct options *options)
{
    struct conf_error error;
    CLEANUP_FREE void *bytes = NULL;
    CLEANUP_FREE char *beside = conf_policy_path(conf->path);
    const char *output = options->output != NULL ? options->output : beside;
    size_t size;
    if (output == NULL) {
        fprintf(stderr, "jobtrail-conf: out of memory\n");
        return STATUS_REFUSED;
    }
    if (options->if_newer && policy_file_current(output, conf->path))
        return STATUS_OK;
    if (compile_policy(conf, &bytes, &size, &error) != 0)
        return command_refused(&error);
    int rc = policy_file_write(output, bytes, size);
    if (rc == 0)
        return STATUS_OK;
    fprintf(stderr, "jobtrail-conf: cannot write %s: %s; the policy in force stays\n", output,
            rc == -EPERM ? "others than root can change the way there" : strerror(-rc));
    return STATUS_REFUSED;
}

int command_compile(const struct options *options)
{
    struct conf conf;
    struct conf_error error;
    if (conf_load_trusted(options->conf, &conf, &error) != 0)
        return command_refused(&error);
    int status = compile(&conf, options);
    conf_free(&conf);
    return status;
}
