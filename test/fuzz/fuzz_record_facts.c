/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records that a worker hands to its parent, a line each. Of one that is taken, a parser that knows
 * JSON must find the facts.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "submit/definition/record_facts.h"
#include "test/fuzz/fuzz.h"

enum { PARSER_DEPTH = 64 };

static const char user_table[] = "userT", slurm_table[] = "slurmT";
static char uuid[] = "\"1\"";
static const struct record_fact facts[] = {
    {.table = user_table, .key = "run_uuid", .text = uuid},
    {.table = user_table, .key = "user", .text = "\"alice\""},
    {.table = user_table, .key = "scheduler", .text = "\"SLURM\"", .differs = 1},
    {.table = slurm_table, .key = "job_id", .text = "null"},
};

static struct json_object *find(struct json_object *record, const struct record_fact *fact)
{
    struct json_object *table, *value;
    if (!json_object_object_get_ex(record, fact->table, &table) ||
        !json_object_object_get_ex(table, fact->key, &value))
        abort();
    return value;
}

static void expect(struct json_object *record)
{
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const char *text =
            json_object_to_json_string_ext(find(record, &facts[i]), JSON_C_TO_STRING_PLAIN);
        if ((strcmp(text, facts[i].text) == 0) == facts[i].differs)
            abort();
    }
}

static void take(struct record_facts *held, const char *line, size_t length)
{
    if (!record_facts_hold(held, line, length))
        return;
    struct json_tokener *tokener = json_tokener_new_ex(PARSER_DEPTH);
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    struct json_object *record = json_tokener_parse_ex(tokener, line, (int)length);
    if (record == NULL)
        abort();
    expect(record);
    json_object_put(record);
    json_tokener_free(tokener);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct record_facts *held = record_facts_new(RECORD_RUN, facts, sizeof facts / sizeof facts[0]);
    char *text = malloc(size + 1);
    if (held == NULL || text == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    uuid[1] = '1';
    for (char *line = text, *end; *line != '\0' && uuid[1] <= '9'; line = end + 1, uuid[1]++) {
        end = strchr(line, '\n');
        if (end == NULL)
            break;
        take(held, line, (size_t)(end - line));
    }
    free(text);
    record_facts_free(held);
    return 0;
}
