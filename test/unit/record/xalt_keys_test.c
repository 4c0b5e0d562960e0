/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Our record of a run has the keys of XALT's, with values of the same types. XALT's are in
 * test/data/xalt_3.2.4.
 */
#include <json-c/json.h>
#include <stdbool.h>

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_run.h"

/* What differs, and why. */
static const struct {
    const char *table; /* NULL: at the top */
    const char *key;
    bool is_ours;
} differences[] = {
    /* tables of ours */
    {NULL, "slurmT", true},
    {NULL, "buildIdA", true},
    {NULL, "routineT", true},
    /* in a container, where XALT has it too */
    {"userT", "container", true},
    /* what the recorder says of itself: of XALT its version, and the file that it writes */
    {"XALT_qaT", "XALT_GIT_VERSION", false},
    {"XALT_qaT", "XALT_FILE_PREFIX", false},
    {"XALT_qaT", "XALT_RESULT_DIR", false},
    {"XALT_qaT", "XALT_RESULT_FILE", false},
    {"XALT_qaT", "XALT_EXECUTABLE_TRACKING", true},
    {"XALT_qaT", "XALT_GPU_TRACKING", true},
    {"XALT_qaT", "XALT_TRANSMISSION_STYLE", true},
    {"XALT_qaT", "JOBTRAIL_", true},
};

static bool is_known(const char *table, const char *key, bool is_ours)
{
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
        bool same_table = table == NULL || differences[i].table == NULL
                              ? table == differences[i].table
                              : strcmp(table, differences[i].table) == 0;
        if (same_table && differences[i].is_ours == is_ours &&
            strncmp(differences[i].key, key, strlen(differences[i].key)) == 0)
            return true;
    }
    return false;
}

/* Each key of `one` is in `other` with the same type, or known to be missing there. */
static void assert_within(const char *table, struct json_object *one, struct json_object *other,
                          bool one_is_ours)
{
    json_object_object_foreach(one, key, value)
    {
        struct json_object *same;
        const char *type = json_type_to_name(json_object_get_type(value));
        if (is_known(table, key, one_is_ours))
            continue;
        if (!json_object_object_get_ex(other, key, &same))
            fail_msg("%s.%s is %s alone", table == NULL ? "" : table, key,
                     one_is_ours ? "ours" : "XALT's");
        assert_string_equal(type, json_type_to_name(json_object_get_type(same)));
    }
}

static void assert_same(const char *table, struct json_object *ours, struct json_object *xalts)
{
    assert_within(table, ours, xalts, true);
    assert_within(table, xalts, ours, false);
}

/* `made` becomes released. */
static void assert_like_xalt(struct made *made, const char *name)
{
    static const char *const tables[] = {"userT", "userDT", "xaltLinkT", "XALT_measureT",
                                         "XALT_qaT"};
    char path[512];
    snprintf(path, sizeof path, "%s/%s", XALT_RECORDS, name);
    struct json_object *xalts = json_object_from_file(path), *ours = made->json;
    assert_non_null(xalts);
    assert_same(NULL, ours, xalts);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        assert_same(tables[i], json_object_object_get(ours, tables[i]),
                    json_object_object_get(xalts, tables[i]));
    assert_same("ptA", json_object_array_get_idx(json_object_object_get(ours, "ptA"), 0),
                json_object_array_get_idx(json_object_object_get(xalts, "ptA"), 0));
    json_object_put(xalts);
    release(made);
}

TEST(a_record_with_a_watermark_has_xalts_keys)
{
    struct made made;
    make_whole(&made);
    build(&made);
    assert_like_xalt(&made, "run_marked.json");
}

TEST(so_has_one_without)
{
    struct made made;
    make_whole(&made);
    made.capture.watermark = (struct capture_bytes){.at = NULL};
    build(&made);
    assert_like_xalt(&made, "run_unmarked.json");
}

TEST(the_total_of_the_phases_comes_last)
{
    struct made made;
    const char *last = NULL;
    make(&made);
    build(&made);
    json_object_object_foreach(json_object_object_get(made.json, "XALT_measureT"), key, value)
    {
        (void)value;
        last = key;
    }
    assert_string_equal(last, "08____total______");
    release(&made);
}
