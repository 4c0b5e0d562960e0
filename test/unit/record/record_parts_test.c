/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the record of a run tells of files, and the parts that records share.
 */
#include <fcntl.h>
#include <json-c/json.h>
#include <sys/stat.h>
#include <time.h>

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_run.h"
#include "test/unit/fixture/made_tree.h"

/* Writes `content` to a file of our directory. */
static char *file(const char *name, const char *content)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", made_tree, name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(content, stream);
    fclose(stream);
    struct timespec times[2] = {{.tv_sec = 1600000000}, {.tv_sec = 1600000000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    return path;
}

TEST(the_executable_is_hashed_and_dated)
{
    struct made made;
    make(&made);
    made.capture.exec = text(file("program", "abc"));
    build(&made);
    assert_string_equal(json_object_get_string(json_object_object_get(made.json, "hash_id")),
                        "a9993e364706816aba3e25717850c26c9cd0d89d"); /* FIPS 180-2, A.1 */
    assert_value(&made, "userT", "execModify", "\"Sun Sep 13 12:26:40 2020\"");
    assert_value(&made, "userDT", "exec_epoch", "1600000000.0000");
    release(&made);
}

TEST(an_executable_that_is_gone_or_special_has_no_hash)
{
    char fifo[128], long_path[5000];
    const char *const paths[] = {"/nonexistent/x", made_tree, fifo, "/dev/zero", long_path, ""};
    snprintf(fifo, sizeof fifo, "%s/fifo", made_tree);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    memset(long_path, 'x', sizeof long_path);
    long_path[0] = '/';
    long_path[sizeof long_path - 1] = '\0';
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct made made;
        make(&made);
        made.capture.exec = text(paths[i]);
        build(&made);
        assert_string_equal(json_object_get_string(json_object_object_get(made.json, "hash_id")),
                            "0");
        assert_value(&made, "userDT", "exec_epoch", "0.0000");
        release(&made);
    }
    unlink(fifo);
}

TEST(objects_have_real_paths_and_hashes_where_asked_for)
{
    struct made made;
    struct capture_object objects[2] = {0};
    char real[128], link[128], expected[512];
    snprintf(real, sizeof real, "%s", file("lib.so.1", "abc"));
    snprintf(link, sizeof link, "%s/lib.so", made_tree);
    assert_int_equal(symlink("lib.so.1", link), 0);
    objects[0].path = text(link);
    objects[1].path = text("/nonexistent/lib.so");
    for (int hash = 0; hash < 2; hash++) {
        make(&made);
        made.conf.hash_objects = hash;
        made.capture.objects = objects;
        made.capture.object_count = 2;
        build(&made);
        snprintf(expected, sizeof expected, "[[\"%s\",\"%s\"],[\"/nonexistent/lib.so\",\"0\"]]",
                 real, hash ? "a9993e364706816aba3e25717850c26c9cd0d89d" : "0");
        assert_string_equal(
            json_object_to_json_string_ext(json_object_object_get(made.json, "libA"),
                                           JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
            expected);
        release(&made);
    }
    unlink(link);
}

static int set_up(void **state)
{
    setenv("TZ", "UTC", 1);
    tzset();
    return made_tree_set_up(state);
}

TEST(no_part_of_a_record_is_taken_for_another_ones)
{
    static struct capture_object objects[2];
    struct package_run packages = {0};
    struct json_memo *memo = json_memo_new();
    objects[0].path = text("/lib/a");
    objects[1].path = text("/lib/b");
    for (int change = 0; change <= 16; change++) {
        struct made made;
        make(&made);
        made.capture.objects = objects;
        made.capture.object_count = change == 1 ? 2 : 1;
        objects[0].build_id = change == 2   ? text("id")
                              : change == 3 ? text("")
                                            : (struct capture_bytes){.at = NULL};
        objects[0].path = text(change == 4 ? "/lib/c" : "/lib/a");
        made.capture.env = change == 5   ? (struct capture_bytes){.at = "A=1", .size = 4}
                           : change == 6 ? (struct capture_bytes){.at = "A=2", .size = 4}
                                         : made.capture.env;
        made.capture.step = change == 7 ? 9 : 0;
        made.capture.task = change == 8 ? 9 : 1;
        made.capture.build_id = text(change == 9 ? "1" : change == 10 ? "2" : "");
        made.dropped = change == 11;
        made.ending.status_known = change == 12 || change == 13;
        made.ending.status = change == 13 ? 9 : 0;
        made.ending.outlived = change == 14;
        made.capture.pkgs = change == 15;
        made.capture.cut = change == 16;
        struct run_source source = source_of(&made);
        for (int other = 0; other < 5; other++) {
            const struct ending exec = {.source = "exec", .end_ns = START, .error_ns = 7 * SECOND};
            source.ending = other == 1 ? NULL : other == 2 ? &exec : &made.ending;
            source.captured_by = other == 3 ? CAPTURED_BY_JOURNAL : CAPTURED_BY_LIBRARY;
            source.packages = other >= 3 ? &packages : NULL;
            packages.hooked = other == 3;
            packages.lost = other == 4;
            assert_int_equal(run_record_build(&source, &made.record), 0);
            made.json = json_tokener_parse(made.record.text);
            assert_remembered(&source, memo, made.json);
            assert_remembered(&source, memo, made.json);
            release(&made);
        }
    }
    json_memo_free(memo);
}

TEST(a_part_that_is_too_large_to_remember_is_made_again)
{
    static char env[2 * JSON_MEMO_KEY_MAX];
    struct made made;
    memset(env, 'x', sizeof env);
    env[1] = '=';
    for (size_t size = JSON_MEMO_KEY_MAX - 1; size <= JSON_MEMO_KEY_MAX + 1; size++) {
        make(&made);
        made.capture.env = (struct capture_bytes){.at = env, .size = size};
        build(&made);
        release(&made);
    }
}

ALL(set_up, made_tree_tear_down)
