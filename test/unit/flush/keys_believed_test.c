/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Of each value of a record: where submit/definition/keys.def says that it is root's, a gate
 * refuses another one; where it says that it is the user's, no gate looks at it.
 */
#include <json-c/json.h>

#include "submit/flush/worker_check.h"
#include "submit/hand_in/hand_in_check.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/defined_keys.h"
#include "test/unit/fixture/made_run.h"
#include "test/unit/fixture/sample_records.h"

/* Whether root takes the record from a reader of this kind. */
static bool is_taken_by(enum reading_kind kind, const struct record_view *record)
{
    struct made made;
    make_whole(&made);
    struct job_allocation allocation = job_allocation_find(&made.journal, 0);
    allocation.tasks = 8; /* more than the sample tells of */
    struct worker_check *check =
        worker_check_new(kind, &made.conf, &made.journal.identity,
                         kind == READING_JOB ? &allocation : NULL, NULL, -1, -1);
    assert_non_null(check);
    bool taken = worker_check_record(check, record);
    worker_check_free(check);
    return taken;
}

/* Whether root takes the record of the sample's job, with its name. */
static bool is_taken(enum record_kind kind, const char *text)
{
    const struct record_view record = record_view(sample_name(), text, strlen(text));
    if (kind == RECORD_LINK)
        return hand_in_text_fits(&record, "alice", 1000);
    return is_taken_by(READING_JOB, &record);
}

/* Another value of its type. */
static struct json_object *other_value(struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_string:
        return json_object_new_string("019a9f00-1122-7abc-8def-0102030405fe");
    case json_type_int:
        return json_object_new_int64(json_object_get_int64(value) + 1);
    case json_type_boolean:
        return json_object_new_boolean(!json_object_get_boolean(value));
    case json_type_array:
        return json_object_new_array();
    case json_type_object:
        return json_object_new_object();
    default:
        return json_object_new_double_s(0.25, "0.2500");
    }
}

/* The object that has the key: the record, one of its tables, or the first of an array of such. */
static struct json_object *table_of(struct json_object *record, const char *table)
{
    struct json_object *found = table[0] == '\0' ? record : json_object_object_get(record, table);
    return json_object_is_type(found, json_type_array) ? json_object_array_get_idx(found, 0)
                                                       : found;
}

static void change(enum record_kind kind, const struct defined_key *defined)
{
    char *text = sample_record(kind);
    struct json_object *record = json_tokener_parse(text);
    struct json_object *table = table_of(record, defined->table);
    assert_true(is_taken(kind, text));
    json_object_object_add(table, defined->key,
                           other_value(json_object_object_get(table, defined->key)));
    char *changed = record_text(record);
    if (is_taken(kind, changed) == defined->is_roots)
        fail_msg("%s.%s is %s, and another value is %s", defined->table, defined->key,
                 defined->is_roots ? "root's" : "the user's",
                 defined->is_roots ? "taken" : "refused");
    free(changed);
    json_object_put(record);
    free(text);
}

TEST(root_refuses_what_root_knows_to_be_wrong_and_nothing_else)
{
    for (size_t i = 0; i < defined_key_count; i++)
        for (enum record_kind kind = RECORD_RUN; kind < RECORD_LIBRARY; kind++)
            if (defined_keys[i].table != NULL && defined_for(&defined_keys[i], kind) &&
                sample_has_key(defined_keys[i].table, defined_keys[i].key))
                change(kind, &defined_keys[i]);
}

/* Root makes them of what root has seen: nobody else says who has changed a library. */
static void no_gate_takes(enum record_kind wanted)
{
    char *text = sample_record(wanted);
    const struct record_view record = record_view(sample_name(), text, strlen(text));
    assert_int_equal(record.kind, wanted);
    assert_true(record.is_exact);
    assert_false(hand_in_name_fits(&record, "alice"));
    assert_false(hand_in_text_fits(&record, "alice", 1000));
    for (enum reading_kind kind = READING_JOB; kind <= READING_HAND_IN; kind++)
        assert_false(is_taken_by(kind, &record));
    free(text);
}

TEST(no_gate_takes_a_record_of_a_library)
{
    if (sample_has(RECORD_LIBRARY))
        no_gate_takes(RECORD_LIBRARY);
}

/* Nor who has been killed. */
TEST(no_gate_takes_a_record_of_ranks)
{
    if (sample_has(RECORD_RANKS))
        no_gate_takes(RECORD_RANKS);
}

/* Nor where a profile lies that a page will show. */
TEST(no_gate_takes_a_record_of_a_profile)
{
    if (sample_has(RECORD_PROFILE))
        no_gate_takes(RECORD_PROFILE);
}
