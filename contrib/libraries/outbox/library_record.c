/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/outbox/library_record.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "conf/base/uuid7.h"
#include "submit/record/json_add.h"

/* What the loader takes: bytes of a name and of a text, whole numbers, and seconds. */
enum { NAME_BYTES = 255, TEXT_BYTES = 65535 };
#define WHOLE_MAX   (INT64_C(1) << 53)
#define SECONDS_MAX INT64_C(100000000000)
#define SECOND_NS   INT64_C(1000000000)

static const char *known(const char *text)
{
    return text == NULL ? "" : text;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* As UTF-8 of `most` bytes at the most: names come out of files that anybody can have written. */
static void add_cut(struct json_object *table, const char *key, const char *text, size_t most)
{
    size_t length = 0;
    CLEANUP_FREE char *utf8 = text_from_bytes(known(text), strlen(known(text)), &length);
    if (utf8 == NULL)
        return;
    if (length > most)
        for (length = most; length > 0 && ((unsigned char)utf8[length] & 0xc0) == 0x80;)
            length--;
    json_add(table, key, json_object_new_string_len(utf8, (int)length));
}

static void add_name_or_null(struct json_object *table, const char *key, const char *text)
{
    if (known(text)[0] == '\0')
        json_add(table, key, NULL);
    else
        add_cut(table, key, text, NAME_BYTES);
}

/* A size or an owner can be any number on a disk that somebody has made. */
static void add_whole_or_null(struct json_object *table, const char *key, int64_t value)
{
    if (value < 0 || value > WHOLE_MAX)
        json_add(table, key, NULL);
    else
        json_add_int(table, key, value);
}

static void add_time_or_null(struct json_object *table, const char *key, int64_t time_ns)
{
    if (time_ns == LIBRARY_RECORD_NONE || time_ns / SECOND_NS > SECONDS_MAX ||
        time_ns / SECOND_NS < -SECONDS_MAX)
        json_add(table, key, NULL);
    else
        json_add_exact(table, key, (double)time_ns / (double)SECOND_NS);
}

static int64_t bounded(uint64_t count)
{
    return count > (uint64_t)WHOLE_MAX ? WHOLE_MAX : (int64_t)count;
}

/* ---- Uuids ----------------------------------------------------------------------------------- */

static uint64_t epoch_ns(int64_t time_ns)
{
    return time_ns < 0 ? 0 : (uint64_t)time_ns;
}

/* Of the parts, each with a NUL behind it: none has one inside. */
static int make_uuid(int64_t time_ns, const char *const *part, size_t count,
                     char uuid[RECORD_UUID_SIZE])
{
    uuid_t bytes;
    CLEANUP_FREE char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return -ENOMEM;
    fprintf(stream, "%" PRId64, time_ns);
    putc('\0', stream);
    for (size_t i = 0; i < count; i++)
        fwrite(known(part[i]), 1, strlen(known(part[i])) + 1, stream);
    if (fclose(stream) != 0)
        return -ENOMEM;
    uuid7_of(epoch_ns(time_ns), text, size, bytes);
    uuid_unparse_lower(bytes, uuid);
    return 0;
}

/* A summary and the first of its files have one path; a file can change twice within the second of
 * one time. What is known of a change by the watch alone is no part of it: the watch may be gone
 * when a change is reported again. */
static int record_uuid(const struct library_record_source *source, char uuid[RECORD_UUID_SIZE])
{
    char numbers[160], uids[48];
    snprintf(numbers, sizeof numbers, "%" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64,
             source->files, source->was.size, source->was.modified_ns, source->is.size,
             source->is.modified_ns);
    snprintf(uids, sizeof uids, "%" PRId64 " %" PRId64, source->who.uid, source->who.login_uid);
    const char *const parts[] = {"library",
                                 source->node,
                                 source->is_use ? "use" : "change",
                                 source->what,
                                 source->is_use ? source->source : "",
                                 source->library,
                                 source->path,
                                 source->was.sha1,
                                 source->is.sha1,
                                 numbers,
                                 source->is_use ? uids : "",
                                 source->is_use ? source->who.program : ""};
    return make_uuid(source->found_ns, parts, sizeof parts / sizeof parts[0], uuid);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static struct json_object *event_table(const struct library_record_source *source, const char *uuid,
                                       const char *event)
{
    struct json_object *table = json_object_new_object();
    const char *cluster = known(source->cluster);
    json_add_text(table, "uuid", uuid);
    json_add_text(table, "event", event);
    json_add_text(table, "kind", source->is_use ? "use" : "change");
    json_add_text(table, "what", source->what);
    add_cut(table, "library", source->library, NAME_BYTES);
    add_cut(table, "group", source->group, NAME_BYTES);
    add_cut(table, "path", source->path, TEXT_BYTES);
    add_cut(table, "path_before", source->path_before, TEXT_BYTES);
    json_add_int(table, "files", bounded(source->files));
    json_add_int(table, "links", bounded(source->links));
    json_add_int(table, "count", bounded(source->count));
    json_add(table, "first_scan", json_object_new_boolean(source->is_first));
    add_time_or_null(table, "found", source->found_ns);
    add_time_or_null(table, "after", source->after_ns);
    add_time_or_null(table, "before", source->before_ns);
    add_cut(table, "source", source->source, NAME_BYTES);
    add_whole_or_null(table, "uid", source->who.uid);
    add_whole_or_null(table, "login_uid", source->who.login_uid);
    add_name_or_null(table, "user", source->who.user);
    add_cut(table, "program", source->who.program, TEXT_BYTES);
    add_cut(table, "command", source->who.command, TEXT_BYTES);
    add_name_or_null(table, "cluster", record_cluster(source->conf, cluster));
    add_cut(table, "syshost", record_syshost(source->conf, cluster), NAME_BYTES);
    add_cut(table, "node", source->node, NAME_BYTES);
    add_whole_or_null(table, "job_id", source->who.job);
    add_name_or_null(table, "step_id", source->who.step);
    json_add_text(table, "version", JOBTRAIL_VERSION);
    return table;
}

static struct json_object *file_table(const struct library_record_file *file)
{
    struct json_object *table = json_object_new_object();
    add_whole_or_null(table, "size", file->size);
    add_time_or_null(table, "mtime", file->modified_ns);
    add_name_or_null(table, "sha1", file->sha1);
    add_name_or_null(table, "build_id", file->build_id);
    add_name_or_null(table, "soname", file->soname);
    add_name_or_null(table, "package", file->package);
    add_name_or_null(table, "version", file->version);
    add_whole_or_null(table, "owner", file->owner);
    return table;
}

int library_record_build(const struct library_record_source *source, struct built_record *record)
{
    char uuid[RECORD_UUID_SIZE], event[RECORD_UUID_SIZE];
    int error = record_uuid(source, uuid);
    /* the event of changes of a library that were found at one time on a node */
    const char *const parts[] = {"library event", source->node, source->library};
    if (error == 0 && source->event == NULL)
        error = make_uuid(source->found_ns, parts, sizeof parts / sizeof parts[0], event);
    if (error != 0)
        return error;
    struct json_object *object = record_start();
    if (object == NULL)
        return -ENOMEM;
    json_add(object, "libraryT",
             event_table(source, uuid, source->event == NULL ? event : source->event));
    json_add(object, "wasT", file_table(&source->was));
    json_add(object, "isT", file_table(&source->is));
    record_name(record, "lib", record_syshost(source->conf, known(source->cluster)),
                known(source->who.user), epoch_ns(source->found_ns), uuid);
    error = record_finish(object, record);
    json_object_put(object);
    return error;
}
