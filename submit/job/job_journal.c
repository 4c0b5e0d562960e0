/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/job_journal.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spank/journal.h"

/* ---- Whose job it is ------------------------------------------------------------------------- */

static int set_text(char **text, const char *value)
{
    char *copy = strdup(value);
    if (copy == NULL)
        return -ENOMEM;
    free(*text);
    *text = copy;
    return 0;
}

int job_identity_start(struct job_identity *identity)
{
    char **texts[] = {&identity->user, &identity->account, &identity->partition,
                      &identity->qos,  &identity->cluster, &identity->node};
    int error = 0;
    *identity = (struct job_identity){
        .array_job = JOURNAL_NONE,
        .array_task = JOURNAL_NONE,
        .het_job = JOURNAL_NONE,
        .uid = (uid_t)-1,
        .gid = (gid_t)-1,
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && error == 0; i++)
        error = set_text(texts[i], "");
    return error;
}

/* The account's name, or the number. Returns the account's group, or `gid`. */
static gid_t find_account(uid_t uid, gid_t gid, char name[NAME_MAX])
{
    struct passwd entry, *found = NULL;
    char text[16384];
    getpwuid_r(uid, &entry, text, sizeof text, &found);
    if (found != NULL && found->pw_name[0] != '\0' && strlen(found->pw_name) < NAME_MAX)
        snprintf(name, NAME_MAX, "%s", found->pw_name);
    else
        snprintf(name, NAME_MAX, "%u", (unsigned)uid);
    return found == NULL ? gid : found->pw_gid;
}

bool job_identity_is_named(const struct job_identity *identity)
{
    return identity->user[0] != '\0' && strcmp(identity->user, "nobody") != 0;
}

int job_identity_name_user(struct job_identity *identity)
{
    char name[NAME_MAX];
    if (identity->uid == (uid_t)-1 || job_identity_is_named(identity))
        return 0;
    find_account(identity->uid, identity->gid, name);
    return set_text(&identity->user, name);
}

int job_identity_of_user(uid_t uid, gid_t gid, const char *node, struct job_identity *identity)
{
    struct job_identity made;
    char name[NAME_MAX];
    int error = job_identity_start(&made);
    made.uid = uid;
    made.gid = find_account(uid, gid, name);
    if (error == 0)
        error = set_text(&made.node, node);
    if (error == 0)
        error = set_text(&made.user, name);
    if (error != 0) {
        job_identity_free(&made);
        return error;
    }
    *identity = made;
    return 0;
}

void job_identity_free(struct job_identity *identity)
{
    free(identity->user);
    free(identity->account);
    free(identity->partition);
    free(identity->qos);
    free(identity->cluster);
    free(identity->node);
    *identity = (struct job_identity){0};
}

/* ---- Journals -------------------------------------------------------------------------------- */

static uint32_t bucket_of(const struct journal_index *index, uint32_t key)
{
    return (key * UINT32_C(2654435769) >> 8) & index->mask; /* Knuth's multiplicative hashing */
}

static void link_entry(struct journal_index *index, uint32_t entry, uint32_t key)
{
    uint32_t *bucket = &index->slots[bucket_of(index, key)];
    index->slots[index->mask + entry] = *bucket;
    *bucket = entry;
}

/* Makes the index anew, for twice as many entries. */
static int grow_index(struct journal_index *index, size_t count, journal_key_of *key_of,
                      const void *array)
{
    struct journal_index larger = {.mask = index->mask * 2 + 1};
    if (count > UINT32_MAX / 4)
        return -ENOMEM;
    larger.slots = calloc(2 * (size_t)larger.mask + 1, sizeof *larger.slots);
    if (larger.slots == NULL)
        return -ENOMEM;
    for (uint32_t entry = 1; entry < count; entry++)
        link_entry(&larger, entry, key_of(array, entry - 1));
    free(index->slots);
    *index = larger;
    return 0;
}

int journal_index_add(struct journal_index *index, size_t count, journal_key_of *key_of,
                      const void *array)
{
    int error = count > index->mask ? grow_index(index, count, key_of, array) : 0;
    if (error == 0)
        link_entry(index, (uint32_t)count, key_of(array, count - 1));
    return error;
}

uint32_t journal_index_first(const struct journal_index *index, size_t count, uint32_t key)
{
    return index->slots == NULL ? (uint32_t)count : index->slots[bucket_of(index, key)];
}

uint32_t journal_index_next(const struct journal_index *index, uint32_t entry)
{
    return index->slots == NULL ? entry - 1 : index->slots[index->mask + entry];
}

void journal_index_free(struct journal_index *index)
{
    free(index->slots);
    *index = (struct journal_index){.slots = NULL};
}

const struct journal_step *journal_find_step(const struct journal *journal, uint32_t step)
{
    const struct journal_index *index = &journal->step_index;
    for (uint32_t i = journal_index_first(index, journal->step_count, step); i > 0;
         i = journal_index_next(index, i)) {
        if (journal->steps[i - 1].step == step)
            return &journal->steps[i - 1];
    }
    return NULL;
}

bool journal_knows_pids(const struct journal *journal, uint32_t step, uint64_t name_space)
{
    const struct journal_step *found = journal_find_step(journal, step);
    if (found == NULL && journal->step_count > 0)
        found = &journal->steps[0];
    return name_space == 0 || (found != NULL && found->name_space == name_space);
}

const struct journal_task *journal_find_task(const struct journal *journal, int32_t pid,
                                             uint64_t ticks)
{
    const struct journal_index *index = &journal->task_index;
    for (uint32_t i = journal_index_first(index, journal->task_count, (uint32_t)pid); i > 0;
         i = journal_index_next(index, i)) {
        const struct journal_task *task = &journal->tasks[i - 1];
        if (task->pid == pid && task->ticks == ticks)
            return task;
    }
    return NULL;
}

/* ---- Sets of cores --------------------------------------------------------------------------- */

/* Moves `*at` behind a number below CORE_SET_MAX. */
static bool take_number(const char **at, uint32_t *number)
{
    const char *digit = *at;
    uint32_t found = 0;
    for (; *digit >= '0' && *digit <= '9' && found < CORE_SET_MAX; digit++)
        found = found * 10 + (uint32_t)(*digit - '0');
    bool is_number = digit != *at && found < CORE_SET_MAX;
    *number = found;
    *at = digit;
    return is_number;
}

/* Sets the bits of the list. Returns whether it is one. */
static bool take_list(const char *text, uint64_t words[CORE_SET_MAX / 64])
{
    for (;;) {
        uint32_t first, last;
        if (!take_number(&text, &first))
            return false;
        last = first;
        if (*text == '-' && (text++, !take_number(&text, &last) || last < first))
            return false;
        for (uint32_t core = first; core <= last; core++)
            words[core / 64] |= UINT64_C(1) << core % 64;
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
}

int core_set_parse(const char *text, struct core_set *set)
{
    uint64_t words[CORE_SET_MAX / 64] = {0};
    struct core_set found = {.words = NULL};
    *set = found;
    if (text == NULL || !take_list(text, words))
        return 0;
    for (size_t i = 0; i < CORE_SET_MAX / 64; i++) {
        found.count += (uint32_t)__builtin_popcountll(words[i]);
        if (words[i] != 0)
            found.word_count = i + 1;
    }
    found.words = malloc(found.word_count * sizeof *found.words);
    if (found.words == NULL)
        return -ENOMEM;
    memcpy(found.words, words, found.word_count * sizeof *found.words);
    *set = found;
    return 0;
}

void core_set_free(struct core_set *set)
{
    free(set->words);
    *set = (struct core_set){.words = NULL};
}
