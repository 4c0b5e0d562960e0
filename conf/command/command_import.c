/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * XALT's configuration is Python, and so is what reads it: import_xalt.py, which reads the
 * program's syntax tree and never runs it.
 */
#include "conf/command/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/program_run.h"
#include "conf/conf_defaults.h"

enum exit_status command_import_xalt(const struct options *options)
{
    char script[PATH_MAX];
    const char *output = options->output != NULL ? options->output : "-";
    const char *record = options->xalt_record != NULL ? options->xalt_record : "";
    if (options->xalt_record != NULL && strcmp(record, "yes") != 0 && strcmp(record, "no") != 0) {
        fprintf(stderr, "jobtrail-conf: --cmdline-record takes yes or no\n");
        return STATUS_USAGE;
    }
    if (options->args_count != 1) {
        fprintf(stderr, "jobtrail-conf: import what? Give one CONFIG.py\n");
        return STATUS_USAGE;
    }
    if (!program_place(IMPORT_XALT_FROM_BIN, script, sizeof script) || access(script, R_OK) != 0) {
        fprintf(stderr, "jobtrail-conf: %s: %s; is jobtrail installed as a whole?\n", script,
                strerror(errno));
        return STATUS_REFUSED;
    }
    /* -I: nothing from the user's environment or directory becomes part of the program */
    execlp("python3", "python3", "-I", "-B", script, "--output", output, "--cmdline-record", record,
           "--", options->args[0], (char *)NULL);
    fprintf(stderr, "jobtrail-conf: cannot run python3: %s\n", strerror(errno));
    return STATUS_REFUSED;
}
