/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums of uses: what is alike is one, bounds lose nothing, and neither do kills nor a full outbox.
 */
#include "contrib/libraries/uses/use_records.h"

#include "contrib/libraries/outbox/library_outbox.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_outbox.h"

enum { HOUR = 1000 * 3600, USER = 7 };

static struct use_records *records;

static int begin(void **state)
{
    (void)state;
    return make_outbox() ? use_records_open(&conf, &records) : -1;
}

static int end(void **state)
{
    (void)state;
    use_records_close(records);
    return remove_outbox();
}

static void again(void) /* as after a kill */
{
    use_records_close(records);
    records = NULL;
    assert_int_equal(use_records_open(&conf, &records), 0);
}

static struct use_told use_of(const char *library, int64_t uid, const char *program)
{
    return (struct use_told){.kind = USE_OPEN,
                             .source = "watch",
                             .library = library,
                             .path = "/sw/a.so",
                             .uid = uid,
                             .login_uid = LIBRARY_RECORD_NONE,
                             .program = program,
                             .count = 1,
                             .after_s = HOUR + 600,
                             .before_s = HOUR + 1200};
}

static void add(struct use_told use)
{
    assert_int_equal(use_records_add(records, &use), 0);
}

static int64_t sum_of(const char *key)
{
    int64_t sum = 0;
    for (size_t i = 0; i < json_object_array_length(all); i++)
        sum += number(i, "libraryT", key);
    return sum;
}

TEST(what_is_alike_is_one_record_of_its_hour)
{
    struct use_told use = use_of("libm", USER, "/bin/python3");
    add(use);
    use.path = "/sw/b.so";
    use.count = 3;
    use.after_s = HOUR - 5; /* that of the middle counts */
    use.before_s = HOUR + 3600;
    add(use);
    use.after_s = HOUR + 3000;
    use.before_s = HOUR + 3601;
    add(use);
    use.kind = USE_LINK;
    add(use);
    assert_int_equal(use_records_keep(records), 0);
    assert_int_equal(use_records_send(records, HOUR + 3599), 0);
    assert_int_equal(read_all(), 0); /* it is not over */
    assert_int_equal(use_records_send(records, HOUR + 3600), 0);
    assert_int_equal(read_all(), 2);
    assert_string_equal(text(0, "kind"), "use");
    assert_string_equal(text(0, "what"), "open");
    assert_string_equal(text(0, "source"), "watch");
    assert_string_equal(text(0, "library"), "libm");
    assert_string_equal(text(0, "path"), "/sw/a.so");
    assert_string_equal(text(0, "program"), "/bin/python3");
    assert_int_equal(number(0, "libraryT", "uid"), USER);
    assert_int_equal(number(0, "libraryT", "files"), 2);
    assert_int_equal(number(0, "libraryT", "count"), 7);
    assert_int_equal(number(0, "libraryT", "after"), HOUR - 5);
    assert_int_equal(number(0, "libraryT", "before"), HOUR + 3601);
    assert_string_equal(text(1, "what"), "link");
    assert_int_equal(number(1, "libraryT", "count"), 3);
    assert_int_equal(use_records_send(records, HOUR + 3600), 0);
    assert_int_equal(read_all(), 2); /* once */
}

TEST(what_is_not_alike_is_apart)
{
    add(use_of("libm", 0, "/bin/a"));
    add(use_of("libn", 0, "/bin/a"));
    add(use_of("libm", USER, "/bin/a"));
    add(use_of("libm", 0, "/bin/b"));
    struct use_told use = use_of("libm", 0, "/bin/a");
    use.login_uid = USER;
    add(use);
    use.source = "atime";
    add(use);
    use.after_s += 3600;
    use.before_s += 3600;
    add(use);
    use.uid = LIBRARY_RECORD_NONE;
    add(use);
    assert_int_equal(use_records_keep(records), 0);
    assert_int_equal(use_records_send(records, HOUR + 7200), 0);
    assert_int_equal(read_all(), 8);
    assert_int_equal(sum_of("count"), 8);
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(text(i, "uuid"), text(k, "uuid"));
    assert_null(value(7, "libraryT", "uid"));
    assert_null(value(7, "libraryT", "user"));
}

TEST(what_is_not_kept_is_not_there)
{
    add(use_of("libm", 0, ""));
    again();
    add(use_of("libn", 0, ""));
    assert_int_equal(use_records_keep(records), 0);
    again();
    assert_int_equal(use_records_send(records, HOUR + 3600), 0);
    assert_int_equal(read_all(), 1);
    assert_string_equal(text(0, "library"), "libn");
}

/* One that could take the room of all does not, and each use is told. */
TEST(a_user_fills_nothing)
{
    const int programs = 3 * USE_RECORDS_MAX;
    char name[32];
    for (int i = 0; i < programs; i++) {
        snprintf(name, sizeof name, "/tmp/%d", i);
        add(use_of("libm", USER, name));
    }
    add(use_of("libm", 0, "/bin/a"));
    assert_int_equal(use_records_keep(records), 0);
    assert_int_equal(use_records_send(records, HOUR + 3600), 0);
    assert_int_equal(read_all(), USE_RECORDS_MAX / 16 + 2);
    assert_int_equal(sum_of("count"), programs + 1);
    const size_t rest = USE_RECORDS_MAX / 16;
    assert_string_equal(text(rest, "program"), "");
    assert_int_equal(number(rest, "libraryT", "uid"), USER);
    assert_int_equal(number(rest, "libraryT", "count"), programs - (int64_t)rest);
    assert_string_equal(text(rest + 1, "program"), "/bin/a");
}

TEST(beyond_the_bound_less_is_told_and_all_is_counted)
{
    const int libraries = 2 * USE_RECORDS_MAX;
    char name[32];
    for (int i = 0; i < libraries; i++) {
        snprintf(name, sizeof name, "lib%d", i);
        add(use_of(name, 0, "/bin/a"));
    }
    assert_int_equal(use_records_keep(records), 0);
    assert_int_equal(use_records_send(records, HOUR + 3600), 0);
    assert_int_equal(read_all(), USE_RECORDS_MAX + 1);
    assert_int_equal(sum_of("count"), libraries);
    assert_string_equal(text(USE_RECORDS_MAX / 2 - 1, "program"), "/bin/a");
    assert_string_equal(text(USE_RECORDS_MAX / 2, "program"), "");
    assert_int_equal(number(USE_RECORDS_MAX / 2, "libraryT", "uid"), 0);
    assert_null(value(USE_RECORDS_MAX - 1, "libraryT", "uid"));
    assert_string_equal(text(USE_RECORDS_MAX, "library"), LIBRARY_OUTBOX_OTHERS);
    assert_int_equal(number(USE_RECORDS_MAX, "libraryT", "count"), libraries - USE_RECORDS_MAX);
}

TEST(a_full_outbox_loses_nothing)
{
    add(use_of("liba", 0, ""));
    assert_int_equal(use_records_keep(records), 0);
    assert_int_equal(use_records_send(records, HOUR + 3600), 0);
    conf.outbox_bytes = 1;
    add(use_of("libb", 0, ""));
    assert_int_equal(use_records_keep(records), 0);
    assert_int_equal(use_records_send(records, HOUR + 3600), -ENOBUFS);
    again();
    assert_int_equal(read_all(), 1);
    conf.outbox_bytes = UINT64_C(1) << 30;
    add(use_of("libb", 0, "")); /* a sum that was to be sent takes nothing more */
    assert_int_equal(use_records_keep(records), 0);
    assert_int_equal(use_records_send(records, HOUR + 3600), 0);
    assert_int_equal(read_all(), 3);
    assert_int_equal(sum_of("count"), 3);
    assert_string_not_equal(text(1, "uuid"), text(2, "uuid"));
}

TEST(an_hour_to_come_is_sent_where_the_clock_was_set_back)
{
    add(use_of("liba", 0, ""));
    assert_int_equal(use_records_keep(records), 0);
    assert_int_equal(use_records_send(records, HOUR - 3600), 0);
    assert_int_equal(read_all(), 1);
}

TEST(any_bytes_are_a_program)
{
    add(use_of("liba", USER, "/tmp/\xff\n'\"\\\x1b[2J"));
    add(use_of("liba", USER, "/tmp/\xfe"));
    assert_int_equal(use_records_keep(records), 0);
    assert_int_equal(use_records_send(records, HOUR + 3600), 0);
    assert_int_equal(read_all(), 2);
    assert_string_not_equal(text(0, "uuid"), text(1, "uuid"));
}

static void write_file(const char *content)
{
    char path[sizeof place + 16];
    snprintf(path, sizeof path, "%s/uses.db", place);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

TEST(a_damaged_file_is_refused)
{
    char path[sizeof place + 16], command[256];
    use_records_close(records);
    records = NULL;
    snprintf(path, sizeof path, "%s/uses.db", place);
    assert_int_equal(unlink(path), 0);
    for (size_t i = 0; i < 200; i++)
        snprintf(command + i, sizeof command - i, "x");
    write_file(command);
    assert_int_equal(use_records_open(&conf, &records), -EPROTO);
    assert_null(records);
    write_file(""); /* is as one that is missing */
    again();
    use_records_close(records);
    records = NULL;
    snprintf(command, sizeof command, "sqlite3 %s 'PRAGMA user_version = 7'", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(use_records_open(&conf, &records), -EPROTO);
    write_file("");
    again();
}

EACH(begin, end)

ALL(NULL, put_all)
