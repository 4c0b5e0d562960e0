/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record_facts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text.h"

enum { DEPTH_MAX = 16, MEMBERS_MAX = 32, GROUPS_MAX = 4 };

/* The facts of a table. */
struct group {
    const char *table;
    size_t length; /* of its name */
    size_t first, end;
};

/* A key of the record with its value. */
struct member {
    size_t at, length;
    uint32_t facts, groups; /* that it has, by bit */
};

struct record_facts {
    const struct record_fact *fact;
    size_t count;
    size_t key_length[RECORD_FACTS_MAX];
    struct group group[GROUPS_MAX]; /* the first is the record itself */
    size_t group_count;
    char *text; /* owned: the record before, which was sound; NULL: none */
    size_t room;
    struct member member[MEMBERS_MAX]; /* of it */
    size_t members;
};

struct scan {
    const struct record_facts *facts;
    const char *text, *end;
    uint32_t seen, groups; /* as in a member */
    struct member member[MEMBERS_MAX];
    size_t members;
};

/* A key with its value, which ends before `behind`. */
struct pair {
    const char *key, *value, *behind;
    size_t key_length;
};

static size_t length_of(const char *text)
{
    return text == NULL ? 0 : strlen(text);
}

struct record_facts *record_facts_new(const struct record_fact *fact, size_t count)
{
    struct record_facts *facts = calloc(1, sizeof *facts);
    if (facts == NULL)
        return NULL;
    facts->fact = fact;
    facts->count = count;
    facts->group_count = 1;
    for (size_t i = 0; i < count; i++) {
        struct group *last = &facts->group[facts->group_count - 1];
        facts->key_length[i] = strlen(fact[i].key);
        if (fact[i].table != NULL &&
            (last->table == NULL || strcmp(last->table, fact[i].table) != 0))
            *++last = (struct group){fact[i].table, length_of(fact[i].table), i, i};
        last->end = i + 1;
        facts->group_count = (size_t)(last - facts->group) + 1;
    }
    return facts;
}

void record_facts_free(struct record_facts *facts)
{
    if (facts != NULL)
        free(facts->text);
    free(facts);
}

/* From behind the opening quote to behind the closing one, or NULL. */
static const char *behind_string(const char *start, const char *end)
{
    for (const char *at = start;; at++) {
        at = memchr(at, '"', (size_t)(end - at));
        if (at == NULL)
            return NULL;
        const char *before = at;
        while (before > start && before[-1] == '\\')
            before--;
        if ((at - before) % 2 == 0)
            return at + 1;
    }
}

/* Of numbers, true, false and null. */
static int is_plain(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == '.' ||
           byte == '-' || byte == '+' || byte == 'E';
}

/* Behind the brace or bracket that closes the one at `at`, or NULL. */
static const char *behind_brackets(const char *at, const char *end)
{
    char closing[DEPTH_MAX];
    size_t depth = 0;
    do {
        char byte = *at++;
        if (byte == '"') {
            at = behind_string(at, end);
            if (at == NULL)
                return NULL;
        } else if (byte == '{' || byte == '[') {
            if (depth == DEPTH_MAX)
                return NULL;
            closing[depth++] = byte == '{' ? '}' : ']';
        } else if (byte == '}' || byte == ']') {
            if (closing[--depth] != byte)
                return NULL;
        } else if (byte != ',' && byte != ':' && !is_plain(byte))
            return NULL;
    } while (depth > 0 && at < end);
    return depth == 0 ? at : NULL;
}

static const char *behind_value(const char *at, const char *end)
{
    if (at == end)
        return NULL;
    if (*at == '"')
        return behind_string(at + 1, end);
    if (*at == '{' || *at == '[')
        return behind_brackets(at, end);
    while (at < end && is_plain(*at))
        at++;
    return at;
}

/* The pair whose key begins at `at`; its end is yet to be found. */
static int find_key(const struct scan *scan, const char *at, struct pair *pair)
{
    if (at == scan->end || *at != '"')
        return 0;
    const char *behind = behind_string(at + 1, scan->end);
    if (behind == NULL || behind == scan->end || *behind != ':')
        return 0;
    pair->key = at + 1;
    pair->key_length = (size_t)(behind - at) - 2;
    pair->value = behind + 1;
    return memchr(pair->key, '\\', pair->key_length) == NULL;
}

static int has_value(const struct pair *pair, const struct record_fact *fact)
{
    size_t length = (size_t)(pair->behind - pair->value);
    int same = strlen(fact->text) == length && memcmp(pair->value, fact->text, length) == 0;
    return same != fact->differs;
}

static int is_named(const struct pair *pair, const char *name, size_t length)
{
    return pair->key_length == length && strncasecmp(pair->key, name, length) == 0;
}

/* Whether the pair is none of the group's facts, or is one as it has to be. */
static int take_pair(struct scan *scan, const struct group *group, const struct pair *pair)
{
    const struct record_facts *facts = scan->facts;
    for (size_t i = group->first; i < group->end; i++) {
        const struct record_fact *fact = &facts->fact[i];
        if (!is_named(pair, fact->key, facts->key_length[i]))
            continue;
        if (memcmp(pair->key, fact->key, pair->key_length) != 0 ||
            (scan->seen & UINT32_C(1) << i) != 0 || !has_value(pair, fact))
            return 0;
        scan->seen |= UINT32_C(1) << i;
    }
    return 1;
}

/* Whether there is another pair behind this one; -1: neither that nor the end of a table. */
static int goes_on(const struct scan *scan, const char *behind)
{
    if (behind == NULL || behind == scan->end || (*behind != ',' && *behind != '}'))
        return -1;
    return *behind == ',';
}

/* Behind a table of facts, or NULL. */
static const char *take_table(struct scan *scan, const struct group *group, const char *at)
{
    struct pair pair = {.behind = at};
    int more = at < scan->end && *at == '{' ? 1 : -1;
    while (more == 1) {
        if (!find_key(scan, pair.behind + 1, &pair))
            return NULL;
        pair.behind = behind_value(pair.value, scan->end);
        more = goes_on(scan, pair.behind);
        if (more >= 0 && !take_pair(scan, group, &pair))
            return NULL;
    }
    return more == 0 ? pair.behind + 1 : NULL;
}

/* The table of facts that has this key. Returns 0 where it is there twice, or nearly has it. */
static int find_table(struct scan *scan, const struct pair *pair, const struct group **table)
{
    *table = NULL;
    for (size_t i = 1; i < scan->facts->group_count; i++) {
        const struct group *group = &scan->facts->group[i];
        if (!is_named(pair, group->table, group->length))
            continue;
        if (memcmp(pair->key, group->table, group->length) != 0 ||
            (scan->groups & UINT32_C(1) << i) != 0)
            return 0;
        scan->groups |= UINT32_C(1) << i;
        *table = group;
    }
    return 1;
}

/* Behind the key and value at `at` where they are the same as in the record before, and have been
 * seen to be sound there; or NULL. But the first fact is another one now. */
static const char *behind_same(struct scan *scan, const char *at)
{
    const struct record_facts *facts = scan->facts;
    const struct member *member = &facts->member[scan->members];
    if (facts->text == NULL || scan->members >= facts->members || (member->facts & 1) != 0 ||
        (size_t)(scan->end - at) <= member->length ||
        memcmp(at, facts->text + member->at, member->length) != 0 ||
        goes_on(scan, at + member->length) < 0 ||
        ((scan->seen & member->facts) | (scan->groups & member->groups)) != 0)
        return NULL;
    scan->seen |= member->facts;
    scan->groups |= member->groups;
    scan->member[scan->members++] =
        (struct member){(size_t)(at - scan->text), member->length, member->facts, member->groups};
    return at + member->length;
}

/* Behind the key and value at `at`, or NULL. */
static const char *take_member(struct scan *scan, const char *at)
{
    struct pair pair;
    const struct group *table;
    const uint32_t seen = scan->seen, groups = scan->groups;
    if (scan->members == MEMBERS_MAX || !find_key(scan, at, &pair) ||
        !find_table(scan, &pair, &table))
        return NULL;
    pair.behind =
        table != NULL ? take_table(scan, table, pair.value) : behind_value(pair.value, scan->end);
    if (pair.behind == NULL || !text_is_ascii_json(at, (size_t)(pair.behind - at)) ||
        !take_pair(scan, scan->facts->group, &pair))
        return NULL;
    scan->member[scan->members++] =
        (struct member){(size_t)(at - scan->text), (size_t)(pair.behind - at), scan->seen ^ seen,
                        scan->groups ^ groups};
    return pair.behind;
}

static int scan_record(struct scan *scan)
{
    const char *behind = scan->text;
    int more = 1;
    while (more == 1) {
        const char *at = behind + 1;
        behind = behind_same(scan, at);
        if (behind == NULL)
            behind = take_member(scan, at);
        more = goes_on(scan, behind);
    }
    return more == 0 && behind + 1 == scan->end &&
           scan->seen == (UINT32_C(1) << scan->facts->count) - 1;
}

static void remember(struct record_facts *facts, const struct scan *scan, size_t size)
{
    if (size > facts->room) {
        free(facts->text);
        facts->room = size;
        facts->text = malloc(size);
    }
    if (facts->text == NULL) {
        facts->room = 0;
        return;
    }
    memcpy(facts->text, scan->text, size);
    memcpy(facts->member, scan->member, scan->members * sizeof *scan->member);
    facts->members = scan->members;
}

int record_facts_hold(struct record_facts *facts, const char *text, size_t size)
{
    struct scan scan;
    if (size == 0 || *text != '{')
        return 0;
    scan.facts = facts; /* the array is large, and filled as it is used */
    scan.text = text;
    scan.end = text + size;
    scan.seen = scan.groups = 0;
    scan.members = 0;
    if (!scan_record(&scan))
        return 0;
    remember(facts, &scan, size);
    return 1;
}
