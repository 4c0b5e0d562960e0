/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records out of syslog lines that come in any order, twice, cut or never.
 */
#include "submit/load/read/syslog_blocks.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/base/crc.h"

#define HEAD "Nov 20 10:00:00 n1 XALT_LOGGING_tiny: V:4 kind:run syshost:tiny key:run_fini_%d"
#define MANY (64u << 20)

static struct syslog_blocks *blocks;
static char text[256];
static char *whole;
static size_t whole_size;
static enum record_kind kind;

static int set_up(void **state)
{
    (void)state;
    blocks = syslog_blocks_new();
    return blocks == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    syslog_blocks_free(blocks);
    free(whole);
    whole = NULL;
    return 0;
}

static int add_line(const char *line)
{
    static char copy[512];
    struct load_reason reason;
    free(whole);
    whole = NULL;
    snprintf(copy, sizeof copy, "%s", line);
    assert_true(syslog_blocks_is_one(copy));
    return syslog_blocks_add(blocks, copy, &whole, &whole_size, &kind, &reason);
}

/* Block `index` of three of the record that set_record() has made. */
static int add(int record, size_t index)
{
    char line[512];
    const size_t third = strlen(text) / 3;
    snprintf(line, sizeof line, HEAD " crcStr:0x%04X nb:03 idx:%02zu value:%.*s", record,
             crc16(text, strlen(text)), index, (int)(index < 2 ? third : strlen(text) - 2 * third),
             text + index * third);
    while (index < 2 && line[strlen(line) - 1] == ' ') /* as syslog daemons do */
        line[strlen(line) - 1] = '\0';
    return add_line(line);
}

static void set_record(const char *value)
{
    char sum[8];
    snprintf(text, sizeof text, "{\"crc\":\"0xFFFF\",\"cmdlineA\":[\"%s\"]}", value);
    snprintf(sum, sizeof sum, "0x%04X", crc16(text, strlen(text)));
    memcpy(text + 8, sum, 6);
}

static void assert_whole(int result)
{
    assert_int_equal(result, 1);
    assert_int_equal(kind, RECORD_RUN);
    assert_int_equal(whole_size, strlen(text));
    assert_string_equal(whole, text);
}

static void blocks_come_in_any_order(void **state)
{
    static const size_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    (void)state;
    set_record("one two three four five six");
    for (int i = 0; i < 6; i++) {
        assert_int_equal(add(i, orders[i][0]), 0);
        assert_int_equal(add(i, orders[i][1]), 0);
        assert_int_equal(add(i, orders[i][0]), 0); /* sent twice */
        assert_whole(add(i, orders[i][2]));
        for (size_t index = 0; index < 3; index++)
            assert_int_equal(add(i, index), 0); /* nor is it whole twice */
    }
}

static void blanks_at_the_end_of_a_line_are_restored(void **state)
{
    char value[64];
    (void)state;
    for (size_t blank = 0; blank < 40; blank++) {
        memset(value, 'x', sizeof value);
        value[40] = '\0';
        value[blank] = ' ';
        set_record(value);
        for (size_t index = 0; index < 2; index++)
            assert_int_equal(add((int)blank, index), 0);
        assert_whole(add((int)blank, 2));
    }
}

static void count_lines(void *context, const char *lines, size_t size, const char *reason)
{
    int *count = context;
    (*count)++;
    assert_string_equal(reason, "has 2 of 3 blocks");
    assert_int_equal(lines[size - 1], '\n');
    char *copy = strndup(lines, size);
    for (char *line = strtok(copy, "\n"); line != NULL; line = strtok(NULL, "\n"))
        assert_int_equal(add_line(line), 0);
    free(copy);
}

/* What count_lines() is given is added again, while nothing may be taken from what is drained. */
static void what_is_not_whole_is_given_back(void **state)
{
    int count = 0;
    (void)state;
    set_record("half");
    assert_int_equal(add(1, 0), 0);
    assert_int_equal(add(1, 2), 0);
    syslog_blocks_drain(blocks, MANY, count_lines, &count);
    assert_int_equal(count, 0);
    struct syslog_blocks *drained = blocks;
    blocks = syslog_blocks_new();
    syslog_blocks_drain(drained, 0, count_lines, &count);
    syslog_blocks_free(drained);
    assert_int_equal(count, 1);
    assert_whole(add(1, 1));
}

static void a_damaged_line_is_told(void **state)
{
    static const char *const lines[] = {
        "XALT_LOGGING_x V:5 kind:run key:run_fini_1 crcStr:0x0000 nb:1 idx:0 value:{}",
        "XALT_LOGGING_x V:4 kind:run key:run_fini_1 crcStr:0x0000 nb:1 idx:0",
        "XALT_LOGGING_x V:4 kind:run key:run_fini_1 crcStr:0x0000 nb:1 idx:1 value:{}",
        "XALT_LOGGING_x V:4 kind:run key:run_fini_1 crcStr:0x0000 nb:0 idx:0 value:{}",
        "XALT_LOGGING_x V:4 kind:run key:run_fini_1 crcStr:0x0000 nb:10001 idx:0 value:{}",
        "XALT_LOGGING_x V:4 kind:run key:run_fini_1 crcStr:0x0000 nb:-1 idx:0 value:{}",
        "XALT_LOGGING_x V:4 kind:run crcStr:0x0000 nb:1 idx:0 value:{}",
        "XALT_LOGGING_x V:4 kind:run key:link_1 crcStr:0x0000 nb:1 idx:0 value:{}",
        "XALT_LOGGING_x noise",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[256];
        snprintf(line, sizeof line, "Nov 20 10:00:00 n1 %s", lines[i]);
        if (add_line(line) != -EBADMSG)
            fail_msg("%s is taken", line);
    }
    assert_false(syslog_blocks_is_one("Nov 20 10:00:00 n1 other: XALT_LOGGING_x V:4 value:{}"));
    assert_false(syslog_blocks_is_one("Nov 20 10:00:00 n1 XALT_LOGGING_ERROR_x: V:4 value:{}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_come_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blanks_at_the_end_of_a_line_are_restored, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_whole_is_given_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_line_is_told, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
