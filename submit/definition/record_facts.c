/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/definition/record_facts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/json_end.h"
#include "conf/base/text.h"

enum { GROUPS_MAX = 4 };

/* The facts of a table. */
struct fact_set {
    const char *table;
    size_t length; /* of its name */
    size_t first, end;
    uint64_t key_bits; /* of its facts' keys */
};

/* A key of the record with its value. */
struct member {
    size_t at, length;
    uint64_t facts; /* that it has, by bit */
    uint32_t key;   /* its bit among those of the kind */
};

struct record_facts {
    enum record_kind kind;
    const struct record_fact *fact;
    size_t key_length[RECORD_FACTS_MAX];
    uint64_t asked;  /* by bit: the facts that are to be looked at in each record */
    uint64_t wanted; /* that a record must have */
    struct fact_set group[GROUPS_MAX]; /* the first is the record itself */
    size_t group_count;
    char *text; /* owned: the record before, which was sound; NULL: none */
    size_t room;
    struct member member[RECORD_TOPS]; /* of it */
    size_t members;
};

_Static_assert(RECORD_FACTS_MAX < 64, "each fact has a bit");

struct facts_scan {
    const struct record_facts *facts;
    const char *text, *end;
    uint64_t seen; /* as in a member */
    uint32_t keys; /* likewise */
    struct member member[RECORD_TOPS];
    size_t members;
};

/* A key with its value, which ends before `behind`. */
struct pair {
    const char *key, *value, *behind;
    size_t key_length;
};

/* Keys that are named alike, in any case, have the same bit. `key` may be empty, with a quote
 * behind it. */
static uint64_t key_bit(const char *key, size_t length)
{
    return UINT64_C(1) << ((length + 5 * (unsigned char)(*key | 0x20)) & 63);
}

/* The group of a fact, which is made with its first one: the last, or the record itself. */
static struct fact_set *group_for(struct record_facts *facts, const struct record_fact *fact,
                                  size_t i)
{
    struct fact_set *last = &facts->group[facts->group_count - 1];
    bool is_new =
        fact->table != NULL && (last->table == NULL || strcmp(last->table, fact->table) != 0);
    if (is_new) {
        *++last = (struct fact_set){fact->table, strlen(fact->table), i, i, 0};
        facts->group_count++;
    }
    if (fact->table == NULL) {
        last = &facts->group[0];
        last->first = last->end == 0 ? i : last->first;
    }
    return last;
}

struct record_facts *record_facts_new(enum record_kind kind, const struct record_fact *fact,
                                      size_t count)
{
    struct record_facts *facts = calloc(1, sizeof *facts);
    if (facts == NULL)
        return NULL;
    facts->kind = kind;
    facts->fact = fact;
    facts->group_count = 1;
    for (size_t i = 0; i < count; i++) {
        struct fact_set *group = group_for(facts, &fact[i], i);
        facts->key_length[i] = strlen(fact[i].key);
        group->end = i + 1;
        facts->wanted |= (uint64_t)!fact[i].may_lack << i;
        group->key_bits |= key_bit(fact[i].key, facts->key_length[i]);
        if (i == 0 || fact[i].fits != NULL)
            facts->asked |= UINT64_C(1) << i;
    }
    return facts;
}

void record_facts_free(struct record_facts *facts)
{
    if (facts != NULL)
        free(facts->text);
    free(facts);
}

/* The pair whose key begins at `at`; its end is yet to be found. */
static int find_key(const struct facts_scan *scan, const char *at, struct pair *pair)
{
    pair->value = json_key_end(at, scan->end);
    if (pair->value == NULL)
        return 0;
    pair->key = at + 1;
    pair->key_length = (size_t)(pair->value - at) - strlen("\"\":");
    return memchr(pair->key, '\\', pair->key_length) == NULL;
}

static int has_value(const struct pair *pair, const struct record_fact *fact)
{
    size_t length = (size_t)(pair->behind - pair->value);
    if (fact->fits != NULL)
        return fact->fits(fact->context, pair->value, length);
    int same = strlen(fact->text) == length && memcmp(pair->value, fact->text, length) == 0;
    return same != fact->differs;
}

/* Whether the pair is none of the group's facts, or is one as it has to be. */
static int take_pair(struct facts_scan *scan, const struct fact_set *group, const struct pair *pair)
{
    const struct record_facts *facts = scan->facts;
    if ((group->key_bits & key_bit(pair->key, pair->key_length)) == 0)
        return 1;
    for (size_t i = group->first; i < group->end; i++) {
        const struct record_fact *fact = &facts->fact[i];
        if (pair->key_length != facts->key_length[i] ||
            strncasecmp(pair->key, fact->key, pair->key_length) != 0)
            continue;
        if (memcmp(pair->key, fact->key, pair->key_length) != 0 ||
            (scan->seen & UINT64_C(1) << i) != 0 || !has_value(pair, fact))
            return 0;
        scan->seen |= UINT64_C(1) << i;
    }
    return 1;
}

/* Whether there is another pair behind this one; -1: neither that nor the end of a table. */
static int has_more(const struct facts_scan *scan, const char *behind)
{
    if (behind == NULL || behind == scan->end || (*behind != ',' && *behind != '}'))
        return -1;
    return *behind == ',';
}

/* Behind a table of facts, or NULL. */
static const char *take_table(struct facts_scan *scan, const struct fact_set *group, const char *at)
{
    struct pair pair = {.behind = at};
    int more = at < scan->end && *at == '{' ? 1 : -1;
    while (more == 1) {
        if (!find_key(scan, pair.behind + 1, &pair))
            return NULL;
        pair.behind = json_value_end(pair.value, scan->end);
        more = has_more(scan, pair.behind);
        if (more >= 0 && !take_pair(scan, group, &pair))
            return NULL;
    }
    return more == 0 ? pair.behind + 1 : NULL;
}

/* The table of facts that has this key, which is in the list and there once; or NULL. */
static const struct fact_set *find_table(const struct facts_scan *scan, const struct pair *pair)
{
    for (size_t i = 1; i < scan->facts->group_count; i++) {
        const struct fact_set *group = &scan->facts->group[i];
        if (group->length == pair->key_length &&
            memcmp(pair->key, group->table, group->length) == 0)
            return group;
    }
    return NULL;
}

/* Behind the key and value at `at` where they are the same as in the record before, and have been
 * seen to be sound there; or NULL. But the first fact is another one now, and some are asked. */
static const char *after_same(struct facts_scan *scan, const char *at)
{
    const struct record_facts *facts = scan->facts;
    const struct member *member = &facts->member[scan->members];
    if (facts->text == NULL || scan->members >= facts->members ||
        (member->facts & facts->asked) != 0 || (size_t)(scan->end - at) <= member->length ||
        memcmp(at, facts->text + member->at, member->length) != 0 ||
        has_more(scan, at + member->length) < 0 ||
        ((scan->seen & member->facts) | (scan->keys & member->key)) != 0)
        return NULL;
    scan->seen |= member->facts;
    scan->keys |= member->key;
    scan->member[scan->members++] =
        (struct member){(size_t)(at - scan->text), member->length, member->facts, member->key};
    return at + member->length;
}

/* The bit of a key that the kind has, and that was not there yet; or 0. */
static uint32_t new_key(const struct facts_scan *scan, const struct pair *pair)
{
    int place = record_key_place(scan->facts->kind, pair->key, pair->key_length);
    uint32_t key = place < 0 ? 0 : UINT32_C(1) << place;
    return (scan->keys & key) == 0 ? key : 0;
}

/* Behind the key and value at `at`, or NULL. */
static const char *take_member(struct facts_scan *scan, const char *at)
{
    struct pair pair;
    const uint64_t seen = scan->seen;
    uint32_t key = find_key(scan, at, &pair) ? new_key(scan, &pair) : 0;
    if (key == 0)
        return NULL;
    const struct fact_set *table = find_table(scan, &pair);
    pair.behind =
        table != NULL ? take_table(scan, table, pair.value) : json_value_end(pair.value, scan->end);
    if (pair.behind == NULL || !text_is_ascii_json(at, (size_t)(pair.behind - at)) ||
        !take_pair(scan, scan->facts->group, &pair))
        return NULL;
    scan->keys |= key;
    scan->member[scan->members++] = (struct member){
        (size_t)(at - scan->text), (size_t)(pair.behind - at), scan->seen ^ seen, key};
    return pair.behind;
}

static int scan_record(struct facts_scan *scan)
{
    const char *behind = scan->text;
    int more = 1;
    while (more == 1) {
        const char *at = behind + 1;
        behind = after_same(scan, at);
        if (behind == NULL)
            behind = take_member(scan, at);
        more = has_more(scan, behind);
    }
    return more == 0 && behind + 1 == scan->end &&
           (scan->seen & scan->facts->wanted) == scan->facts->wanted;
}

static void remember(struct record_facts *facts, const struct facts_scan *scan, size_t size)
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
    struct facts_scan scan;
    if (size == 0 || *text != '{')
        return 0;
    scan.facts = facts; /* the array is large, and filled as it is used */
    scan.text = text;
    scan.end = text + size;
    scan.seen = scan.keys = 0;
    scan.members = 0;
    if (!scan_record(&scan))
        return 0;
    remember(facts, &scan, size);
    return 1;
}
