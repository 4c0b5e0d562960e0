/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/definition/record_view.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* KIND, SYSHOST and UUID are there in all forms; UUID_AT: its place where DATE and USER alone stand
 * before it. */
enum { WORDS_MIN = 5, WORDS_MAX = 8, UUID_AT = 4 };

enum { KIND_MAX = 15, HOST_MAX = 63, UUID_LENGTH = RECORD_UUID_SIZE - 1, PACKAGE_DIGITS = 12 };

enum { NAME_LENGTH_MAX = 240 };

/* Between the dots. Returns their number; 0 when there are more than WORDS_MAX. */
static size_t split(const char *name, struct record_word *words)
{
    size_t count = 0;
    for (;;) {
        size_t length = strcspn(name, ".");
        if (count == WORDS_MAX)
            return 0;
        words[count++] = (struct record_word){name, length};
        if (name[length] == '\0')
            return count;
        name += length + 1;
    }
}

bool record_word_is(struct record_word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.at, text, word.length) == 0;
}

/* As uuid_parse(3) takes it, in a tenth of its time. */
static bool is_uuid(struct record_word word)
{
    if (word.length != UUID_LENGTH)
        return false;
    for (size_t i = 0; i < UUID_LENGTH; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? word.at[i] != '-' : !isxdigit((unsigned char)word.at[i]))
            return false;
    }
    return true;
}

static bool has_length(struct record_word word, size_t most)
{
    return word.length > 0 && word.length <= most;
}

bool record_name_is_sound(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && length <= NAME_LENGTH_MAX && name[0] != '.' &&
           strcspn(name, "/ \n\t\r\"\\") == length;
}

/* `uuid_at`: the place of the uuid among the words; `behind`: the word between it and "json". */
static bool is_exact(enum record_kind kind, const struct record_word *words, size_t uuid_at,
                     const struct record_word *behind)
{
    switch (kind) {
    case RECORD_RUN:
        return uuid_at == UUID_AT + 1 && behind == NULL &&
               (record_word_is(words[UUID_AT], "aaa") || record_word_is(words[UUID_AT], "zzz"));
    case RECORD_PACKAGE:
        return uuid_at == UUID_AT && behind != NULL && behind->length == PACKAGE_DIGITS &&
               strspn(behind->at, "0123456789abcdef") == PACKAGE_DIGITS;
    case RECORD_LINK:
    case RECORD_COVERAGE:
    case RECORD_LIBRARY:
    case RECORD_RANKS:
    case RECORD_PROFILE:
        return uuid_at == UUID_AT && behind == NULL;
    case RECORD_KINDS:
        break;
    }
    return false;
}

struct record_view record_view(const char *name, const char *text, size_t length)
{
    struct record_view view = {.name = name,
                               .text = text,
                               .length = length,
                               .kind = RECORD_KINDS,
                               .kind_word = {"other", 5},
                               .syshost = {"unknown", 7},
                               .date = {"", 0},
                               .user = {"", 0}};
    struct record_word words[WORDS_MAX];
    size_t count = split(name, words);
    if (count < WORDS_MIN || !record_word_is(words[count - 1], "json") ||
        !has_length(words[0], KIND_MAX) || !has_length(words[1], HOST_MAX))
        return view;
    bool is_several = !is_uuid(words[count - 2]); /* a word that tells records of one run apart */
    size_t uuid_at = is_several ? count - 3 : count - 2;
    if (!is_uuid(words[uuid_at]) || words[count - 2].length > UUID_LENGTH)
        return view;
    view.kind = record_kind_of(words[0].at, words[0].length);
    view.kind_word = words[0];
    view.syshost = words[1];
    view.uuid = words[uuid_at].at;
    view.is_start = view.kind == RECORD_RUN && record_word_is(words[uuid_at - 1], "aaa");
    view.is_exact = is_exact(view.kind, words, uuid_at, is_several ? &words[count - 2] : NULL);
    if (view.is_exact) {
        view.date = words[2];
        view.user = words[3];
    }
    return view;
}

bool record_view_key(const struct record_view *view, char key[RECORD_KEY_SIZE])
{
    if (view->uuid == NULL)
        return false;
    const char *behind = view->uuid + UUID_LENGTH + 1;
    bool is_several = strcmp(behind, "json") != 0;
    if (view->kind == RECORD_RUN && !is_several)
        snprintf(key, RECORD_KEY_SIZE, "run_%s_%.*s", view->is_start ? "strt" : "fini", UUID_LENGTH,
                 view->uuid);
    else
        snprintf(key, RECORD_KEY_SIZE, "%.*s_%.*s%s%.*s", (int)view->kind_word.length,
                 view->kind_word.at, UUID_LENGTH, view->uuid, is_several ? "_" : "",
                 is_several ? (int)strcspn(behind, ".") : 0, behind);
    return true;
}
