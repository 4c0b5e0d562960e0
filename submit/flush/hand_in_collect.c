/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/hand_in_collect.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/as_user.h"
#include "submit/evidence/user_files.h"
#include "submit/flush/worker.h"
#include "submit/hand_in/hand_in_check.h"
#include "submit/hand_in/hand_in_read.h"
#include "submit/job/spool_read.h"

struct collection {
    const struct conf *conf;
    const struct job_identity *who;
    int user;
    uint64_t end_ns;
    struct outbox *outbox;
    char (*name)[NAME_MAX + 1]; /* owned: of what was taken */
    size_t count;
    int broken; /* the outbox */
};

/* Of what the child says nothing is believed. */
static int take(void *context, const struct record_view *record)
{
    struct collection *collection = context;
    if (strlen(record->name) > NAME_MAX || !hand_in_name_fits(record, collection->who->user) ||
        !hand_in_is_line(record) || !hand_in_says(record, collection->who->user))
        return -EPROTO;
    if (collection->count == HAND_IN_RECORDS_MAX ||
        outbox_room(collection->outbox) < collection->conf->outbox_bytes / 2)
        return -ENOBUFS; /* the rest waits */
    int result = outbox_add(collection->outbox, record);
    if (result == 0)
        strcpy(collection->name[collection->count++], record->name);
    else if (result != -ENOBUFS)
        collection->broken = 1;
    return result;
}

static int remove_taken(const void *context)
{
    const struct collection *collection = context;
    int records = user_directory_open(collection->user, HAND_IN_RECORDS, collection->who->uid);
    int result = records < 0 ? records : 0;
    for (size_t i = 0; i < collection->count && records >= 0; i++)
        if (unlinkat(records, collection->name[i], 0) != 0 && errno != ENOENT)
            result = -errno;
    return result;
}

static int run(struct collection *collection, uint64_t *refused)
{
    struct worker_summary summary = {0};
    const struct worker_order order = {.conf = collection->conf,
                                       .identity = collection->who,
                                       .kind = WORKER_RECORDS,
                                       .ledger = -1,
                                       .packages = -1,
                                       .user = collection->user,
                                       .deadline_ns = collection->end_ns};
    int result = worker_run(&order, take, collection, &summary);
    *refused += summary.damaged;
    return result == -ENOBUFS ? 0 : result;
}

/* What came before trouble with the user's files is sound. */
static int commit(const struct collection *collection, uint64_t *taken)
{
    if (collection->broken) {
        outbox_abort(collection->outbox);
        return 0;
    }
    int result = outbox_commit(collection->outbox);
    if (result != 0 || collection->count == 0)
        return result;
    *taken += collection->count;
    const struct as_user_order order = {
        .uid = collection->who->uid,
        .gid = collection->who->gid,
        .keep = {collection->user, -1},
        .act = remove_taken,
        .context = collection,
    };
    return as_user(&order);
}

static int collect(struct collection *collection, uint64_t *taken, uint64_t *refused)
{
    collection->name = calloc(HAND_IN_RECORDS_MAX, sizeof *collection->name);
    if (collection->name == NULL)
        return -ENOMEM;
    int result = run(collection, refused);
    int committed = commit(collection, taken);
    free(collection->name);
    return result != 0 ? result : committed;
}

int hand_in_collect(const struct conf *conf, const struct job_identity *who, int user,
                    uint64_t end_ns, struct outbox *outbox, uint64_t *taken, uint64_t *refused)
{
    struct collection collection = {
        .conf = conf, .who = who, .user = user, .end_ns = end_ns, .outbox = outbox};
    int records = user_directory_open(user, HAND_IN_RECORDS, who->uid);
    if (records < 0)
        return records == -ENOENT ? 0 : records;
    int result = spool_lock(records, 0) == 0 ? collect(&collection, taken, refused) : 0;
    close(records);
    return result;
}
