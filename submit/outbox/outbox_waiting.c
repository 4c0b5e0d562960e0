/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/outbox_waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/conf_transport.h"
#include "submit/outbox/outbox_batch.h"
#include "submit/outbox/outbox_quarantine.h"

static void count_batch(int directory, const char *name, struct outbox_waiting *waiting)
{
    struct stat status;
    struct outbox_batch batch;
    uint64_t when = outbox_batch_time(name);
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    waiting->batches++;
    waiting->bytes += (uint64_t)status.st_size;
    if (when != 0 && (waiting->oldest_s == 0 || when < waiting->oldest_s))
        waiting->oldest_s = when;
    if (outbox_batch_read(directory, name, &batch) != 0)
        return;
    waiting->records += batch.count;
    outbox_batch_free(&batch);
}

int outbox_waiting_read(const struct conf *conf, int outbox, const char *name,
                        struct outbox_waiting *waiting)
{
    struct outbox_batches batches;
    *waiting = (struct outbox_waiting){.name = name,
                                       .is_configured = conf_uses_transport(conf, name),
                                       .lost = outbox_quarantine_overflow_read(conf, name)};
    CLEANUP_CLOSE int directory = outbox < 0 ? -ENOENT : directory_open(outbox, name);
    if (directory < 0)
        return directory == -ENOENT ? 0 : directory;
    outbox_backoff_read(directory, &waiting->backoff);
    int error = outbox_batches_list(directory, &batches);
    if (error != 0)
        return error;
    for (size_t i = 0; i < batches.count; i++)
        count_batch(directory, batches.name[i], waiting);
    outbox_batches_free(&batches);
    return 0;
}
