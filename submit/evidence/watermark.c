/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/evidence/watermark.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY_MAX = 32 << 10 };

static void restore_blanks(char *text)
{
    const char mark[] = "_%_%_";
    char *to = text;
    while (*text != '\0') {
        if (strncmp(text, mark, sizeof mark - 1) == 0) {
            *to++ = ' ';
            text += sizeof mark - 1;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
}

/* Takes the brackets off a key, and writes '.' as '_', as XALT since version 2. NULL: no key. */
static char *read_key(char *key)
{
    size_t length = strlen(key);
    if (length > 2 && key[0] == '<' && key[length - 1] == '>') {
        key[length - 1] = '\0';
        key++;
    }
    for (char *at = key; *at != '\0'; at++) {
        bool is_letter = (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z');
        if (*at == '.')
            *at = '_';
        else if (!is_letter && !(*at >= '0' && *at <= '9') && *at != '_')
            return NULL;
    }
    return key[0] == '\0' ? NULL : key;
}

/* Reads "<KEY>%%VALUE%%", which is changed in place. Returns whether it is of that form. */
static bool read_entry(char *entry, watermark_key *take, void *context)
{
    char *value = strstr(entry, "%%");
    if (value == NULL)
        return false;
    *value = '\0';
    value += 2;
    const char *key = read_key(entry);
    if (key == NULL)
        return false;
    size_t length = strlen(value);
    if (length >= 2 && strcmp(value + length - 2, "%%") == 0)
        value[length - 2] = '\0';
    restore_blanks(value);
    take(context, key, value);
    return true;
}

int watermark_read_strings(const char *text, size_t size, watermark_key *take, void *context)
{
    char entry[ENTRY_MAX];
    int keys = 0;
    const char *end = text + size;
    for (const char *at = text; at < end && keys < WATERMARK_KEYS_MAX;) {
        size_t length = strnlen(at, (size_t)(end - at));
        if (length < sizeof entry) {
            memcpy(entry, at, length);
            entry[length] = '\0';
            if (strcmp(entry, "XALT_Link_Info_End") == 0)
                break;
            keys += read_entry(entry, take, context);
        }
        at += length + 1;
    }
    return keys;
}

int watermark_read(const char *note, size_t size, watermark_key *take, void *context)
{
    if (size < 2 || note[0] != 2)
        return 0;
    return watermark_read_strings(note + 1, size - 1, take, context);
}

double watermark_epoch(const char *value)
{
    double seconds = strtod(value, NULL);
    return seconds > 0 && seconds < 1e11 ? seconds : 0; /* strtod() also reads "nan" and "inf" */
}
