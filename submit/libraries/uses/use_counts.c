/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/libraries/uses/use_counts.h"

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

static int count_again(struct use_counts *counts, const struct digest *digest)
{
    int64_t number = id_cache_find(&counts->index, digest);
    if (number != 0)
        counts->use[number - 1].count++;
    return number == 0 ? -ENOENT : 0;
}

static int begin_use(struct use_counts *counts, const char *path, enum use_kind kind,
                     const struct library_who *who, const struct digest *digest)
{
    char *copy = counts->count < USES_MAX ? strdup(path) : NULL;
    if (copy == NULL || GROW(counts->use, counts->count) != 0) {
        free(copy);
        return -ENOMEM;
    }
    counts->use[counts->count++] =
        (struct use){.path = copy, .kind = kind, .count = 1, .who = *who};
    id_cache_add(&counts->index, digest, (int64_t)counts->count);
    return 0;
}

/* Of a user who may be anybody. */
static int add_of_user(struct use_counts *counts, const char *path, enum use_kind kind,
                       struct library_who *who, struct digest *digest)
{
    struct digest user;
    int error = hash_pieces((const void *[]){&who->uid}, (size_t[]){sizeof who->uid}, 1, &user);
    if (error != 0)
        return error;
    int64_t count = id_cache_find(&counts->users, &user);
    if (count >= USE_COMMANDS_OF_USER) {
        who->command[0] = who->program[0] = '\0';
        who->login_uid = LIBRARY_NO_USER;
        error = digest_of(path, kind, who, digest);
        if (error != 0 || count_again(counts, digest) == 0)
            return error;
    }
    error = count < USES_OF_USER ? begin_use(counts, path, kind, who, digest) : -EDQUOT;
    if (error == 0)
        id_cache_add(&counts->users, &user, count + 1);
    return error;
}

void use_counts_add(struct use_counts *counts, const char *path, enum use_kind kind,
                    const struct library_who *who)
{
    struct digest digest;
    struct library_who shown = *who;
    int error = digest_of(path, kind, who, &digest);
    if (error == 0 && count_again(counts, &digest) == 0)
        return;
    if (error == 0)
        error = who->how >= LIBRARY_WHO_BY_FILE && who->uid != 0
                    ? add_of_user(counts, path, kind, &shown, &digest)
                    : begin_use(counts, path, kind, who, &digest);
    counts->lost += error != 0;
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
