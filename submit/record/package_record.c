/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/package_record.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/text.h"
#include "conf/base/uuid7.h"
#include "submit/record/json_add.h"

enum { DIGITS = 12 };

/* Twelve hexadecimal digits, and a NUL. */
static void hash_digits(const struct package *package, char *digits)
{
    char text[PACKAGE_UUID_SIZE + 1024];
    uint8_t digest[DIGITS / 2];
    struct sha256_ctx context;
    int length = snprintf(text, sizeof text, "%s\t%s", package->program, package->name);
    sha256_init(&context);
    sha256_update(&context, (size_t)length, (const uint8_t *)text);
    sha256_digest(&context, sizeof digest, digest);
    text_hex(digest, DIGITS / 2, digits);
}

struct json_object *package_owner_table(const struct conf *conf,
                                        const struct job_identity *identity)
{
    struct json_object *table = json_object_new_object();
    if (table == NULL)
        return NULL;
    json_add_text(table, "cluster", record_cluster(conf, identity->cluster));
    json_add_optional(table, "job_id", identity->job, 0);
    json_add_text(table, "node", identity->node);
    json_add_int(table, "restart_count", identity->restart);
    json_add_int(table, "uid", identity->uid);
    json_add_text(table, "user", identity->user[0] == '\0' ? "unknown" : identity->user);
    return table;
}

/* The user's text. */
static void add_text(struct json_object *table, const char *key,
                     const struct package_source *source, const char *text)
{
    json_add(table, key, command_line_text(source->lines, text_bytes(text)));
}

int package_record_build(const struct package_source *source, struct built_record *record)
{
    const struct job_identity *identity = source->identity;
    char uuid[RECORD_UUID_SIZE], name_end[RECORD_UUID_SIZE + DIGITS + 1], digits[DIGITS + 1];
    const struct package *package = source->package;
    struct json_object *table = record_start();
    if (table == NULL)
        return -ENOMEM;
    hash_digits(package, digits);
    uuid_unparse_lower(source->capture->uuid, uuid);
    snprintf(name_end, sizeof name_end, "%s.%s", uuid, digits);
    json_add(table, "ownerT", package_owner_table(source->conf, identity));
    add_text(table, "package_name", source, package->name);
    add_text(table, "package_path", source, package->path);
    add_text(table, "package_version", source, source->version);
    add_text(table, "program", source, package->program);
    json_add_text(table, "xalt_run_uuid", uuid);
    record_name(record, "pkg", record_syshost(source->conf, identity->cluster), identity->user,
                source->capture->start_ns, name_end);
    int result = record_finish(table, record);
    json_object_put(table);
    return result;
}
