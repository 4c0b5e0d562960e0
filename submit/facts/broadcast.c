/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/broadcast.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "submit/facts/program_name.h"

/* The part behind the last '/'. */
static struct capture_bytes last_part(struct capture_bytes path)
{
    const char *slash = path.at == NULL ? NULL : memrchr(path.at, '/', path.size);
    if (slash == NULL)
        return path;
    size_t before = (size_t)(slash + 1 - path.at);
    return (struct capture_bytes){.at = slash + 1, .size = path.size - before};
}

/* Whether the path is the copy's; a name of slurmd's may have _NODE at its end. */
static bool is_copy(struct capture_bytes path, const char *copy)
{
    size_t length = strlen(copy);
    const char *slash = strrchr(copy, '/');
    bool is_slurmds = slash != NULL && strncmp(slash, "/slurm_bcast_", 13) == 0;
    return path.size >= length && memcmp(path.at, copy, length) == 0 &&
           (path.size == length || (is_slurmds && path.at[length] == '_' &&
                                    memchr(path.at + length, '/', path.size - length) == NULL));
}

static const struct journal_program *find_launched(const struct journal *journal,
                                                   const struct capture *capture)
{
    for (size_t i = 0; i < journal->program_count; i++) {
        const struct journal_program *program = &journal->programs[i];
        if (program->copy != NULL && program->step == capture->step &&
            program->task == capture->task)
            return program;
    }
    return NULL;
}

static bool has_copy(const struct capture *capture, const char *copy)
{
    bool is_found = is_copy(capture->exec, copy);
    for (size_t i = 0; i < capture->ancestor_count && !is_found; i++)
        is_found = is_copy(capture->ancestors[i].path, copy);
    return is_found;
}

void broadcast_name(const struct journal *journal, struct capture *capture, char path[PATH_MAX])
{
    const struct journal_program *launched =
        journal == NULL || !journal->has_copies ? NULL : find_launched(journal, capture);
    struct program program;
    if (launched == NULL || !has_copy(capture, launched->copy))
        return;
    program_find(launched, journal->identity.uid, journal->identity.gid, &program);
    if (program.path[0] != '/')
        return;
    snprintf(path, PATH_MAX, "%s", program.path);
    const struct capture_bytes whole = {.at = path, .size = strlen(path)};
    if (is_copy(capture->exec, launched->copy))
        capture->exec = whole;
    for (size_t i = 0; i < capture->ancestor_count; i++) {
        struct capture_ancestor *ancestor = &capture->ancestors[i];
        if (!is_copy(ancestor->path, launched->copy))
            continue;
        ancestor->path = whole;
        ancestor->name = last_part(whole);
    }
}
