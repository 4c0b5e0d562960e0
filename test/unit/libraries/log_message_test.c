/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/log_write.h"

#include "test/unit/fixture/cases.h"

static const char date[] = "Mon_Mar_06_1995_07:00";

TEST(names_are_plain)
{
    static const char *const good[] = {"a", "9.x", "imsl-2.0_b+c"};
    static const char *const wrong[] = {"", ".", ".a", "-a", "_a", "a/b", "a b", "a\n", "\xc3\xa4"};
    char longest[LOG_NAME_SIZE + 1];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(log_name_is_good(good[i]));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(log_name_is_good(wrong[i]));
    memset(longest, 'a', sizeof longest);
    longest[LOG_NAME_SIZE - 1] = '\0';
    assert_true(log_name_is_good(longest));
    longest[LOG_NAME_SIZE - 1] = 'a';
    longest[LOG_NAME_SIZE] = '\0';
    assert_false(log_name_is_good(longest));
}

static int line_of(char *const *words, size_t count, char line[LOG_LINE_SIZE])
{
    char bytes[LOG_MESSAGE_MAX];
    struct log_message message;
    size_t size = log_message_make("app", words, count, bytes);
    assert_true(size > 0);
    assert_int_equal(log_message_read(bytes, size, &message), 0);
    assert_string_equal(message.name, "app");
    return log_message_line(&message, date, "filei", line);
}

TEST(words_become_a_line)
{
    char *words[] = {"start", "", "two words", "a\nb\\\x7f\xe4"};
    char line[LOG_LINE_SIZE] = "";
    int length = line_of(NULL, 0, line);
    assert_int_equal(length, strlen(line));
    assert_string_equal(line, "Mon_Mar_06_1995_07:00 filei\n");
    length = line_of(words, 4, line);
    assert_int_equal(length, strlen(line));
    assert_string_equal(line,
                        "Mon_Mar_06_1995_07:00 filei start  two words a\\x0ab\\x5c\\x7f\\xe4\n");
}

TEST(a_line_is_bounded)
{
    char word[LOG_MESSAGE_MAX], line[LOG_LINE_SIZE], bytes[LOG_MESSAGE_MAX];
    char *words[] = {word};
    int longest = 0;
    for (size_t length = 0; length < 600; length++) {
        memset(word, 'x', length);
        word[length] = '\0';
        int size = line_of(words, 1, line);
        if (size > 0)
            longest = size;
        else
            assert_int_equal(size, -EMSGSIZE);
    }
    assert_true(longest >= 500 && longest < LOG_LINE_SIZE);
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_int_equal(log_message_make("app", words, 1, bytes), 0);
}

TEST(what_is_no_message_is_refused)
{
    static const struct {
        const char *bytes;
        size_t size;
    } wrong[] = {
        {"", 0},
        {"jobtrail line 1\n", 16},
        {"jobtrail line 1\n", 17}, /* no name */
        {"jobtrail line 2\na", 18},
        {"jobtrail line 1\na", 17}, /* no end */
        {"jobtrail line 1\na/b", 20},
    };
    struct log_message message;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(log_message_read(wrong[i].bytes, wrong[i].size, &message), -EINVAL);
    assert_int_equal(log_message_read("jobtrail line 1\na", 18, &message), 0);
    assert_int_equal(message.words_size, 0);
}
