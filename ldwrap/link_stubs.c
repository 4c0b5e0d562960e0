/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/link_stubs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/policy/policy_read.h"
#include "conf/policy_file.h"
#include "ldwrap/descriptor_numbers.h"
#include "ldwrap/designated_archive.h"
#include "ldwrap/startup.h"
#include "preload/routine_note.h"

/* The designated archives of a link. */
struct designations {
    struct designated_archive item[LINK_STUBS_MAX];
    size_t count;
    const char *file; /* that is being read */
};

static void designations_free(struct designations *all)
{
    for (size_t i = 0; i < all->count; i++)
        designated_archive_close(&all->item[i]);
}

#define CLEANUP_DESIGNATIONS __attribute__((cleanup(designations_free)))

static bool is_designated(const void *policy, const char *path)
{
    char text[sizeof "archive:" + ROUTINE_NOTE_LIBRARY_MAX];
    int length = snprintf(text, sizeof text, "archive:%s", basename(path));
    if (length < 0 || (size_t)length >= sizeof text)
        return false;
    const struct policy_rule *rule = policy_match(policy, POLICY_ROUTINE, text, (size_t)length);
    return rule != NULL && rule->action == POLICY_KEEP;
}

/* "foo" of -l is libfoo.a, and ":NAME" the file NAME. */
static bool is_library(const char *path, const char *library)
{
    const char *name = basename(path);
    size_t length = strlen(library);
    if (library[0] == ':')
        return strcmp(name, library + 1) == 0;
    return strncmp(name, "lib", 3) == 0 && strncmp(name + 3, library, length) == 0 &&
           strcmp(name + 3 + length, ".a") == 0;
}

static const char *library_of(const char *argument)
{
    const char *value = argument[1] == '-' ? strchr(argument, '=') : argument + 1;
    return value == NULL ? "" : value + 1;
}

const struct link_stub *link_stubs_find(const struct link_stubs *stubs, const char *argument,
                                        int role)
{
    for (size_t i = 0; i < stubs->count; i++) {
        const struct link_stub *stub = &stubs->item[i];
        if ((role == ROLE_INPUT && strcmp(stub->path, argument) == 0) ||
            (role == ROLE_LIBRARY && is_library(stub->path, library_of(argument))))
            return stub;
    }
    return NULL;
}

/* Whether an argument names it, which is then replaced. It may be named by a linker script. */
static bool is_argument(const struct stubs_order *of, const char *path)
{
    const struct link_stubs one = {{{path, -1}}, 1};
    for (size_t i = 0; i < of->arguments->count; i++) {
        if (link_stubs_find(&one, of->arguments->item[i], of->line->roles[i]) != NULL)
            return true;
    }
    return false;
}

static bool is_known(const struct designations *all, const char *path)
{
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->item[i].path, path) == 0)
            return true;
    }
    return false;
}

static int open_designated(const struct stubs_order *of, const void *policy,
                           struct designations *all)
{
    int error = 0;
    for (size_t i = 0; i < of->files->count && error == 0 && all->count < LINK_STUBS_MAX; i++) {
        const char *path = of->files->item[i];
        if (!is_designated(policy, path) || is_known(all, path) || !is_argument(of, path))
            continue;
        error = designated_archive_open(path, &all->item[all->count++]);
        if (error == -ENOTSUP) {
            designated_archive_close(&all->item[--all->count]);
            error = 0;
        }
    }
    return error;
}

/* What the start-up code of a C library calls, it calls before addresses in data are relocated, as
 * a stub needs them. */
static void take_name(void *context, const char *name, enum symbol_use use)
{
    struct designations *all = context;
    if (startup_is_crt(all->file))
        use = USE_ASKS;
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->item[i].path, all->file) != 0)
            designated_archive_see(&all->item[i], name, use);
}

/* But for those that are among `known`. */
static int read_files(const struct strings *files, const struct strings *known,
                      struct designations *all)
{
    int error = 0;
    for (size_t i = 0; i < files->count && error == 0; i++) {
        all->file = files->item[i];
        if (!descriptor_is_path(all->file) && !strings_have(known, all->file))
            error = input_symbols_read(all->file, take_name, all);
    }
    return error;
}

static int write_copies(const struct designations *all, const void *policy,
                        struct link_stubs *stubs)
{
    long made = 0;
    for (size_t i = 0; i < all->count && made >= 0; i++) {
        int fd = descriptor_memory("jobtrail archive");
        made = fd < 0 ? -errno : designated_archive_write(&all->item[i], policy, fd);
        if (made > 0)
            stubs->item[stubs->count++] = (struct link_stub){all->item[i].path, fd};
        else if (fd >= 0)
            close(fd);
    }
    return made < 0 ? (int)made : 0;
}

bool link_stubs_are_wanted(const struct conf *conf)
{
    for (size_t i = 0; i < conf->routine.count; i++) {
        if (strncmp(conf->routine.rule[i].pattern, "archive:", 8) == 0)
            return true;
    }
    return false;
}

int link_stubs_make(const struct stubs_order *of, struct link_stubs *stubs, const char **why)
{
    const struct link_line *line = of->line;
    CLEANUP_DESIGNATIONS struct designations all = {.count = 0};
    CLEANUP_FREE void *policy = NULL;
    *stubs = (struct link_stubs){.count = 0};
    *why = NULL;
    int error = policy_load(of->conf, &policy);
    if (error == 0)
        error = open_designated(of, policy, &all);
    if (error != 0 || all.count == 0)
        return error;
    *why = line->why_unmarked != NULL ? line->why_unmarked : line->why_unstubbed;
    if (*why != NULL)
        return 0;
    error = read_files(of->files, &(struct strings){NULL, 0}, &all);
    if (error == 0) /* linker scripts may be named here alone */
        error = read_files(&line->inputs, of->files, &all);
    if (error == -ENOTSUP) {
        *why = "not all names of all files can be known";
        return 0;
    }
    return error == 0 ? write_copies(&all, policy, stubs) : error;
}

/* Whether each of `files` is among `others`, but for what is ours, and replaced archives. */
static bool has_all(const struct link_stubs *stubs, const struct strings *files,
                    const struct strings *others)
{
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->item[i];
        if (!descriptor_is_path(path) && link_stubs_find(stubs, path, ROLE_INPUT) == NULL &&
            !strings_have(others, path))
            return false;
    }
    return true;
}

bool link_stubs_are_all(const struct link_stubs *stubs, const struct strings *before,
                        const struct strings *after)
{
    for (size_t i = 0; i < stubs->count; i++) {
        char path[DESCRIPTOR_PATH_SIZE];
        descriptor_path(stubs->item[i].fd, path);
        if (!strings_have(after, path) || strings_have(after, stubs->item[i].path))
            return false;
    }
    return has_all(stubs, before, after) && has_all(stubs, after, before);
}

void link_stubs_free(struct link_stubs *stubs)
{
    for (size_t i = 0; i < stubs->count; i++)
        close(stubs->item[i].fd);
    stubs->count = 0;
}
