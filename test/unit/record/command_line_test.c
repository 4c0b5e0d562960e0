/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What of command lines goes into records, whatever a ledger has.
 */
#include "conf/compile.h"
#include "submit/record/command_line.h"
#include "test/unit/fixture/cases.h"

static struct conf conf;
static void *policy;

static int load_rules(void **state)
{
    static const char text[] = "[paths]\nskip = .*/sh\ncustom = .*/run\n[arguments]\n"
                               "skip = .*/run;private\nkeep = .*/run;\n";
    char path[] = "/tmp/command_line_test.XXXXXX";
    struct conf_error error;
    size_t size;
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1);
    close(fd);
    assert_int_equal(conf_load(path, &conf, &error), 0);
    unlink(path);
    return compile_policy(&conf, &policy, &size, &error);
}

static int free_rules(void **state)
{
    (void)state;
    free(policy);
    conf_free(&conf);
    return 0;
}

static struct command_lines lines_of(enum policy_command_line wanted)
{
    struct command_lines lines;
    conf.command_line = wanted;
    command_lines_make(&conf, policy, &lines);
    return lines;
}

#define BYTES(text)                                                                                \
    (struct capture_bytes)                                                                         \
    {                                                                                              \
        .at = (text), .size = sizeof(text) - 1                                                     \
    }

static void assert_json(struct json_object *json, const char *expected)
{
    assert_string_equal(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE),
                        expected);
    json_object_put(json);
}

TEST(as_much_as_is_wanted_is_told)
{
    const struct command_lines all = lines_of(POLICY_LINE_YES),
                               program = lines_of(POLICY_LINE_PROGRAM),
                               none = lines_of(POLICY_LINE_NO);
    assert_json(command_line_json(&all, BYTES("a\0b c\0--token=x\0")),
                "[\"a\",\"b c\",\"--token=[redacted]\"]");
    assert_json(command_line_json(&program, BYTES("a\0b c\0--token=x\0")), "[\"a\"]");
    assert_json(command_line_json(&program, BYTES("TOKEN=a title")), "[\"TOKEN=[redacted]\"]");
    assert_json(command_line_json(&none, BYTES("a\0b\0")), "[]");
    assert_json(command_line_json(&all, (struct capture_bytes){.at = NULL}), "[]");
    assert_json(command_line_json(&program, (struct capture_bytes){.at = NULL}), "[]");
}

TEST(ancestors_that_are_left_out_tell_their_program)
{
    const struct command_lines all = lines_of(POLICY_LINE_YES), none = lines_of(POLICY_LINE_NO);
    char many[64 << 10];
    assert_json(command_line_of_ancestor(&all, BYTES("/bin/x"), BYTES("x\0y\0")), "[\"x\",\"y\"]");
    assert_json(command_line_of_ancestor(&all, BYTES("/bin/sh"), BYTES("sh\0y\0")), "[\"sh\"]");
    assert_json(command_line_of_ancestor(&all, BYTES("/bin/run"), BYTES("run\0y")),
                "[\"run\",\"y\"]");
    assert_json(command_line_of_ancestor(&all, BYTES("/bin/run"), BYTES("run\0private\0y")),
                "[\"run\"]");
    assert_json(command_line_of_ancestor(&all, BYTES(""), BYTES("sudo\0y\0")), "[\"sudo\"]");
    assert_json(command_line_of_ancestor(&all, (struct capture_bytes){.at = NULL}, BYTES("a\0b")),
                "[\"a\"]");
    assert_json(command_line_of_ancestor(&none, BYTES("/bin/x"), BYTES("x\0y\0")), "[]");
    memset(many, 'x', sizeof many); /* more than the library would leave, without an end */
    struct json_object *json = command_line_of_ancestor(
        &all, BYTES("/bin/run"), (struct capture_bytes){.at = many, .size = sizeof many});
    assert_int_equal(json_object_array_length(json), 1);
    json_object_put(json);
}

TEST(variables_are_redacted_one_by_one)
{
    const struct command_lines all = lines_of(POLICY_LINE_YES);
    assert_json(command_line_variables(
                    &all, BYTES("A=--token\0B=kept\0C_KEY=x\0D=http://u:p@h\0E=Bearer\0F=mysql\0"
                                "G=-pkept\0none\0H=")),
                "{\"A\":\"--token\",\"B\":\"kept\",\"C_KEY\":\"[redacted]\","
                "\"D\":\"http://u:[redacted]@h\",\"E\":\"Bearer\",\"F\":\"mysql\",\"G\":\"-pkept\","
                "\"H\":\"\"}");
    assert_json(command_line_text(&all, BYTES("password=x")), "\"password=[redacted]\"");
}

ALL(load_rules, free_rules)
