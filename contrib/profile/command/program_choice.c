/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/command/program_choice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/text.h"
#include "contrib/profile/profile_collect.h"
#include "contrib/profile/set_file.h"
#include "contrib/profile/symbol_names.h"
#include "contrib/profile/tick_scale.h"

/* ---- What is read ---------------------------------------------------------------------------- */

static const char *name(void *context, const struct profiled_object *object, uint64_t address)
{
    return symbol_name(context, object, address);
}

/* No more of a file is read: twice what a job's file may have at the most. */
static const uint64_t bytes_most = UINT64_C(1) << 36;

static int collect(int fd, const char *node, const char *debug, struct profile_set *set)
{
    struct profile_content content;
    struct symbol_names names = {.debug = debug};
    struct collect_facts facts = {.node = node, .name = name, .context = &names};
    char boot[64];
    int error = profile_read(fd, bytes_most, &content);
    if (error != 0)
        return error;
    const struct profile_pair now = tick_now();
    tick_boot(boot);
    if (boot[0] != '\0' && strcmp(boot, content.header.boot) == 0)
        facts.now = &now;
    error = profile_collect(&content, &facts, set);
    symbol_names_free(&names);
    profile_content_free(&content);
    return error;
}

int profile_load(const char *path, bool is_kept, const char *node, const char *debug,
                 struct profile_set *set)
{
    struct stat status;
    struct profile_set read;
    CLEANUP_CLOSE int fd = io_open_regular(AT_FDCWD, path, 0);
    if (fd < 0 || fstat(fd, &status) != 0)
        return fd < 0 ? fd : -errno;
    int error = set_file_read(fd, &read);
    if (error == -EINVAL && !is_kept)
        return collect(fd, node, debug, set);
    return error != 0 ? error : profile_set_merge(set, &read);
}

int program_choice_make(const struct profile_set *set, const char *word,
                        struct program_choice *choice)
{
    *choice = (struct program_choice){.is_taken = NULL};
    int error = set_programs_find(set, &choice->programs);
    if (error != 0 || word == NULL)
        return error;
    choice->is_taken = calloc(set->rank_count + 1, sizeof *choice->is_taken);
    if (choice->is_taken == NULL)
        return -ENOMEM;
    if (set_programs_choose(&choice->programs, word, choice->is_taken))
        return 0;
    char text[TERMINAL_WORD_SIZE];
    fprintf(stderr, "jobtrail-profile: there is no program %s in what was read\n",
            terminal_word(word, text));
    return -ENOENT;
}

void program_choice_free(struct program_choice *choice)
{
    set_programs_free(&choice->programs);
    free(choice->is_taken);
}

int program_choice_warn(const struct program_choice *choice, const bool *is_taken, size_t first,
                        size_t last)
{
    size_t ranks = choice->programs.set->rank_count, count = 0;
    CLEANUP_FREE bool *is_added = calloc(ranks + 1, sizeof *is_added);
    if (is_added == NULL)
        return -ENOMEM;
    for (size_t i = first; i < last; i++)
        is_added[i] =
            (is_taken == NULL || is_taken[i]) && (choice->is_taken == NULL || choice->is_taken[i]);
    int error = set_programs_count(&choice->programs, is_added, &count);
    if (count > 1)
        fprintf(stderr,
                "jobtrail-profile: the times of %zu programs are added: --program chooses one of "
                "those that show lists\n",
                count);
    return error;
}
