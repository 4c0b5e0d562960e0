/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/compile.h"
#include "conf/policy/policy_open.h"
#include "conf/policy_file.h"

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
    fprintf(stderr, "jobtrail-conf: cannot write %s: %s; the policy in force stays\n", output,
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
