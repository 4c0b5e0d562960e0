/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/log_message.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char begin[] = LOG_MESSAGE_BEGIN;
enum { BEGIN_SIZE = sizeof begin - 1 };

int log_name_is_good(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
    size_t length = strlen(name);
    return length > 0 && length < LOG_NAME_SIZE && strspn(name, all) == length &&
           strspn(name, letters) > 0;
}

/* Appends the text and its NUL. Returns the new size; 0: there is no room. */
static size_t append(char *bytes, size_t size, const char *text)
{
    size_t length = strlen(text) + 1;
    if (size == 0 || length > LOG_MESSAGE_MAX - size)
        return 0;
    memcpy(bytes + size, text, length);
    return size + length;
}

size_t log_message_make(const char *name, char *const *words, size_t count, char *bytes)
{
    memcpy(bytes, begin, BEGIN_SIZE);
    size_t size = append(bytes, BEGIN_SIZE, name);
    for (size_t i = 0; i < count; i++)
        size = append(bytes, size, words[i]);
    return size;
}

int log_message_read(const char *bytes, size_t size, struct log_message *message)
{
    if (size <= BEGIN_SIZE || size > LOG_MESSAGE_MAX || memcmp(bytes, begin, BEGIN_SIZE) != 0 ||
        bytes[size - 1] != '\0')
        return -EINVAL;
    message->has_pairs = false;
    message->name = bytes + BEGIN_SIZE;
    message->words = message->name + strlen(message->name) + 1;
    message->words_size = size - (size_t)(message->words - bytes);
    return log_name_is_good(message->name) ? 0 : -EINVAL;
}

static size_t put_byte(unsigned char byte, bool has_pairs, char *to)
{
    if (byte >= ' ' + has_pairs && byte < 0x7f && byte != '\\') {
        *to = (char)byte;
        return 1;
    }
    return (size_t)sprintf(to, "\\x%02x", byte);
}

int log_message_line(const struct log_message *message, const char *date, const char *user,
                     char line[LOG_LINE_SIZE])
{
    const size_t room = LOG_LINE_SIZE - sizeof "\\xHH";
    int begun = snprintf(line, LOG_LINE_SIZE, "%s %s", date, user);
    size_t length = begun < 0 ? LOG_LINE_SIZE : (size_t)begun;
    for (size_t i = 0; i < message->words_size; i++) {
        if (length >= room)
            return -EMSGSIZE;
        bool is_first = i == 0 || message->words[i - 1] == '\0';
        if (is_first)
            line[length++] = ' ';
        if (message->words[i] != '\0')
            length += put_byte((unsigned char)message->words[i], message->has_pairs, line + length);
    }
    if (length >= room)
        return -EMSGSIZE;
    memcpy(line + length, "\n", 2);
    return (int)length + 1;
}
