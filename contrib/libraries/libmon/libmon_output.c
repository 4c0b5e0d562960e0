/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libmon/libmon_output.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uuid/uuid.h>

#include "conf/base/cleanup.h"
#include "conf/base/host.h"
#include "conf/base/text.h"
#include "conf/base/uuid7.h"
#include "contrib/libraries/library_user.h"
#include "submit/definition/record_view.h"

enum { SHOWN_BYTES = 4 * PATH_MAX };

#define SECOND_NS INT64_C(1000000000)

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_shown(FILE *stream, const char *before, const char *text)
{
    char shown[SHOWN_BYTES];
    terminal_text(text, strlen(text), shown, sizeof shown);
    fprintf(stream, "%s%s", before, shown);
}

static void print_pair(const char *name, const char *was, const char *is)
{
    if (strcmp(was, is) == 0)
        return;
    printf("  %s", name);
    print_shown(stdout, " ", was[0] == '\0' ? "-" : was);
    print_shown(stdout, " -> ", is[0] == '\0' ? "-" : is);
}

static void print_who(const struct library_who *who)
{
    char name[LIBRARY_USER_SIZE];
    if (who->how == LIBRARY_WHO_NOT_WATCHED)
        return;
    if (who->how == LIBRARY_WHO_UNKNOWN) {
        fputs("  by unknown", stdout);
        return;
    }
    library_user_name(who->uid, name);
    printf("  by %s", name);
    if (who->login_uid != LIBRARY_NO_USER && who->login_uid != who->uid) {
        library_user_name(who->login_uid, name);
        printf(", logged in as %s", name);
    }
    print_shown(stdout, ", ", who->command);
}

static void print_text(const struct library_change *change)
{
    const struct library_file *was = &change->was, *is = &change->is;
    printf("%-8s  ", library_change_word(change->kind));
    print_shown(stdout, "", change->path);
    print_shown(stdout, "  ", change->kind == LIBRARY_REMOVED ? was->name : is->name);
    if (change->from != NULL)
        print_shown(stdout, "  from ", change->from);
    if (change->kind != LIBRARY_ADDED && change->kind != LIBRARY_REMOVED) {
        print_pair("version", was->version, is->version);
        print_pair("build-id", was->build_id, is->build_id);
        if (strcmp(was->build_id, is->build_id) == 0)
            print_pair("sha1", was->sha1, is->sha1);
    }
    if (change->links > 0)
        printf("  and %u more names", change->links);
    print_who(&change->who);
    putchar('\n');
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_text(struct json_object *json, const char *key, const char *text)
{
    size_t length;
    CLEANUP_FREE char *utf8 = text_from_bytes(text, strlen(text), &length);
    if (utf8 != NULL && utf8[0] != '\0')
        json_object_object_add(json, key, json_object_new_string_len(utf8, (int)length));
}

static void add_time(struct json_object *json, const char *key, int64_t time_ns)
{
    char text[48];
    double time_s = (double)time_ns / 1e9;
    snprintf(text, sizeof text, "%s%lld.%09lld", time_ns < 0 ? "-" : "",
             llabs(time_ns) / 1000000000, llabs(time_ns) % 1000000000);
    json_object_object_add(json, key, json_object_new_double_s(time_s, text));
}

static struct json_object *file_json(const struct library_file *file)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "owner", json_object_new_int64(file->owner));
    json_object_object_add(json, "inode", json_object_new_uint64(file->inode));
    json_object_object_add(json, "size", json_object_new_int64(file->size));
    add_time(json, "mtime", file->modified_ns);
    if (file->changed_ns != 0)
        add_time(json, "ctime", file->changed_ns);
    add_text(json, "sha1", file->sha1);
    add_text(json, "build_id", file->build_id);
    add_text(json, "soname", file->soname);
    add_text(json, "library", file->name);
    add_text(json, "package", file->package);
    add_text(json, "version", file->version);
    return json;
}

static void add_user(struct json_object *json, const char *key, uint32_t uid)
{
    char name[LIBRARY_USER_SIZE], uid_key[32];
    if (uid == LIBRARY_NO_USER)
        return;
    library_user_name(uid, name);
    snprintf(uid_key, sizeof uid_key, "%s_uid", key);
    json_object_object_add(json, uid_key, json_object_new_int64(uid));
    add_text(json, key, name);
}

/* {} where it is not known. */
static struct json_object *who_json(const struct library_who *who)
{
    struct json_object *json = json_object_new_object();
    if (who->how == LIBRARY_WHO_UNKNOWN)
        return json;
    add_user(json, "user", who->uid);
    add_user(json, "login", who->login_uid);
    add_text(json, "command", who->command);
    add_text(json, "program", who->program);
    if (who->job != LIBRARY_NO_JOB)
        json_object_object_add(json, "job", json_object_new_int64(who->job));
    if (who->step != LIBRARY_NO_JOB)
        json_object_object_add(json, "step", json_object_new_int64(who->step));
    add_text(json, "event", who->event);
    add_text(json, "how", who->how == LIBRARY_WHO_BY_FILE ? "file" : "directory");
    json_object_object_add(json, "others", json_object_new_int64(who->others));
    json_object_object_add(json, "time", json_object_new_int64(who->time_s));
    return json;
}

static int print_json(struct libmon_output *output, const struct library_change *change)
{
    struct json_object *json = json_object_new_object();
    add_text(json, "change", library_change_word(change->kind));
    add_text(json, "path", change->path);
    if (change->from != NULL)
        add_text(json, "from", change->from);
    add_text(json, "group", change->group);
    json_object_object_add(json, "links", json_object_new_int64(change->links));
    json_object_object_add(json, "first_scan", json_object_new_boolean(change->is_first));
    json_object_object_add(json, "found", json_object_new_int64(change->found_s));
    if (change->who.how != LIBRARY_WHO_NOT_WATCHED)
        json_object_object_add(json, "who", who_json(&change->who));
    if (change->kind != LIBRARY_ADDED)
        json_object_object_add(json, "was", file_json(&change->was));
    if (change->kind != LIBRARY_REMOVED)
        json_object_object_add(json, "is", file_json(&change->is));
    const char *text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_NOSLASHESCAPE);
    if (text != NULL)
        printf("%s%s", output->printed == 0 ? "{\"changes\": [\n" : ",\n", text);
    json_object_put(json);
    return text == NULL ? -ENOMEM : 0;
}

/* ---- The scan's calls ------------------------------------------------------------------------ */

/* Texts of a record that are made of what is known of who it was. */
struct who_texts {
    char user[LIBRARY_USER_SIZE], step[16], event[RECORD_UUID_SIZE];
};

/* An event is a uuid of the time of its first change, which its text has before the dash. */
static const char *event_of(const struct library_who *who, char text[RECORD_UUID_SIZE])
{
    char named[LIBRARY_EVENT_SIZE + HOST_NAME_MAX];
    uuid_t uuid;
    unsigned long long begin_s = 0;
    int size = snprintf(named, sizeof named, "%s %s", who->event, host_node());
    if (who->event[0] == '\0' || sscanf(who->event, "%llx-", &begin_s) != 1)
        return NULL;
    uuid7_of(begin_s * (uint64_t)SECOND_NS, named, (size_t)size, uuid);
    uuid_unparse_lower(uuid, text);
    return text;
}

/* The watch has seen when it was, and who did it. */
static void add_sighting(const struct library_change *change, struct library_sighting *sighting,
                         struct who_texts *texts)
{
    const struct library_who *who = &change->who;
    if (who->how < LIBRARY_WHO_BY_FILE)
        return;
    library_user_name(who->uid, texts->user);
    texts->step[0] = '\0';
    if (who->step != LIBRARY_NO_JOB)
        snprintf(texts->step, sizeof texts->step, "%u", who->step);
    sighting->source = "watch";
    sighting->event = event_of(who, texts->event);
    /* An event has no time of its own but that when it was read: with many of them, some time after
     * the change. The file's time of last change tells more, where it is earlier. */
    int64_t event_ns = change->who.time_s * SECOND_NS;
    /* a file that moves with its directory keeps its own */
    int64_t changed_ns = change->who.how == LIBRARY_WHO_BY_FILE ? change->is.changed_ns : 0;
    sighting->after_ns =
        changed_ns > 0 && changed_ns < event_ns ? changed_ns / SECOND_NS * SECOND_NS : event_ns;
    sighting->before_ns = (who->time_s + 1) * SECOND_NS;
    sighting->who = (struct library_record_who){
        .uid = who->uid,
        .login_uid = who->login_uid == LIBRARY_NO_USER ? LIBRARY_RECORD_NONE : who->login_uid,
        .user = texts->user,
        .program = who->program,
        .command = who->command,
        .job = who->job == LIBRARY_NO_JOB ? LIBRARY_RECORD_NONE : who->job,
        .step = texts->step,
    };
}

/* A record that finds no room does not keep the others from being written to logs: libmon_keep()
 * says it. */
int libmon_tell(void *context, const struct library_change *change)
{
    struct libmon_output *output = context;
    struct who_texts texts;
    struct library_sighting sighting = {
        .source = "scan",
        .after_ns = change->seen_s == 0 ? LIBRARY_RECORD_NONE : change->seen_s * SECOND_NS,
        .before_ns = LIBRARY_RECORD_NONE,
        .who = LIBRARY_RECORD_NOBODY,
    };
    add_sighting(change, &sighting, &texts);
    if (output->records != NULL)
        library_outbox_change(output->records, change, &sighting);
    /* What a tree had when it was scanned for the first time is counted, and not listed. */
    int error = 0;
    progress_clear(&output->progress);
    output->changes[change->kind]++;
    output->beyond += change->is_beyond;
    if (change->is_beyond)
        return 0;
    if (output->form == LIBMON_JSON)
        error = print_json(output, change);
    else if (output->form == LIBMON_TEXT && !change->is_first)
        print_text(change);
    output->printed++;
    return error;
}

int libmon_keep(void *context)
{
    struct libmon_output *output = context;
    output->unkept = output->records == NULL ? 0 : library_outbox_keep(output->records);
    return output->unkept;
}

const char *libmon_trouble(void *context)
{
    struct libmon_output *output = context;
    if (output->unkept == 0)
        return NULL;
    snprintf(output->trouble, sizeof output->trouble, "records of the changes: %s",
             output->unkept == -ENOBUFS ? "root's share of the outbox is full ([outbox] size); "
                                          "see jobtrail-submit outbox list"
                                        : strerror(-output->unkept));
    return output->trouble;
}

int libmon_flush(void *context)
{
    struct libmon_output *output = context;
    if (output->failed == 0 && fflush(stdout) != 0)
        output->failed = -errno;
    else if (output->failed == 0 && ferror(stdout) != 0)
        output->failed = -EIO; /* a flush in between has failed */
    return output->failed;
}

void libmon_warn(void *context, const char *path, const char *text)
{
    struct libmon_output *output = context;
    progress_clear(&output->progress);
    print_shown(stderr, "jobtrail-libmon: ", path);
    fprintf(stderr, ": %s\n", text);
}

void libmon_progress(void *context, uint64_t count)
{
    struct libmon_output *output = context;
    progress_show(&output->progress, (size_t)count, "");
}

void libmon_print_end(struct libmon_output *output, const struct library_scan_counts *counts)
{
    if (output->form == LIBMON_JSON) {
        printf("%s], \"files\": %" PRIu64 ", \"read\": %" PRIu64 ", \"away\": %" PRIu64
               ", \"trees_away\": %" PRIu64 ", \"unreadable\": %" PRIu64 ", \"unhashed\": %" PRIu64
               ", \"too_deep\": %" PRIu64 ", \"forgotten\": %" PRIu64 ", \"beyond\": %" PRIu64
               "}\n",
               output->printed == 0 ? "{\"changes\": [" : "\n", counts->files, counts->hashed,
               counts->away, counts->trees_away, counts->unreadable, counts->unhashed,
               counts->too_deep, counts->forgotten, output->beyond);
        return;
    }
    if (output->form == LIBMON_QUIET)
        return;
    printf("%" PRIu64 " files", counts->files);
    for (int kind = LIBRARY_ADDED; kind <= LIBRARY_REMOVED; kind++)
        if (output->changes[kind] > 0)
            printf(", %" PRIu64 " %s", output->changes[kind],
                   library_change_word((enum library_change_kind)kind));
    if (output->printed == 0)
        fputs(", no change", stdout);
    if (counts->away > 0)
        printf(", %" PRIu64 " away", counts->away);
    if (counts->unreadable > 0)
        printf(", %" PRIu64 " unreadable", counts->unreadable);
    if (counts->unhashed > 0)
        printf(", %" PRIu64 " without a hash", counts->unhashed);
    if (counts->too_deep > 0)
        printf(", %" PRIu64 " too deep", counts->too_deep);
    if (output->beyond > 0)
        printf(", %" PRIu64 " of them only counted", output->beyond);
    if (counts->forgotten > 0)
        printf(", %" PRIu64 " forgotten", counts->forgotten);
    putchar('\n');
}
