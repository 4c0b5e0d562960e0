/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/hand_in/hand_in_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "submit/evidence/user_files.h"
#include "submit/hand_in/hand_in_check.h"
#include "submit/hand_in/hand_in_part.h"
#include "submit/outbox/outbox.h"
#include "submit/record/json_add.h"

bool hand_in_adopt_name(const char *name, const char *user_name, char adopted[RECORD_NAME_MAX])
{
    char user[RECORD_USER_SIZE];
    const struct record_view record = record_view(name, "", 0);
    if (record.kind != RECORD_LINK || !record.is_exact || hand_in_name_fits(&record, user_name))
        return false;
    record_plain_name(user_name, user, sizeof user);
    int length = snprintf(adopted, RECORD_NAME_MAX, "%.*s%s.%s", (int)(record.user.at - name), name,
                          user, record.uuid);
    if (length >= RECORD_NAME_MAX)
        return false;
    const struct record_view renamed = record_view(adopted, "", 0);
    return hand_in_name_fits(&renamed, user_name);
}

static int write_adopted(struct json_object *record, struct built_record *adopted)
{
    struct json_object *crc;
    if (strncmp(adopted->text, "{\"crc\":\"", 8) == 0 &&
        json_object_object_get_ex(record, "crc", &crc)) {
        json_object_set_string(crc, "0xFFFF");
        return record_finish(record, adopted);
    }
    adopted->text = record_text(record);
    adopted->length = adopted->text == NULL ? 0 : strlen(adopted->text);
    return adopted->text == NULL ? -ENOMEM : 0;
}

int hand_in_adopt_text(const char *user_name, uid_t uid, struct built_record *record)
{
    struct json_object *parsed = hand_in_parse(record->text), *result, *name, *own;
    struct built_record adopted = *record;
    int error = 0;
    if (json_object_object_get_ex(parsed, "resultT", &result) &&
        json_object_object_get_ex(result, "build_user", &name) &&
        json_object_is_type(name, json_type_string)) {
        json_object_object_add(result, "build_user", json_bytes(text_bytes(user_name)));
        if (json_object_object_get_ex(parsed, "jobtrailT", &own) &&
            json_object_object_get_ex(own, "uid", NULL))
            json_object_object_add(own, "uid", json_object_new_int64(uid));
        error = write_adopted(parsed, &adopted);
        if (error == 0) {
            record_free(record);
            *record = adopted;
        }
    }
    json_object_put(parsed);
    return error;
}

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
    const uid_t uid = go->read->uid;
    struct record_view view = record_view(name, "", 0);
    const struct hand_in_part *part = hand_in_part_of(name);
    if (strlen(name) >= sizeof record->name ||
        (part == NULL && !hand_in_name_fits(&view, user_name)) ||
        read_whole(go->records, name, uid, record) != 0)
        return false;
    strcpy(record->name, name);
    view = record_view_of(record);
    if (part != NULL)
        return part->fits(&view);
    if (!hand_in_is_line(&view))
        return false;
    if (hand_in_text_fits(&view, user_name, uid))
        return true;
    if (hand_in_adopt_text(user_name, uid, record) != 0 || record->length > OUTBOX_TEXT_MAX)
        return false;
    view = record_view_of(record);
    return hand_in_text_fits(&view, user_name, uid);
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
        struct built_record record = {.text = NULL};
        if (name[0] == '.') {
            remove_left_over(go->records, name); /* or being written */
            continue;
        }
        if (!is_record(go, name, &record))
            refuse_file(go, name);
        else if ((error = go->read->give(go->read->context, &record)) == 0)
            ++*go->given;
        go->names++;
        go->bytes += record.length;
        record_free(&record);
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
