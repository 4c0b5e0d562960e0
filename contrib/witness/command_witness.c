/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/stderr_or_syslog.h"
#include "contrib/witness/witness.h"
#include "spank/spool_path.h"
#include "submit/command/submit_command.h"
#include "submit/job/spool_read.h"

static enum submit_status listen_here(const struct submit_options *options, const struct conf *conf)
{
    char path[PATH_MAX];
    int error = spool_expand(conf->spool, options->node, path, sizeof path);
    CLEANUP_CLOSE int spool = error != 0 ? error : spool_open_node(path);
    if (spool < 0) {
        fprintf(stderr, "jobtrail-submit: witness: %s: %s\n", conf->spool, strerror(-spool));
        return SUBMIT_UNUSABLE;
    }
    return witness_run(conf, spool) == 0 ? SUBMIT_OK : SUBMIT_UNUSABLE;
}

enum submit_status command_witness(const struct submit_options *options)
{
    struct conf conf;
    if (options->detach)
        stderr_or_syslog_switch();
    if (submit_conf_load(options, &conf) != SUBMIT_OK)
        return SUBMIT_UNUSABLE;
    enum submit_status status = SUBMIT_OK;
    if (conf.witness == CONF_WITNESS_OFF)
        fputs("jobtrail-submit: witness: [witness] level of jobtrail.conf is off: nothing to do\n",
              stderr);
    else
        status = listen_here(options, &conf);
    conf_free(&conf);
    return status;
}
