/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/outbox_waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "submit/outbox/outbox_batch.h"

uint64_t outbox_batch_time(const char *name)
{
    char digits[12];
    snprintf(digits, sizeof digits, "%.11s", name);
    return strspn(digits, "0123456789") == 11 ? strtoull(digits, NULL, 10) : 0;
}

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

int outbox_waiting_count(int outbox, struct outbox_waiting *waiting)
{
    struct outbox_batches batches;
    CLEANUP_CLOSE int directory = directory_open(outbox, waiting->name);
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
