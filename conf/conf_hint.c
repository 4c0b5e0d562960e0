/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_hint.h"

#include <stdio.h>
#include <string.h>

#include "conf/base/suggest.h"
#include "conf/conf_keys.h"
#include "conf/conf_libraries.h"
#include "conf/conf_rules.h"
#include "conf/conf_sampling.h"

#define WORDS_MAX (CONF_KEYS + CONF_LISTS + CONF_TABLES + CONF_LIBRARY_LINES + POLICY_ACTIONS)

/* A set of words of at most WORDS_MAX. */
struct words {
    const char *word[WORDS_MAX];
    size_t count;
};

static void add_word(struct words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->word[i], word) == 0)
            return;
    words->word[words->count++] = word;
}

static struct words section_words(void)
{
    struct words words = {0};
    for (size_t i = 0; i < CONF_KEYS; i++)
        add_word(&words, conf_keys[i].section);
    for (size_t i = 0; i < CONF_LISTS; i++)
        add_word(&words, conf_lists[i].section);
    return words;
}

static struct words key_words(const char *section)
{
    struct words words = {0};
    const struct conf_list *list = conf_list_find(section);
    for (size_t i = 0; i < CONF_KEYS; i++)
        if (strcmp(conf_keys[i].section, section) == 0)
            add_word(&words, conf_keys[i].name);
    for (size_t i = 0; i < CONF_TABLES && strcmp(section, CONF_SAMPLING_SECTION) == 0; i++)
        add_word(&words, conf_tables[i].name);
    for (size_t i = 0; i < CONF_LIBRARY_LINES && strcmp(section, CONF_LIBRARIES_SECTION) == 0; i++)
        add_word(&words, conf_library_keys[i].name);
    for (unsigned action = POLICY_KEEP; list != NULL && action < POLICY_ACTIONS; action++)
        if (conf_list_allows(list, action))
            add_word(&words, conf_action_name(action));
    return words;
}

/* "did you mean WORD?", or the words that there are. */
static void print_hint(const char *name, const struct words *words, char *text, size_t size)
{
    const char *near = suggest(name, words->word, words->count);
    if (near != NULL) {
        snprintf(text, size, "did you mean %s?", near);
        return;
    }
    int at = snprintf(text, size, "there is ");
    for (size_t i = 0; i < words->count && at > 0 && (size_t)at < size; i++)
        at += snprintf(text + at, size - (size_t)at, "%s%s", i == 0 ? "" : ", ", words->word[i]);
}

bool conf_has_section(const char *section)
{
    struct words known = section_words();
    for (size_t i = 0; i < known.count; i++)
        if (strcmp(known.word[i], section) == 0)
            return true;
    return false;
}

void conf_hint_section(const char *name, char *text, size_t size)
{
    struct words known = section_words();
    print_hint(name, &known, text, size);
}

void conf_hint_key(const char *section, const char *name, char *text, size_t size)
{
    const char *home = NULL;
    struct words known = key_words(section);
    for (size_t i = 0; i < CONF_KEYS && home == NULL; i++)
        if (strcmp(conf_keys[i].name, name) == 0)
            home = conf_keys[i].section;
    if (home != NULL)
        snprintf(text, size, "it belongs in [%s]", home);
    else if (known.count == 0)
        snprintf(text, size, "write a [SECTION] line above it");
    else
        print_hint(name, &known, text, size);
}
