/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/libraries/uses/use_counts.h"

#include <stdlib.h>
#include <string.h>

#include "conf/base/globs.h"
#include "conf/base/grow.h"

const char *use_kind_word(enum use_kind kind)
{
    static const char *const words[] = {
        [USE_OPEN] = "open", [USE_EXEC] = "exec", [USE_LINK] = "link", [USE_EDIT] = "edit"};
    return words[kind];
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* x86_64-linux-gnu-ld.bfd too: what is before the last dash is the machine. */
enum use_kind use_kind_of(const char *program)
{
    static const char *const linkers[] = {"ld",   "ld.bfd", "ld.gold", "ld.lld",   "lld",
                                          "gold", "mold",   "ld.mold", "collect2", NULL};
    static const char *const editors[] = {"vi",    "vim", "vim.basic", "vim.tiny", "nvim", "nano",
                                          "emacs", "ed",  "gdb",       "lldb",     NULL};
    const char *slash = strrchr(program, '/'), *name = slash == NULL ? program : slash + 1;
    const char *dash = strrchr(name, '-');
    if (is_one_of(name, linkers) || (dash != NULL && is_one_of(dash + 1, linkers)))
        return USE_LINK;
    return is_one_of(name, editors) ? USE_EDIT : USE_OPEN;
}

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

void use_counts_add(struct use_counts *counts, const char *path, enum use_kind kind,
                    const struct library_who *who)
{
    struct digest digest;
    if (digest_of(path, kind, who, &digest) != 0) {
        counts->lost++;
        return;
    }
    int64_t number = id_cache_find(&counts->index, &digest);
    if (number != 0) {
        counts->use[number - 1].count++;
        return;
    }
    char *copy = counts->count < USES_MAX ? strdup(path) : NULL;
    if (copy == NULL || GROW(counts->use, counts->count) != 0) {
        free(copy);
        counts->lost++;
        return;
    }
    counts->use[counts->count++] =
        (struct use){.path = copy, .kind = kind, .count = 1, .who = *who};
    id_cache_add(&counts->index, &digest, (int64_t)counts->count);
}

void use_counts_clear(struct use_counts *counts)
{
    for (size_t i = 0; i < counts->count; i++)
        free(counts->use[i].path);
    free(counts->use);
    id_cache_free(&counts->index);
    *counts = (struct use_counts){.use = NULL};
}
