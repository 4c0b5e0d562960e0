/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdbool.h>

#include "test/unit/fixture/cases.h"
#include <getopt.h>

#include "conf/base/command_options.h"

struct values {
    const char *text, *maybe;
    uint32_t number;
    bool flag;
};

static const struct option_row rows[] = {
    {"text", 't', OPTION_TEXT, offsetof(struct values, text), 0, 0, NULL},
    {"maybe", 'm', OPTION_TEXT, offsetof(struct values, maybe), 0, 0, "nothing given"},
    {"number", 'n', OPTION_NUMBER, offsetof(struct values, number), 1, 300, NULL},
    {"flag", 'f', OPTION_FLAG, offsetof(struct values, flag), 0, 0, NULL},
    {"help", 'h', OPTION_ANSWER, 0, 0, 0, NULL},
    {"version", 'V', OPTION_ANSWER, 0, 0, 0, NULL},
    {NULL, 0, 0, 0, 0, 0, NULL},
};

/* Reads one option, as of a program's first command line. */
static int read_one(const char *option, struct values *values)
{
    char program[] = "options_test", text[64];
    char *argv[] = {program, text, NULL};
    strcpy(text, option);
    optind = 0;
    *values = (struct values){0};
    return options_next(2, argv, "n:", rows, values);
}

TEST(test_each_kind_fills_its_member)
{
    struct values values;
    assert_int_equal(read_one("--flag", &values), 'f');
    assert_true(values.flag);
    assert_int_equal(read_one("--text=a b", &values), 't');
    assert_non_null(values.text);
    assert_int_equal(read_one("--maybe", &values), 'm');
    assert_string_equal(values.maybe, "nothing given");
    assert_int_equal(read_one("--number=300", &values), 'n');
    assert_int_equal(values.number, 300);
    assert_int_equal(read_one("-n7", &values), 'n');
    assert_int_equal(values.number, 7);
    assert_int_equal(read_one("word", &values), OPTIONS_END);
}

TEST(test_what_is_wrong_fills_nothing)
{
    static const char *const wrong[] = {
        "--number=0",  "--number=301", "--number=4294967297",
        "--number=-1", "--number= 1",  "--number=1x",
        "--number=",   "--text",       "--flag=value",
        "--unknown",   "-f",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct values values;
        assert_int_equal(read_one(wrong[i], &values), OPTIONS_WRONG);
        assert_int_equal(values.number, 0);
        assert_null(values.text);
        assert_false(values.flag);
    }
}

/* Reads these options, as of a program's first command line. Returns what stdout has then. */
static const char *read_all(const char *first, const char *second, enum options_result *result,
                            struct values *values)
{
    static const struct option_program program = {
        .name = "options-test",
        .version = "7.1",
        .usage = "usage: options-test\n",
        .short_options = "n:hV",
        .rows = rows,
    };
    static char said[64];
    char name[] = "options_test", option[2][32];
    char *argv[] = {name, option[0], option[1], NULL};
    strcpy(option[0], first);
    strcpy(option[1], second);
    optind = 0;
    *values = (struct values){0};
    memset(said, 0, sizeof said);
    FILE *terminal = stdout;
    stdout = fmemopen(said, sizeof said, "w");
    assert_non_null(stdout);
    *result = options_read(3, argv, &program, values);
    fclose(stdout);
    stdout = terminal;
    return said;
}

TEST(test_help_and_version_are_answered_and_what_is_wrong_is_refused)
{
    static const struct {
        const char *first, *second, *said;
        enum options_result result;
    } lines[] = {
        {"-n7", "--flag", "", OPTIONS_READ},
        {"-n7", "word", "", OPTIONS_READ},
        {"--flag", "--help", "usage: options-test\n", OPTIONS_ANSWERED},
        {"-h", "word", "usage: options-test\n", OPTIONS_ANSWERED},
        {"-V", "-n7", "options-test 7.1\n", OPTIONS_ANSWERED},
        {"--version", "--help", "usage: options-test\n", OPTIONS_ANSWERED},
        {"--help", "--version", "usage: options-test\n", OPTIONS_ANSWERED},
        {"--help", "--unknown", "", OPTIONS_REFUSED},
        {"--version", "-n0", "", OPTIONS_REFUSED},
        {"--help=me", "-n7", "", OPTIONS_REFUSED},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct values values;
        enum options_result result;
        assert_string_equal(read_all(lines[i].first, lines[i].second, &result, &values),
                            lines[i].said);
        assert_int_equal(result, lines[i].result);
    }
    struct values values;
    enum options_result result;
    read_all("-n7", "--flag", &result, &values);
    assert_int_equal(values.number, 7);
    assert_true(values.flag);
}
