/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/hand_in/hand_in_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/listing.h"
#include "conf/base/whole_file.h"
#include "submit/evidence/user_files.h"
#include "submit/hand_in/hand_in_adopt.h"
#include "submit/hand_in/hand_in_check.h"
#include "submit/outbox/outbox.h"

/* What a program that was killed did not finish. */
enum { LEFT_OVER_S = 86400 };

struct go {
    const struct hand_in_read *read;
    int records; /* the directory */
    size_t names, bytes;
    uint64_t *given, *refused;
};

/* Reads a file whole, malloc'ed, its last newline taken off. Returns 0 or -errno. */
static int read_whole(int directory, const char *name, uid_t uid, struct built_record *record)
{
    int error = whole_file_take(user_file_open(directory, name, uid), OUTBOX_TEXT_MAX,
                                &record->text, &record->length);
    if (error == 0 && record->length > 0 && record->text[record->length - 1] == '\n')
        record->text[--record->length] = '\0';
    return error;
}

static bool is_record(const struct go *go, const char *name, struct built_record *record)
{
    const char *user_name = go->read->user_name;
    struct record_view view = record_view(name, "", 0);
    if (strlen(name) >= sizeof record->name || !hand_in_name_fits(&view, user_name) ||
        read_whole(go->records, name, go->read->uid, record) != 0)
        return false;
    strcpy(record->name, name);
    view = record_view_of(record);
    if (!hand_in_is_line(&view))
        return false;
    if (hand_in_text_fits(&view, user_name))
        return true;
    if (hand_in_adopt_text(user_name, record) != 0 || record->length > OUTBOX_TEXT_MAX)
        return false;
    view = record_view_of(record);
    return hand_in_text_fits(&view, user_name);
}

/* Out of the way of those that are to come. */
static void refuse_file(const struct go *go, const char *name)
{
    bool has_place = mkdirat(go->read->user, HAND_IN_REFUSED, 0700) == 0 || errno == EEXIST;
    CLEANUP_CLOSE int refused =
        has_place ? user_directory_open(go->read->user, HAND_IN_REFUSED, go->read->uid) : -1;
    if (refused >= 0)
        renameat(go->records, name, refused, name);
    ++*go->refused;
}

static int visit_file(struct go *go, const char *name)
{
    struct built_record record = {.text = NULL};
    int error = 0;
    if (!is_record(go, name, &record))
        refuse_file(go, name);
    else if ((error = go->read->give(go->read->context, &record)) == 0)
        ++*go->given;
    go->names++;
    go->bytes += record.length;
    record_free(&record);
    return error;
}

static void remove_left_over(int records, const char *name)
{
    struct stat status;
    if (fstatat(records, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
        status.st_mtim.tv_sec + LEFT_OVER_S < time(NULL))
        unlinkat(records, name, 0);
}

/* Links get their user's name, before any is given: a name that changes may be listed twice. */
static void adopt_all(const struct go *go, DIR *listing)
{
    struct stat status;
    const char *listed;
    char name[RECORD_NAME_MAX];
    size_t adopted = 0;
    while (adopted < HAND_IN_RECORDS_MAX && (listed = listing_next(listing)) != NULL)
        if (hand_in_adopt_name(listed, go->read->user_name, name) &&
            fstatat(go->records, name, &status, AT_SYMLINK_NOFOLLOW) != 0 &&
            renameat(go->records, listed, go->records, name) == 0)
            adopted++;
    rewinddir(listing);
}

static int visit_all(struct go *go, DIR *listing)
{
    const char *name;
    int error = 0;
    while (error == 0 && go->names < HAND_IN_RECORDS_MAX && go->bytes < HAND_IN_BYTES_MAX &&
           (name = listing_next(listing)) != NULL) {
        if (name[0] != '.')
            error = visit_file(go, name);
        else
            remove_left_over(go->records, name); /* or being written */
    }
    return error;
}

int hand_in_read(const struct hand_in_read *read, uint64_t *given, uint64_t *refused)
{
    struct go go = {.read = read, .given = given, .refused = refused};
    go.records = user_directory_open(read->user, HAND_IN_RECORDS, read->uid);
    if (go.records < 0)
        return go.records == -ENOENT ? 0 : go.records;
    if (faccessat(go.records, ".", R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
        close(go.records);
        return -EACCES;
    }
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_take(go.records, &listing);
    if (error != 0)
        return error;
    adopt_all(&go, listing);
    return visit_all(&go, listing);
}
