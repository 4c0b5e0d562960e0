/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/json_write.h"

#include <stdlib.h>
#include <string.h>

#include "conf/base/text.h"
#include "submit/record/json_add.h"

enum { FIRST_ROOM = 4096 };

static bool has_room(struct json_writer *writer, size_t size)
{
    if (size < writer->room - writer->length)
        return true;
    size_t room = 2 * (writer->length + size) + FIRST_ROOM;
    char *text = writer->failed ? NULL : realloc(writer->text, room);
    writer->failed |= text == NULL;
    if (text == NULL)
        return false;
    writer->text = text;
    writer->room = room;
    return true;
}

static void write_raw(struct json_writer *writer, const char *bytes, size_t size)
{
    if (size == 0 || !has_room(writer, size))
        return;
    memcpy(writer->text + writer->length, bytes, size);
    writer->length += size;
}

static void write_char(struct json_writer *writer, char character)
{
    write_raw(writer, &character, 1);
}

static void write_key(struct json_writer *writer, const char *key)
{
    size_t size = strlen(key);
    if (!has_room(writer, size + 4))
        return;
    char *to = writer->text + writer->length;
    if (writer->length > 0 && to[-1] != '{')
        *to++ = ',';
    *to++ = '"';
    memcpy(to, key, size);
    to += size;
    *to++ = '"';
    *to++ = ':';
    writer->length = (size_t)(to - writer->text);
}

/* In ASCII. What json-c has the text of is a part that json_memo_keep() keeps. */
static void write_value(struct json_writer *writer, struct json_object *value)
{
    const char *kept = json_object_get_userdata(value);
    const char *utf8 = kept == NULL ? json_text(value) : kept;
    size_t size = utf8 == NULL ? 0 : strlen(utf8);
    if (utf8 != NULL && text_is_ascii_json(utf8, size)) {
        write_raw(writer, utf8, size);
        return;
    }
    char *ascii = utf8 == NULL ? NULL : text_ascii_json(utf8);
    writer->failed |= ascii == NULL;
    if (ascii != NULL)
        write_raw(writer, ascii, strlen(ascii));
    free(ascii);
}

void json_write_begin(struct json_writer *writer)
{
    *writer = (struct json_writer){.text = NULL};
    write_char(writer, '{');
}

void json_write_open(struct json_writer *writer, const char *key)
{
    write_key(writer, key);
    write_char(writer, '{');
}

void json_write_close(struct json_writer *writer)
{
    write_char(writer, '}');
}

void json_write_text(struct json_writer *writer, const char *key, const char *text)
{
    json_write_bytes(writer, key, text_bytes(text));
}

void json_write_bytes(struct json_writer *writer, const char *key, struct capture_bytes bytes)
{
    if (!text_is_plain_json(bytes.at, bytes.size)) {
        struct json_object *string = json_bytes(bytes);
        writer->failed |= string == NULL; /* NULL would be written as null */
        json_write(writer, key, string);
        return;
    }
    write_key(writer, key);
    if (!has_room(writer, bytes.size + 2))
        return;
    char *to = writer->text + writer->length;
    *to = '"';
    if (bytes.size > 0)
        memcpy(to + 1, bytes.at, bytes.size);
    to[bytes.size + 1] = '"';
    writer->length += bytes.size + 2;
}

static void write_decimals(struct json_writer *writer, const char *key, double value, int decimals)
{
    char text[JSON_DECIMALS_SIZE];
    json_decimals(value, decimals, text);
    write_key(writer, key);
    write_raw(writer, text, strlen(text));
}

void json_write_double(struct json_writer *writer, const char *key, double value)
{
    write_decimals(writer, key, value, 4);
}

void json_write_measured(struct json_writer *writer, const char *key, double seconds)
{
    write_decimals(writer, key, seconds, 6);
}

void json_write_exact(struct json_writer *writer, const char *key, double value)
{
    char text[JSON_DECIMALS_SIZE];
    json_exact(value, text);
    write_key(writer, key);
    write_raw(writer, text, strlen(text));
}

void json_write(struct json_writer *writer, const char *key, struct json_object *value)
{
    write_key(writer, key);
    write_value(writer, value);
    json_object_put(value);
}

void json_write_members(struct json_writer *writer, struct json_object *object)
{
    size_t before = writer->length;
    writer->failed |= object == NULL;
    if (object != NULL)
        write_value(writer, object);
    json_object_put(object);
    if (writer->failed)
        return;
    if (before > 0 && writer->text[before - 1] != '{') {
        writer->text[before] = ',';
    } else {
        memmove(writer->text + before, writer->text + before + 1, writer->length - before - 1);
        writer->length--;
    }
    writer->length--; /* the closing brace */
}

char *json_write_end(struct json_writer *writer, size_t *length)
{
    write_raw(writer, "}", 2);
    char *text = writer->text;
    *length = writer->length - 1;
    if (writer->failed) {
        free(text);
        text = NULL;
    }
    *writer = (struct json_writer){.text = NULL};
    return text;
}
