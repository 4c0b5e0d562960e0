/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "prolog.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "credential.h"
#include "journal_line.h"
#include "node.h"
#include "spool.h"

void prolog_note(const struct settings *settings, uint32_t job, uid_t uid, gid_t gid)
{
    struct journal_line line;
    uint32_t restart = credential_restart();
    int spool = spool_open(settings->spool, job, restart);
    if (spool < 0)
        return;
    journal_start(&line, "prolog");
    journal_number(&line, "job", job);
    journal_number(&line, "restart", restart);
    journal_number(&line, "uid", uid);
    journal_number(&line, "gid", gid);
    node_add(&line);
    credential_add(&line);
    journal_append(&line, spool);
    close(spool);
}

int prolog_was_noted(int spool)
{
    const char verb[] = "prolog ";
    char start[sizeof verb - 1] = "";
    int fd = openat(spool, JOURNAL_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t got = fd < 0 ? -1 : pread(fd, start, sizeof start, 0);
    if (fd >= 0)
        close(fd);
    return got == (ssize_t)sizeof start && memcmp(start, verb, sizeof start) == 0;
}
