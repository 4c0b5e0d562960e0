/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_owners.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "contrib/libraries/conf_libraries.h"

#define BLANKS " \t"

enum { GROUPS_MAX = 65536 };

/* What was found out about a user. */
struct owner {
    uid_t uid;
    uint64_t hash_ms;             /* that the hashes of their files have left of this scan */
    bool is_named;                /* by [libraries] owners */
    char name[LIBRARY_TEXT_SIZE]; /* "~USER" */
};

struct library_owners {
    struct owner *owner; /* owned */
    uid_t *user;         /* owned: those of the words that are users */
    gid_t *group;        /* owned */
    size_t count, users, groups;
    size_t last; /* the owner who was asked about last; files of one follow each other */
    uid_t tree;
    char *unknown; /* owned; NULL: all are known */
};

static int add_word(struct library_owners *owners, const char *word)
{
    const struct passwd *user = word[0] == '@' ? NULL : getpwnam(word);
    const struct group *group = word[0] == '@' ? getgrnam(word + 1) : NULL;
    if (user != NULL) {
        if (GROW(owners->user, owners->users) != 0)
            return -ENOMEM;
        owners->user[owners->users++] = user->pw_uid;
    } else if (group != NULL) {
        if (GROW(owners->group, owners->groups) != 0)
            return -ENOMEM;
        owners->group[owners->groups++] = group->gr_gid;
    } else if (owners->unknown == NULL) {
        owners->unknown = strdup(word);
        return owners->unknown == NULL ? -ENOMEM : 0;
    }
    return 0;
}

int library_owners_new(const char *words, struct library_owners **out)
{
    char *rest = NULL, *copy = strdup(words);
    struct library_owners *owners = calloc(1, sizeof *owners);
    int error = copy == NULL || owners == NULL ? -ENOMEM : 0;
    for (char *word = error == 0 ? strtok_r(copy, BLANKS, &rest) : NULL; word != NULL && error == 0;
         word = strtok_r(NULL, BLANKS, &rest))
        error = add_word(owners, word);
    free(copy);
    if (error == 0)
        *out = owners;
    else
        library_owners_free(owners);
    return error;
}

void library_owners_free(struct library_owners *owners)
{
    if (owners == NULL)
        return;
    free(owners->owner);
    free(owners->user);
    free(owners->group);
    free(owners->unknown);
    free(owners);
}

const char *library_owners_unknown(const struct library_owners *owners)
{
    return owners->unknown;
}

void library_owners_tree(struct library_owners *owners, uid_t owner)
{
    owners->tree = owner;
}

/* Whether the user is a member of one of the groups. */
static bool is_member(const struct library_owners *owners, const struct passwd *user)
{
    int count = 64, room = 0;
    gid_t *groups = NULL;
    if (owners->groups == 0)
        return false;
    do {
        free(groups);
        room = count;
        groups = calloc((size_t)room, sizeof *groups);
        if (groups == NULL)
            return false;
    } while (getgrouplist(user->pw_name, user->pw_gid, groups, &count) < 0 && count > room &&
             count <= GROUPS_MAX);
    bool result = false;
    for (int i = 0; i < count && i < room; i++)
        for (size_t k = 0; k < owners->groups; k++)
            result |= groups[i] == owners->group[k];
    free(groups);
    return result;
}

static void look_up(const struct library_owners *owners, struct owner *owner)
{
    const struct passwd *user = getpwuid(owner->uid);
    for (size_t i = 0; i < owners->users; i++)
        owner->is_named |= owner->uid == owners->user[i];
    if (user == NULL) {
        snprintf(owner->name, sizeof owner->name, "~%lu", (unsigned long)owner->uid);
        return;
    }
    snprintf(owner->name, sizeof owner->name, "~%s", user->pw_name);
    owner->is_named |= is_member(owners, user);
}

/* NULL when out of memory. */
static const struct owner *find_owner(struct library_owners *owners, uid_t uid)
{
    if (owners->last < owners->count && owners->owner[owners->last].uid == uid)
        return &owners->owner[owners->last];
    for (owners->last = 0; owners->last < owners->count; owners->last++)
        if (owners->owner[owners->last].uid == uid)
            return &owners->owner[owners->last];
    if (GROW(owners->owner, owners->count) != 0)
        return NULL;
    struct owner *owner = &owners->owner[owners->count++];
    *owner = (struct owner){.uid = uid, .hash_ms = LIBRARY_OTHERS_MS};
    look_up(owners, owner);
    return owner;
}

uint64_t *library_owners_ms(struct library_owners *owners, const struct library_file *file)
{
    if (file->owner == 0 || file->owner == owners->tree || find_owner(owners, file->owner) == NULL)
        return NULL;
    struct owner *owner = &owners->owner[owners->last];
    return owner->uid != file->owner || owner->is_named ? NULL : &owner->hash_ms;
}

bool library_owners_believe(struct library_owners *owners, struct library_file *file)
{
    bool is_own = file->owner == 0 || file->owner == owners->tree;
    if (is_own && !file->is_anyones)
        return true;
    const struct owner *owner = find_owner(owners, file->owner);
    if (owner != NULL && owner->is_named && !file->is_anyones)
        return true;
    if (owner == NULL)
        snprintf(file->name, sizeof file->name, "~%lu", (unsigned long)file->owner);
    else
        memcpy(file->name, owner->name, sizeof file->name);
    return false;
}

bool library_is_others(const char *name)
{
    return name[0] == '~';
}

const char *library_group(const struct conf *conf, const char *name)
{
    const struct conf_line *group = library_is_others(name) ? NULL : conf_library_group(conf, name);
    return group == NULL ? "" : group->name;
}
