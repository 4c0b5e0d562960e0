/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "prolog.h"

#include <unistd.h>

#include "credential.h"
#include "journal_line.h"
#include "node.h"
#include "spool.h"

int prolog_note(const struct settings *settings, uint32_t job, uid_t uid, gid_t gid)
{
    struct journal_line line;
    uint32_t restart = credential_restart();
    int spool = spool_open(settings->spool, job, restart);
    if (spool < 0)
        return spool;
    journal_start(&line, "prolog");
    journal_number(&line, "job", job);
    journal_number(&line, "restart", restart);
    journal_number(&line, "uid", uid);
    journal_number(&line, "gid", gid);
    node_add(&line);
    credential_add(&line);
    int error = journal_append(&line, spool);
    close(spool);
    return error;
}
