/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/privileges.h"
#include "conf/base/text.h"
#include "spank/job_formats.h"
#include "submit/evidence/user_files.h"
#include "submit/flush/reading.h"
#include "submit/flush/session_flush.h"
#include "submit/hand_in/hand_in_part.h"
#include "submit/hand_in/hand_in_read.h"
#include "submit/job/session.h"
#include "submit/job/spool_read.h"

/* Bounds of one flush, as users can make as many sessions as they like, and each may take its time.
 * A user who has used up USER_MS has the next turn LATER_S seconds later, after the other users. */
enum {
    NAMES_MAX = 10000,   /* of one user */
    USER_MS = 10000,     /* then nothing more is begun for a user */
    USER_END_MS = 20000, /* then what is being done for a user is ended */
    LATER_S = 300,
    FOREIGN_MAX = 10000, /* directories that are not of the user whose number they have */
    FOREIGN_MS = 10000   /* for all of these */
};

#define TURN "turn."

/* A user's directory. */
struct turn {
    char name[16];
    time_t used_up; /* when their last turn was, if it took all of their time; 0: it did not */
    uint32_t lot;   /* who comes first of those who are equal */
    bool foreign;   /* somebody else has made it */
};

struct turns {
    struct turn *turn; /* owned */
    size_t count;
    uint32_t lot;
};

/* Names with the number of no account that somebody has made, in this go. */
struct cleared {
    uint64_t removed, aside, stay;
};

/* What a user has handed in (submit/hand_in/link_send.h). */
struct collection {
    const struct session_user *user;
    char (*name)[RECORD_NAME_MAX]; /* owned: of what was taken */
    size_t count;
    struct built_record *file; /* owned: what is for parts (hand_in_part.h) */
    size_t files;
    bool is_out_of_room; /* the rest waits */
};

static int keep_for_part(struct collection *collection, const struct record_view *record)
{
    if (GROW(collection->file, collection->files) != 0)
        return -ENOMEM;
    struct built_record *file = &collection->file[collection->files];
    file->text = malloc(record->length + 1);
    if (file->text == NULL)
        return -ENOMEM;
    memcpy(file->text, record->text, record->length);
    file->text[record->length] = '\0';
    file->length = record->length;
    strcpy(file->name, record->name);
    collection->files++;
    return 0;
}

static int take_handed_in(void *context, const struct record_view *record)
{
    struct collection *collection = context;
    struct outbox *outbox = collection->user->sessions->outbox;
    const bool is_for_part = hand_in_part_of(record->name) != NULL;
    if (!is_for_part && outbox_room(outbox) < collection->user->sessions->conf->outbox_bytes / 2) {
        collection->is_out_of_room = true; /* what parts take needs none */
        return 0;
    }
    int error = collection->count + collection->files == HAND_IN_RECORDS_MAX ? -ENOBUFS
                : is_for_part ? keep_for_part(collection, record)
                              : outbox_add(outbox, record);
    collection->is_out_of_room |= error == -ENOBUFS;
    if (error == 0 && !is_for_part)
        strcpy(collection->name[collection->count++], record->name);
    return error;
}

static int remove_handed_in(const void *context)
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

static int by_name(const void *left, const void *right)
{
    const struct built_record *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static void give_to_parts(struct collection *collection)
{
    const struct session_user *user = collection->user;
    if (collection->files > 0)
        qsort(collection->file, collection->files, sizeof *collection->file, by_name);
    for (size_t from = 0, to; from < collection->files; from = to) {
        const struct hand_in_part *part = hand_in_part_of(collection->file[from].name);
        for (to = from + 1; to < collection->files; to++)
            if (hand_in_part_of(collection->file[to].name) != part)
                break;
        size_t done = part->take(user->sessions->conf, user->identity.uid, &collection->file[from],
                                 to - from);
        for (size_t i = from; i < from + done; i++)
            strcpy(collection->name[collection->count++], collection->file[i].name);
    }
}

static int commit_handed_in(struct collection *collection)
{
    const struct session_user *user = collection->user;
    int error = outbox_commit(user->sessions->outbox);
    if (error != 0)
        return error;
    user->sessions->count->records += collection->count;
    give_to_parts(collection);
    if (collection->count == 0)
        return 0;
    const struct as_user_order removal = {
        .uid = user->identity.uid,
        .gid = user->identity.gid,
        .keep = {user->directory, -1},
        .act = remove_handed_in,
        .context = collection,
    };
    return as_user(&removal);
}

/* A child that has become the user reads and removes; what it takes for records is looked at again
 * here. While more than half of the outbox is used, everything stays where it is. After a crash in
 * between, records may be taken again: under the same names. Returns 0 and an outcome, or -errno.
 */
static int read_handed_in(struct collection *collection, uint64_t *refused,
                          enum flush_outcome *outcome)
{
    const struct session_user *user = collection->user;
    struct reading_summary summary = {0};
    const struct reading_request request = {
        .kind = READING_HAND_IN,
        .conf = user->sessions->conf,
        .identity = &user->identity,
        .take = take_handed_in,
        .context = collection,
        .deadline_ns = user->end_ns,
        .user = user->directory,
    };
    collection->name = calloc(HAND_IN_RECORDS_MAX, sizeof *collection->name);
    int error = collection->name == NULL ? -ENOMEM : reading_run(&request, &summary, outcome);
    *refused = summary.damaged;
    if (error != 0 && !collection->is_out_of_room) {
        outbox_abort(user->sessions->outbox);
        return error;
    }
    if (collection->is_out_of_room)
        *outcome = FLUSH_DONE;
    return commit_handed_in(collection); /* what came before trouble with their files is sound */
}

/* Unless another flush is at it. */
static void collect_handed_in(const struct session_user *user)
{
    const struct job_identity *who = &user->identity;
    struct collection collection = {.user = user};
    enum flush_outcome outcome = FLUSH_DONE;
    uint64_t refused = 0;
    if (who->user[0] == '\0')
        return; /* nobody can say now which records are theirs */
    CLEANUP_CLOSE int records = user_directory_open(user->directory, HAND_IN_RECORDS, who->uid);
    int error = records < 0 && records != -ENOENT ? records : 0;
    if (records >= 0 && spool_lock(records, 0) == 0)
        error = read_handed_in(&collection, &refused, &outcome);
    for (size_t i = 0; i < collection.files; i++)
        record_free(&collection.file[i]);
    free(collection.file);
    free(collection.name);
    user->sessions->count->damaged += refused;
    if (refused > 0)
        fprintf(stderr,
                "jobtrail-submit: user %u: %llu files that are no records of theirs: now in "
                "%s/%u/refused\n",
                (unsigned)who->uid, (unsigned long long)refused, user->sessions->conf->sessions,
                (unsigned)who->uid);
    if (error == 0 && outcome == FLUSH_DONE)
        return;
    fprintf(stderr,
            "jobtrail-submit: user %u: what they have handed in is not taken, or not removed: %s\n",
            (unsigned)who->uid,
            error != 0 ? strerror(-error) : "the process that reads it was ended");
    user->sessions->count->failed++;
}

static void flush_user_sessions(const struct session_user *user)
{
    CLEANUP_LISTING DIR *listing = NULL;
    if (listing_open(user->directory, ".", &listing) != 0)
        return;
    const char *name = NULL;
    enum flush_outcome outcome = FLUSH_DONE;
    int left = NAMES_MAX;
    while (outcome != FLUSH_LATE && outcome != FLUSH_NO_ROOM && left > 0 &&
           clock_left_ms(user->deadline_ns) > 0 && (name = listing_next(listing)) != NULL) {
        outcome = session_flush(user, name);
        left--;
    }
    user->sessions->count->overflowed += outcome == FLUSH_NO_ROOM;
    if (name != NULL)
        fprintf(stderr, "jobtrail-submit: user %u: %s: the other sessions are for the next flush\n",
                (unsigned)user->identity.uid,
                left == 0                  ? "too many names"
                : outcome == FLUSH_NO_ROOM ? "no room in the outbox"
                                           : "no more time");
}

/* Returns whether the name is a number, and the number. One that has been written in two ways would
 * get a user the time of two. */
static int parse_uid(const char *name, uid_t *uid)
{
    char *end;
    unsigned long number = strtoul(name, &end, 10);
    if (*name < '0' || *name > '9' || (*name == '0' && name[1] != '\0') || *end != '\0' ||
        number >= UINT32_MAX)
        return 0;
    *uid = (uid_t)number;
    return 1;
}

/* Opens the directory of a user; what somebody else has made in its place is put aside. Returns a
 * descriptor or -errno. */
static int open_user(const struct sessions *sessions, int base, const char *name, uid_t uid,
                     struct cleared *cleared)
{
    char aside[SESSION_ASIDE_SIZE] = "";
    int user = user_directory_open(base, name, uid);
    if (user != -EPERM && user != -ENOTDIR && user != -ELOOP)
        return user;
    int error = session_place_mend(base, uid, aside);
    if (error == -ENOENT) { /* or it would be opened again and again, and its account looked for */
        error = session_place_clear(base, uid, aside);
        cleared->stay += error != 0;
        cleared->aside += error == 0 && aside[0] != '\0';
        cleared->removed += error == 0 && aside[0] == '\0';
        return -ENOENT;
    }
    if (error != 0) {
        fprintf(stderr, "jobtrail-submit: %s/%s: is no directory of this user's, and stays: %s\n",
                sessions->conf->sessions, name, strerror(-error));
        sessions->count->failed++;
        return error;
    }
    fprintf(stderr,
            "jobtrail-submit: %s/%s: was no directory of this user's, and is one now; what was "
            "there is %s\n",
            sessions->conf->sessions, name, aside[0] == '\0' ? "gone, as it was empty" : aside);
    return user_directory_open(base, name, uid);
}

static void flush_user(struct sessions *sessions, int base, const char *name,
                       struct cleared *cleared)
{
    struct session_user user = {.sessions = sessions,
                                .deadline_ns = clock_deadline(USER_MS),
                                .end_ns = clock_deadline(USER_END_MS)};
    struct stat status;
    uid_t uid;
    if (!parse_uid(name, &uid))
        return;
    user.directory = open_user(sessions, base, name, uid, cleared);
    if (user.directory < 0)
        return;
    if (fstat(user.directory, &status) == 0 &&
        job_identity_of_user(status.st_uid, status.st_gid, sessions->node, &user.identity) == 0) {
        outbox_owner(sessions->outbox, uid, 0);
        collect_handed_in(&user);
        flush_user_sessions(&user);
        job_identity_free(&user.identity);
    }
    close(user.directory);
}

/* Root's, with the sticky bit: or users could put others' directories aside. */
static int open_base(const char *path)
{
    struct stat status;
    char own[PATH_MAX];
    int length = snprintf(own, sizeof own, "%s" JOB_FORMATS_SUFFIX, path);
    if (length < 0 || (size_t)length >= sizeof own)
        return -ENAMETOOLONG;
    int fd = directory_make(own, 01733);
    if (fd < 0)
        return fd;
    if (fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
        ((status.st_mode & S_ISVTX) != 0 || (status.st_mode & (S_IWGRP | S_IWOTH)) == 0))
        return fd;
    char word[TERMINAL_WORD_SIZE];
    fprintf(stderr, "jobtrail-submit: %s: must belong to root, with mode 1733\n",
            terminal_word(path, word));
    close(fd);
    return -EPERM;
}

static void turn_path(const char *name, char path[32])
{
    snprintf(path, 32, TURN "%s", name);
}

static time_t turn_used_up(int notes, const char *name)
{
    char path[32];
    struct stat status;
    turn_path(name, path);
    return fstatat(notes, path, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_mtim.tv_sec : 0;
}

/* Whose it is costs one look, and no search for an account. */
static int add_turn(struct turns *turns, int base, int notes, const char *name)
{
    struct stat status;
    uid_t uid;
    if (!parse_uid(name, &uid) || strlen(name) >= sizeof turns->turn->name ||
        fstatat(base, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return 0;
    if (GROW(turns->turn, turns->count) != 0)
        return -ENOMEM;
    struct turn *turn = &turns->turn[turns->count];
    strcpy(turn->name, name);
    turn->foreign = !S_ISDIR(status.st_mode) || status.st_uid != uid;
    turn->used_up = turn->foreign ? 0 : turn_used_up(notes, name);
    turn->lot = ((uint32_t)uid + turns->lot) * 2654435761u;
    turns->count++;
    return 0;
}

static int by_turn(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    if (a->foreign != b->foreign)
        return a->foreign - b->foreign;
    if (a->used_up != b->used_up)
        return a->used_up < b->used_up ? -1 : 1;
    return a->lot < b->lot ? -1 : a->lot > b->lot;
}

static void tell_cleared(const struct sessions *sessions, const struct cleared *cleared)
{
    if (cleared->removed + cleared->aside + cleared->stay == 0)
        return;
    fprintf(
        stderr,
        "jobtrail-submit: %s: names with numbers that no account has: %llu are removed, as they "
        "were empty, %llu are put aside (" SESSION_ASIDE "*), %llu stay\n",
        sessions->conf->sessions, (unsigned long long)cleared->removed,
        (unsigned long long)cleared->aside, (unsigned long long)cleared->stay);
    sessions->count->failed += cleared->stay > 0;
}

/* Those who need long do not keep the others from their turn, nor the timer from other work. */
static void take_turns(struct sessions *sessions, int base, const struct turns *turns)
{
    uint64_t end_ns = clock_deadline(sessions->conf->job_timeout_s * UINT64_C(1000));
    uint64_t foreign_ns = 0;
    struct cleared cleared = {0, 0, 0};
    int foreign = 0;
    time_t now = time(NULL);
    for (size_t i = 0; i < turns->count && clock_left_ms(end_ns) > 0; i++) {
        const struct turn *turn = &turns->turn[i];
        if (turn->used_up > now - LATER_S && turn->used_up <= now)
            continue;
        if (turn->foreign && foreign++ == 0)
            foreign_ns = clock_deadline(FOREIGN_MS);
        if (turn->foreign && (foreign > FOREIGN_MAX || clock_left_ms(foreign_ns) == 0))
            break; /* they come last */
        uint64_t mine_ns = clock_deadline(USER_MS);
        flush_user(sessions, base, turn->name, &cleared);
        int used_up = clock_left_ms(mine_ns) == 0;
        if (used_up || turn->used_up != 0) {
            char path[32];
            turn_path(turn->name, path);
            unlinkat(sessions->notes, path, 0);
            int fd = used_up ? openat(sessions->notes, path,
                                      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
                             : -1;
            if (fd >= 0)
                close(fd);
        }
    }
    tell_cleared(sessions, &cleared);
}

int sessions_flush(const struct conf *conf, const char *node, struct outbox *outbox,
                   struct flush_count *count)
{
    struct sessions sessions = {.conf = conf, .node = node, .outbox = outbox, .count = count};
    struct turns turns = {NULL, 0, 0};
    int left = FOREIGN_MAX;
    if (conf->sessions[0] == '\0')
        return 0;
    CLEANUP_LISTING DIR *base = NULL;
    int error = listing_take(open_base(conf->sessions), &base);
    if (error != 0)
        return error;
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/sessions" JOB_FORMATS_SUFFIX, conf->state);
    sessions.notes =
        length < 0 || (size_t)length >= sizeof path ? -ENAMETOOLONG : directory_make(path, 0700);
    if (sessions.notes < 0)
        return sessions.notes;
    if (getrandom(&turns.lot, sizeof turns.lot, 0) != sizeof turns.lot)
        turns.lot = (uint32_t)time(NULL);
    for (const char *name; (name = listing_next(base)) != NULL;) {
        if (strncmp(name, SESSION_ASIDE, strlen(SESSION_ASIDE)) == 0 && left-- > 0)
            unlinkat(dirfd(base), name, AT_REMOVEDIR); /* if it is empty by now */
        else if (add_turn(&turns, dirfd(base), sessions.notes, name) != 0)
            break;
    }
    if (turns.count > 0)
        qsort(turns.turn, turns.count, sizeof *turns.turn, by_turn);
    take_turns(&sessions, dirfd(base), &turns);
    free(turns.turn);
    session_notes_clean(sessions.notes, dirfd(base));
    close(sessions.notes);
    return 0;
}
