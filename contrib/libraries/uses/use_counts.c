/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/uses/use_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"

static int digest_of(const char *path, enum use_kind kind, const struct library_who *who,
                     struct digest *digest)
{
    const void *const pieces[] = {path,          &kind,           &who->how,   &who->uid,
                                  &who->command, &who->login_uid, who->program};
    const size_t sizes[] = {strlen(path),        sizeof kind,          sizeof who->how,
                            sizeof who->uid,     strlen(who->command), sizeof who->login_uid,
                            strlen(who->program)};
    return hash_pieces(pieces, sizes, sizeof sizes / sizeof *sizes, digest);
}

/* All that follow return the place of the use, or -errno. */

static int64_t count_again(struct use_counts *counts, const struct use *more,
                           const struct digest *digest)
{
    int64_t number = id_cache_find(&counts->index, digest);
    if (number == 0)
        return -ENOENT;
    struct use *use = &counts->use[number - 1];
    for (int i = 0; i < USE_OUTPUTS; i++)
        use->count[i] += more->count[i];
    if (use->late_s == 0 || (more->late_s != 0 && more->late_s < use->late_s))
        use->late_s = more->late_s;
    return number - 1;
}

static int64_t begin_use(struct use_counts *counts, const struct use *use,
                         const struct digest *digest)
{
    char *copy = counts->count < USES_MAX ? strdup(use->path) : NULL;
    if (copy == NULL || GROW(counts->use, counts->count) != 0) {
        free(copy);
        return -ENOMEM;
    }
    counts->use[counts->count] = *use;
    counts->use[counts->count++].path = copy;
    id_cache_add(&counts->index, digest, (int64_t)counts->count);
    return (int64_t)counts->count - 1;
}

/* Of a user who may be anybody. */
static int64_t add_of_user(struct use_counts *counts, const struct use *use, struct digest *digest)
{
    struct digest user;
    struct use shown = *use;
    struct library_who *who = &shown.who;
    int error = hash_pieces((const void *[]){&who->uid}, (size_t[]){sizeof who->uid}, 1, &user);
    if (error != 0)
        return error;
    int64_t count = id_cache_find(&counts->users, &user);
    if (count >= USE_COMMANDS_OF_USER) {
        who->command[0] = who->program[0] = '\0';
        who->login_uid = LIBRARY_NO_USER;
        error = digest_of(use->path, use->kind, who, digest);
        int64_t place = error == 0 ? count_again(counts, use, digest) : error;
        if (place != -ENOENT)
            return place;
    }
    int64_t place = count < USES_OF_USER ? begin_use(counts, &shown, digest) : -EDQUOT;
    if (place >= 0)
        id_cache_add(&counts->users, &user, count + 1);
    return place;
}

static int64_t add_use(struct use_counts *counts, const struct use *use)
{
    struct digest digest;
    int error = digest_of(use->path, use->kind, &use->who, &digest);
    int64_t place = error == 0 ? count_again(counts, use, &digest) : error;
    if (place == -ENOENT)
        place = use->who.how >= LIBRARY_WHO_BY_FILE && use->who.uid != 0
                    ? add_of_user(counts, use, &digest)
                    : begin_use(counts, use, &digest);
    if (place < 0)
        counts->lost += use->count[USE_RECORD] > use->count[USE_LOG] ? use->count[USE_RECORD]
                                                                     : use->count[USE_LOG];
    return place;
}

int64_t use_counts_add(struct use_counts *counts, const char *path, enum use_kind kind,
                       const struct library_who *who)
{
    char *shown = (char *)path; /* is copied */
    return add_use(counts,
                   &(struct use){.path = shown, .kind = kind, .count = {1, 1}, .who = *who});
}

void use_counts_merge(struct use_counts *counts, const struct use *use)
{
    add_use(counts, use);
}

void use_counts_take_back(struct use_counts *counts, size_t place)
{
    for (int i = 0; i < USE_OUTPUTS; i++)
        counts->use[place].count[i] -= counts->use[place].count[i] > 0;
}

void use_counts_clear(struct use_counts *counts)
{
    for (size_t i = 0; i < counts->count; i++)
        free(counts->use[i].path);
    free(counts->use);
    id_cache_free(&counts->index);
    id_cache_free(&counts->users);
    *counts = (struct use_counts){.use = NULL};
}
