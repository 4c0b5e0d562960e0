/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records in syslog lines: cut into blocks, mixed, damaged, and put together again.
 */
#include "conf/base/crc.h"
#include "submit/load/read/syslog_blocks.h"
#include "test/unit/fixture/cases.h"

#define UUID_1 "8c8d61fb-98c1-44c0-874c-d613312269f4"
#define UUID_2 "8c8d61fb-98c1-44c0-874c-d613312269f5"

enum { LINE_MAX_BYTES = 512, BLOCK = 24 };

static struct syslog_blocks *blocks;

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
    return 0;
}

/* A record's text with its CRC in it, as jobtrail writes it. */
static const char *record_of(const char *rest, char text[LINE_MAX_BYTES])
{
    char crc[8];
    snprintf(text, LINE_MAX_BYTES, "{\"crc\":\"0xFFFF\",%s}", rest);
    snprintf(crc, sizeof crc, "0x%04X", crc16(text, strlen(text)));
    memcpy(text + 8, crc, 6);
    return text;
}

/* The line of one block of a run's record, as the transport sends it and rsyslog writes it. */
static void make_line(const char *uuid, const char *text, size_t index, char line[LINE_MAX_BYTES])
{
    size_t size = strlen(text), count = (size - 1) / BLOCK + 1;
    snprintf(line, LINE_MAX_BYTES,
             "Nov 22 01:57:19 n1 XALT_LOGGING_lab: V:4 kind:run syshost:lab key:run_fini_%s "
             "crcStr:%.6s nb:%02zu idx:%02zu value:%.*s",
             uuid, text + 8, count, index, BLOCK, text + index * BLOCK);
}

static size_t count_of(const char *text)
{
    return (strlen(text) - 1) / BLOCK + 1;
}

/* As a log has the line: without blanks at its end. */
static void cut_blanks(char *line)
{
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ')
        line[--length] = '\0';
}

/* What adding a copy of the line says; the record, "" for none, in `found`, its kind in `*kind`. */
static int add(const char *line, char found[LINE_MAX_BYTES], enum record_kind *kind)
{
    char copy[LINE_MAX_BYTES], *text = NULL;
    size_t size = 0;
    struct load_reason reason;
    strcpy(copy, line);
    int result = syslog_blocks_add(blocks, copy, &text, &size, kind, &reason);
    found[0] = '\0';
    if (result == 1) {
        assert_int_equal(strlen(text), size);
        assert_true(size < LINE_MAX_BYTES);
        strcpy(found, text);
        free(text);
    }
    return result;
}

static int add_block(const char *uuid, const char *text, size_t index, char found[LINE_MAX_BYTES])
{
    char line[LINE_MAX_BYTES];
    enum record_kind kind;
    make_line(uuid, text, index, line);
    cut_blanks(line);
    return add(line, found, &kind);
}

TEST(blocks_of_two_records_come_mixed_backwards_and_twice)
{
    char first[LINE_MAX_BYTES], second[LINE_MAX_BYTES], found[LINE_MAX_BYTES];
    record_of("\"userT\":{\"run_uuid\":\"" UUID_1 "\"},\"cwd\":\"/home/alice\"", first);
    record_of("\"userT\":{\"run_uuid\":\"" UUID_2 "\"},\"cwd\":\"/home/bob/x\"", second);
    size_t count = count_of(first);
    assert_int_equal(count_of(second), count);
    for (size_t i = count; i-- > 1;) {
        assert_int_equal(add_block(UUID_1, first, i, found), 0);
        assert_int_equal(add_block(UUID_2, second, i, found), 0);
        assert_int_equal(add_block(UUID_2, second, i, found), 0);
    }
    assert_int_equal(add_block(UUID_2, second, 0, found), 1);
    assert_string_equal(found, second);
    assert_int_equal(add_block(UUID_1, first, 0, found), 1);
    assert_string_equal(found, first);
    /* what was whole comes again, all of it */
    for (size_t i = 0; i < count; i++)
        assert_int_equal(add_block(UUID_1, first, i, found), 0);
}

/* The second block ends with blanks, which the log has lost: the others say how wide it was. */
TEST(blanks_that_a_log_cut_off_are_put_back)
{
    char text[LINE_MAX_BYTES], found[LINE_MAX_BYTES];
    int result = 0;
    record_of("\"cmdlineA\":[\"a                                    b\"],\"cwd\":\"/home/alice\"",
              text);
    for (size_t i = 0; i < count_of(text); i++)
        result = add_block(UUID_1, text, i, found);
    assert_int_equal(result, 1);
    assert_string_equal(found, text);
}

/* Of two blocks the first has lost blanks: the width is known from another record's. */
TEST(a_width_is_learnt_from_other_records)
{
    char text[LINE_MAX_BYTES], other[LINE_MAX_BYTES], found[LINE_MAX_BYTES];
    record_of("\"a\":\"       x\"", text);
    assert_int_equal(count_of(text), 2);
    assert_int_equal(text[BLOCK - 1], ' ');
    record_of("\"userT\":{\"run_uuid\":\"" UUID_2 "\"}", other);
    assert_int_equal(add_block(UUID_2, other, 0, found), 0);
    assert_int_equal(add_block(UUID_1, text, 0, found), 0);
    assert_int_equal(add_block(UUID_1, text, 1, found), 1);
    assert_string_equal(found, text);
}

TEST(a_cut_line_gives_way_to_the_whole_one)
{
    char text[LINE_MAX_BYTES], found[LINE_MAX_BYTES], line[LINE_MAX_BYTES];
    enum record_kind kind;
    record_of("\"userT\":{\"run_uuid\":\"" UUID_1 "\"}", text);
    size_t count = count_of(text);
    make_line(UUID_1, text, 0, line);
    line[strlen(line) - 5] = '\0';
    assert_int_equal(add(line, found, &kind), 0);
    for (size_t i = 1; i + 1 < count; i++)
        assert_int_equal(add_block(UUID_1, text, i, found), 0);
    assert_int_equal(add_block(UUID_1, text, 0, found), 0);
    assert_int_equal(add_block(UUID_1, text, count - 1, found), 1);
    assert_string_equal(found, text);
}

#define RUN "{\"userT\":{\"run_uuid\":\"" UUID_1 "\"}}"

TEST(versions_1_and_3_are_as_xalt_writes_them)
{
    static const char *const lines[] = {
        "Nov 22 01:57:19 n1 XALT_LOGGING_lab[12]: run:" RUN,
        "Nov 22 01:57:19 n1 XALT_LOGGING_lab V:3 kind:run idx:0 nb:1 syshost:lab "
        "key:run_fini_" UUID_2 " value:" RUN,
    };
    char found[LINE_MAX_BYTES];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        enum record_kind kind = RECORD_KINDS;
        assert_int_equal(add(lines[i], found, &kind), 1);
        assert_string_equal(found, RUN);
        assert_int_equal(kind, RECORD_RUN);
    }
}

#define HEAD  "Nov 22 01:57:19 n1 XALT_LOGGING_lab: "
#define WORDS "syshost:lab key:run_fini_" UUID_1 " crcStr:0xF708 "

TEST(a_kind_is_what_line_and_key_say_together)
{
    static const struct {
        const char *line;
        int result;
        enum record_kind kind;
    } cases[] = {
        {HEAD "V:4 kind:link key:link_1 nb:1 idx:0 value:{}", 1, RECORD_LINK},
        {HEAD "V:4 kind:run key:other nb:1 idx:0 value:{}", 1, RECORD_RUN},
        {HEAD "V:4 kind:other key:run_1 nb:1 idx:0 value:{}", 1, RECORD_RUN},
        {HEAD "V:4 key:run_2 nb:1 idx:0 value:{}", 1, RECORD_RUN},
        {HEAD "V:4 kind:other key:another nb:1 idx:0 value:{}", 1, RECORD_KINDS},
        {HEAD "V:4 kind:run key:link_2 nb:1 idx:0 value:{}", -EBADMSG, 0},
        {HEAD "V:4 kind:link key:run_3 nb:1 idx:0 value:{}", -EBADMSG, 0},
    };
    char found[LINE_MAX_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum record_kind kind = RECORD_KINDS;
        int result = add(cases[i].line, found, &kind);
        if (result != cases[i].result || (result == 1 && kind != cases[i].kind))
            fail_msg("%s: %d, kind %d", cases[i].line, result, (int)kind);
    }
}

TEST(damaged_lines_are_refused)
{
    static const char *const lines[] = {
        HEAD,
        HEAD "V:4",
        HEAD "V:9 kind:run " WORDS "nb:1 idx:0 value:{}",
        HEAD "V:4 kind:run " WORDS "nb:1 idx:0",
        HEAD "V:4 kind:run " WORDS "nb:0 idx:0 value:{}",
        HEAD "V:4 kind:run " WORDS "nb:1 idx:1 value:{}",
        HEAD "V:4 kind:run " WORDS "nb:10001 idx:0 value:{}",
        HEAD "V:4 kind:run " WORDS "nb:99999999999 idx:0 value:{}",
        HEAD "V:4 kind:run " WORDS "nb:-1 idx:0 value:{}",
        HEAD "V:4 kind:run " WORDS "idx:0 value:{}",
        HEAD "V:4 kind:run " WORDS "nb:1 value:{}",
        HEAD "V:4 kind:run syshost:lab nb:1 idx:0 value:{}",
        HEAD "run:!!!!",
        "Nov 22 01:57:19 n1 su: " HEAD "V:4 kind:run " WORDS "nb:1 idx:0 value:{}",
    };
    char found[LINE_MAX_BYTES];
    enum record_kind kind;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int result = add(lines[i], found, &kind);
        if (result != -EBADMSG)
            fail_msg("%s: %d", lines[i], result);
    }
}

TEST(only_what_the_program_of_that_name_said_is_a_block)
{
    assert_true(syslog_blocks_is_one(HEAD "anything"));
    assert_true(syslog_blocks_is_one("XALT_LOGGING_lab: V:4"));
    assert_false(syslog_blocks_is_one("Nov 22 01:57:19 n1 XALT_LOGGING_ERROR_lab: no space"));
    assert_false(syslog_blocks_is_one("Nov 22 01:57:19 n1 su: XALT_LOGGING_lab: V:4"));
    assert_false(syslog_blocks_is_one(" XALT_LOGGING_lab: V:4"));
    assert_false(syslog_blocks_is_one(""));
}

struct drained {
    int count;
    char lines[2][4 * LINE_MAX_BYTES], reason[2][64];
};

static void take_drained(void *context, const char *lines, size_t size, const char *reason)
{
    struct drained *drained = context;
    assert_true(drained->count <= 1);
    assert_int_equal(strlen(lines), size);
    strcpy(drained->lines[drained->count], lines);
    snprintf(drained->reason[drained->count], sizeof drained->reason[0], "%s", reason);
    drained->count++;
}

TEST(what_is_not_whole_comes_out_oldest_first_as_lines_to_be_added_again)
{
    char first[LINE_MAX_BYTES], second[LINE_MAX_BYTES], found[LINE_MAX_BYTES];
    struct drained drained = {0};
    enum record_kind kind;
    record_of("\"userT\":{\"run_uuid\":\"" UUID_1 "\"}", first);
    record_of("\"userT\":{\"run_uuid\":\"" UUID_2 "\"}", second);
    assert_int_equal(count_of(first), 4);
    add_block(UUID_1, first, 2, found);
    add_block(UUID_1, first, 0, found);
    add_block(UUID_2, second, 1, found);
    syslog_blocks_drain(blocks, SIZE_MAX, take_drained, &drained);
    assert_int_equal(drained.count, 0);
    syslog_blocks_drain(blocks, 0, take_drained, &drained);
    assert_int_equal(drained.count, 2);
    assert_non_null(strstr(drained.lines[0], UUID_1));
    assert_non_null(strstr(drained.lines[1], UUID_2));
    assert_string_equal(drained.reason[0], "has 2 of 4 blocks");
    /* nothing is left, and the lines and what was missing are the record */
    assert_int_equal(add_block(UUID_1, first, 1, found), 0);
    assert_int_equal(add_block(UUID_1, first, 3, found), 0);
    char *rest = drained.lines[0];
    assert_int_equal(add(strsep(&rest, "\n"), found, &kind), 0);
    assert_int_equal(add(strsep(&rest, "\n"), found, &kind), 1);
    assert_string_equal(found, first);
    assert_string_equal(rest, "");
}

TEST(a_record_of_more_than_16_mib_is_refused)
{
    enum { BYTES = (16 << 20) + 1 };
    char *line = malloc(BYTES + LINE_MAX_BYTES), *text;
    size_t size;
    enum record_kind kind;
    struct load_reason reason;
    assert_non_null(line);
    int head = snprintf(line, LINE_MAX_BYTES, HEAD "V:4 kind:run " WORDS "nb:2 idx:0 value:");
    memset(line + head, 'x', BYTES);
    line[head + BYTES] = '\0';
    assert_int_equal(syslog_blocks_add(blocks, line, &text, &size, &kind, &reason), -EBADMSG);
    free(line);
}

EACH(set_up, tear_down)
