/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/link_stubs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/monotonic.h"
#include "conf/policy/policy_read.h"
#include "conf/policy_file.h"
#include "ldwrap/descriptor_numbers.h"
#include "ldwrap/designated_archive.h"
#include "ldwrap/startup.h"
#include "preload/routine_note.h"

#define TOO_LONG "reading what is linked takes too long"

/* The designated archives of a link. */
struct designations {
    struct designated_archive item[LINK_STUBS_MAX + 1]; /* the last one is closed again */
    size_t count;
    const char *file; /* that is being read */
};

static void designations_free(struct designations *all)
{
    for (size_t i = 0; i < all->count; i++)
        designated_archive_close(&all->item[i]);
}

static void close_stub(const struct link_stub *stub)
{
    if (stub->fd >= 0)
        close(stub->fd);
    if (stub->stubs_fd >= 0)
        close(stub->stubs_fd);
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
    const struct link_stubs one = {{{path, -1, -1}}, 1};
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

void link_misses_add(struct link_misses *misses, size_t archives, const char *why)
{
    if (misses->archives == 0 && archives > 0)
        misses->why = why;
    misses->archives += archives;
}

static bool is_over(const struct stubs_order *of)
{
    return monotonic_ms() >= of->until_ms;
}

static const char *why_not_opened(int error)
{
    if (error == -ETIMEDOUT)
        return TOO_LONG;
    if (error == -ENOTSUP)
        return "an archive is thin, has intermediate code, or cannot be prepared";
    return error == -EFBIG ? "an archive is larger than 256 MiB" : NULL;
}

/* Also where there is no room for it: one that has stubs already is not missed. */
static int open_archive(const struct stubs_order *of, const char *path, struct designations *all,
                        struct link_misses *misses)
{
    struct designated_archive *archive = &all->item[all->count];
    int error = is_over(of) ? -ETIMEDOUT : designated_archive_open(path, archive);
    const char *why = why_not_opened(error);
    if (error == 0 && !is_argument(of, path))
        why = "an archive is named by a linker script alone";
    else if (error == 0 && all->count == LINK_STUBS_MAX)
        why = "more than eight archives are designated";
    if (error == 0 && why == NULL) {
        all->count++;
        return 0;
    }
    designated_archive_close(archive);
    if (why != NULL)
        link_misses_add(misses, 1, why);
    return why != NULL || error == -EALREADY ? 0 : error;
}

static int open_designated(const struct stubs_order *of, const void *policy,
                           struct designations *all, struct link_misses *misses)
{
    int error = 0;
    for (size_t i = 0; i < of->files->count && error == 0; i++) {
        const char *path = of->files->item[i];
        if (is_designated(policy, path) && !is_known(all, path))
            error = open_archive(of, path, all, misses);
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
static int read_files(const struct stubs_order *of, const struct strings *files,
                      const struct strings *known, struct designations *all)
{
    int error = 0;
    for (size_t i = 0; i < files->count && error == 0; i++) {
        all->file = files->item[i];
        if (is_over(of))
            error = -ETIMEDOUT;
        else if (!descriptor_is_path(all->file) && !strings_have(known, all->file))
            error = input_symbols_read(all->file, take_name, all);
    }
    return error;
}

/* An archive without entries has no copy. */
static int write_copy(const struct designated_archive *archive, const void *policy,
                      struct link_stubs *stubs)
{
    const struct link_stub stub = {
        .path = archive->path,
        .fd = descriptor_memory("jobtrail archive"),
        .stubs_fd = descriptor_memory("jobtrail stubs"),
    };
    long made = stub.fd < 0 || stub.stubs_fd < 0
                    ? -EMFILE
                    : designated_archive_write(archive, policy, stub.fd, stub.stubs_fd);
    if (made > 0)
        stubs->item[stubs->count++] = stub;
    else
        close_stub(&stub);
    return made < 0 ? (int)made : 0;
}

static int write_copies(const struct stubs_order *of, const struct designations *all,
                        const void *policy, struct link_stubs *stubs)
{
    int error = 0;
    for (size_t i = 0; i < all->count && error == 0; i++)
        error = is_over(of) ? -ETIMEDOUT : write_copy(&all->item[i], policy, stubs);
    return error;
}

bool link_stubs_are_wanted(const struct conf *conf)
{
    for (size_t i = 0; i < conf->routine.count; i++) {
        if (strncmp(conf->routine.rule[i].pattern, "archive:", 8) == 0)
            return true;
    }
    return false;
}

/* Reads what the link has beside the archives. `*why`: why they have to stay, or NULL. */
static int read_others(const struct stubs_order *of, struct designations *all, const char **why)
{
    const struct link_line *line = of->line;
    *why = line->why_unmarked != NULL ? line->why_unmarked : line->why_unstubbed;
    if (*why != NULL)
        return 0;
    int error = read_files(of, of->files, &(struct strings){NULL, 0}, all);
    if (error == 0) /* linker scripts may be named here alone */
        error = read_files(of, &line->inputs, of->files, all);
    if (error == -ENOTSUP)
        *why = "not all names of all files can be known";
    return error == -ENOTSUP ? 0 : error;
}

int link_stubs_make(const struct stubs_order *of, struct link_stubs *stubs,
                    struct link_misses *misses)
{
    CLEANUP_DESIGNATIONS struct designations all = {.count = 0};
    CLEANUP_FREE void *policy = NULL;
    const char *why = NULL;
    *stubs = (struct link_stubs){.count = 0};
    int error = policy_load(of->conf, &policy);
    if (error == 0)
        error = open_designated(of, policy, &all, misses);
    if (error == 0 && all.count > 0)
        error = read_others(of, &all, &why);
    if (error == 0 && all.count > 0 && why == NULL)
        error = write_copies(of, &all, policy, stubs);
    if (error != 0)
        why = error == -ETIMEDOUT ? TOO_LONG : strerror(-error);
    if (why != NULL)
        link_misses_add(misses, all.count, why);
    return error;
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
        close_stub(&stubs->item[i]);
    stubs->count = 0;
}
