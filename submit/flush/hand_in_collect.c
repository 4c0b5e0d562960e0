/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/hand_in_collect.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/privileges.h"
#include "submit/evidence/user_files.h"
#include "submit/flush/reading.h"
#include "submit/hand_in/hand_in_read.h"
#include "submit/job/spool_read.h"

struct collection {
    const struct session_user *user;
    char (*name)[RECORD_NAME_MAX]; /* owned: of what was taken */
    size_t count;
    bool is_out_of_room; /* the rest waits */
};

static int take_record(void *context, const struct record_view *record)
{
    struct collection *collection = context;
    struct outbox *outbox = collection->user->sessions->outbox;
    int error = collection->count == HAND_IN_RECORDS_MAX ||
                        outbox_room(outbox) < collection->user->sessions->conf->outbox_bytes / 2
                    ? -ENOBUFS
                    : outbox_add(outbox, record);
    collection->is_out_of_room = error == -ENOBUFS;
    if (error == 0)
        strcpy(collection->name[collection->count++], record->name);
    return error;
}

static int remove_taken(const void *context)
{
    const struct collection *collection = context;
    int records = user_directory_open(collection->user->directory, HAND_IN_RECORDS,
                                      collection->user->identity.uid);
    int error = records < 0 ? records : 0;
    for (size_t i = 0; i < collection->count && records >= 0; i++)
        if (unlinkat(records, collection->name[i], 0) != 0 && errno != ENOENT)
            error = -errno;
    return error;
}

static int commit_taken(const struct collection *collection, uint64_t *taken)
{
    const struct session_user *user = collection->user;
    int error = outbox_commit(user->sessions->outbox);
    if (error != 0 || collection->count == 0)
        return error;
    *taken += collection->count;
    const struct as_user_order removal = {
        .uid = user->identity.uid,
        .gid = user->identity.gid,
        .keep = {user->directory, -1},
        .act = remove_taken,
        .context = collection,
    };
    return as_user(&removal);
}

static int read_and_commit(struct collection *collection, uint64_t *taken, uint64_t *refused,
                           enum flush_outcome *outcome)
{
    const struct session_user *user = collection->user;
    struct reading_summary summary = {0};
    const struct reading_request request = {
        .kind = READING_HAND_IN,
        .conf = user->sessions->conf,
        .identity = &user->identity,
        .take = take_record,
        .context = collection,
        .deadline_ns = user->end_ns,
        .user = user->directory,
    };
    int error = reading_run(&request, &summary, outcome);
    *refused += summary.damaged;
    if (error != 0 && !collection->is_out_of_room) {
        outbox_abort(user->sessions->outbox);
        return error;
    }
    if (collection->is_out_of_room)
        *outcome = FLUSH_DONE;
    return commit_taken(collection,
                        taken); /* what came before trouble with the user's files is sound */
}

int hand_in_collect(const struct session_user *user, uint64_t *taken, uint64_t *refused,
                    enum flush_outcome *outcome)
{
    struct collection collection = {.user = user};
    CLEANUP_CLOSE int records =
        user_directory_open(user->directory, HAND_IN_RECORDS, user->identity.uid);
    int error = records < 0 && records != -ENOENT ? records : 0;
    *outcome = FLUSH_DONE;
    if (records >= 0 && spool_lock(records, 0) == 0) {
        collection.name = calloc(HAND_IN_RECORDS_MAX, sizeof *collection.name);
        error = collection.name == NULL ? -ENOMEM
                                        : read_and_commit(&collection, taken, refused, outcome);
        free(collection.name);
    }
    return error;
}
