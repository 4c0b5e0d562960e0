/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What records of a step have in common. Apart from record.c, of which jobtrail-ld has no use.
 */
#include "submit/record/record.h"

#include <errno.h>
#include <stdio.h>

#include "conf/base/cleanup.h"
#include "conf/base/uuid7.h"
#include "spank/journal.h"
#include "submit/record/json_add.h"

int step_part_uuid(const struct step_part *part, const char *kind, const char *what, char *text)
{
    const struct job_identity *identity = part->identity;
    CLEANUP_FREE char *words = NULL;
    size_t size = 0;
    uint8_t uuid[16];
    FILE *stream = open_memstream(&words, &size);
    if (stream == NULL)
        return -ENOMEM;
    fprintf(stream, "%s %s %s %u.%u %u %s", kind, record_cluster(part->conf, identity->cluster),
            identity->node, identity->job, identity->restart, part->step->step, what);
    if (fclose(stream) != 0)
        return -ENOMEM;
    uuid7_of(part->step->start_ns, words, size, uuid);
    uuid_unparse_lower(uuid, text);
    return 0;
}

static void add_name_or_null(struct json_object *table, const char *key, const char *text)
{
    if (text[0] == '\0')
        json_add(table, key, NULL);
    else
        json_add_text(table, key, text);
}

void step_part_add_job(struct json_object *table, const struct step_part *part)
{
    const struct job_identity *identity = part->identity;
    add_name_or_null(table, "cluster", record_cluster(part->conf, identity->cluster));
    json_add_text(table, "syshost", record_syshost(part->conf, identity->cluster));
    record_add_job(table, identity);
    add_name_or_null(table, "user", identity->user);
    add_name_or_null(table, "account", identity->account);
    add_name_or_null(table, "partition", identity->partition);
}

void step_part_add_step(struct json_object *table, const struct step_part *part)
{
    char step[16];
    journal_step_text(part->step->step, step, sizeof step);
    json_add_text(table, "step_id", step);
    json_add_int(table, "step_tasks", part->step->tasks);
    json_add_int(table, "step_nodes", part->step->nodes);
    json_add_int(table, "node_tasks", part->step->local_tasks);
}

void step_part_add_seconds(struct json_object *table, const char *key, double ns, bool is_known)
{
    if (is_known)
        json_add_exact(table, key, ns / 1e9);
    else
        json_add(table, key, NULL);
}
