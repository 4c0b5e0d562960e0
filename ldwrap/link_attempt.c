/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/link_attempt.h"

#include <ar.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "ldwrap/called_linkers.h"
#include "ldwrap/descriptor_numbers.h"
#include "ldwrap/startup.h"
#include "submit/record/link_record.h"

/* ---- Dependency files ------------------------------------------------------------------------ */

/* Removes lld's escapes, in place. */
static void unescape(char *name)
{
    char *to = name;
    for (; *name != '\0'; name++) {
        if ((name[0] == '\\' && (name[1] == ' ' || name[1] == '#' || name[1] == '\\')) ||
            (name[0] == '$' && name[1] == '$'))
            name++;
        *to++ = *name;
    }
    *to = '\0';
}

static int add_name(const char *line, size_t length, struct strings *inputs)
{
    CLEANUP_FREE char *name = strndup(line, length);
    if (name == NULL)
        return -ENOMEM;
    if (strpbrk(name, "\\$") != NULL && access(name, F_OK) != 0)
        unescape(name);
    return strings_add(inputs, name);
}

int dependency_file_read(const char *text, struct strings *inputs)
{
    const char *rule_end = strstr(text, "\n\n");
    int error = 0;
    for (const char *line = rule_end; line != NULL && *line != '\0' && error == 0;) {
        size_t length = strcspn(line, "\n");
        if (length > 1 && line[length - 1] == ':')
            error = add_name(line, length - 1, inputs);
        line += length + (line[length] == '\n');
    }
    return error;
}

/* Takes BEFORE NAME BEHIND out, wherever it is. */
static int remove_all(char *text, const char *name_starts, const char *name, const char *after)
{
    CLEANUP_FREE char *part = NULL;
    int found = 0;
    if (asprintf(&part, "%s%s%s", name_starts, name, after) < 0) {
        part = NULL;
        return 0;
    }
    size_t length = strlen(part);
    for (char *at = text; (at = strstr(at, part)) != NULL; found = 1)
        memmove(at, at + length, strlen(at + length) + 1);
    return found;
}

bool dependency_file_remove(char *text, const char *name)
{
    /* GNU ld and gold; lld; mold */
    static const char *const name_starts[] = {" \\\n  ", " \\\n ", " "};
    int found = 0;
    for (size_t i = 0; i < sizeof name_starts / sizeof name_starts[0]; i++)
        found |= remove_all(text, name_starts[i], name, "");
    return found | remove_all(text, "\n", name, ":\n");
}

enum {
    MESSAGES_MAX = 16 << 20, /* what is kept of the linker's messages */
    MAP_MAX = 512 << 20,
    DEPENDENCIES_MAX = 64 << 20,
};

static int add_descriptor(struct strings *argv, const char *option, int fd)
{
    char path[DESCRIPTOR_PATH_SIZE], text[64];
    if (fd < 0)
        return 0;
    descriptor_path(fd, path);
    snprintf(text, sizeof text, "%s%s", option, path);
    return strings_add(argv, text);
}

static bool is_of_module(const struct link_job *job, const char *path)
{
    char real[PATH_MAX];
    return realpath(path, real) != NULL && module_map_find(&job->modules, real) != NULL;
}

/* Whether DIRECTORY has one of the libraries of -l as an archive; "-l:NAME" names a file. */
static bool has_archive(const char *directory, const struct strings *libraries)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < libraries->count; i++) {
        const char *name = libraries->item[i];
        int length = name[0] == ':' ? snprintf(path, sizeof path, "%s/%s", directory, name + 1)
                                    : snprintf(path, sizeof path, "%s/lib%s.a", directory, name);
        if (length < PATH_MAX && access(path, F_OK) == 0)
            return true;
    }
    return false;
}

/* Whether an archive of a module can be linked in: a directory of -L that belongs to a module has a
 * library of -l as an archive, or a file of the command line belongs to a module. */
static bool may_have_archives(const struct link_job *job)
{
    const struct link_line *line = &job->line;
    if (job->modules.count == 0)
        return false;
    for (size_t i = 0; i < line->directories.count; i++) {
        const char *directory = line->directories.item[i];
        if (is_of_module(job, directory) && has_archive(directory, &line->libraries))
            return true;
    }
    for (size_t i = 0; i < line->inputs.count; i++) {
        if (is_of_module(job, line->inputs.item[i]))
            return true;
    }
    return false;
}

/* lld and mold colour their messages on a terminal, and write to our pipe instead. */
static int add_color(const struct link_job *job, struct strings *argv)
{
    bool has_colors = strstr(job->called, "lld") != NULL || strstr(job->called, "mold") != NULL;
    if (!has_colors || job->line.has_color_option || !isatty(STDERR_FILENO))
        return 0;
    return strings_add(argv, "--color-diagnostics=always");
}

static int add_arguments(const struct link_job *job, struct strings *argv)
{
    const struct strings given = {(char **)job->argv, (size_t)job->argc};
    int place =
        job->profile < 0 ? 0 : profile_archive_place(&job->line, job->conf.profile_steps, &given);
    int error = 0;
    for (int i = 0; i < job->argc && error == 0; i++) {
        if (place != 0 && i == place)
            error = add_descriptor(argv, "", job->profile);
        if (error == 0)
            error = strings_add(argv, job->argv[i]);
    }
    return error;
}

static int make_argv(const struct link_job *job, struct link_attempt *attempt)
{
    const struct {
        const char *option;
        int fd;
    } added[] = {
        {"", job->mark},
        {"", job->startup},
        {"--dependency-file=", attempt->dependencies},
        {"-Map=", attempt->map >= 0 ? attempt->map : attempt->run.map.write_fd},
    };
    int error = add_arguments(job, &attempt->argv);
    if (error == 0)
        error = add_color(job, &attempt->argv);
    for (size_t i = 0; i < sizeof added / sizeof added[0] && error == 0; i++)
        error = add_descriptor(&attempt->argv, added[i].option, added[i].fd);
    return error;
}

/* GNU ld writes a map to regular files only, lld only to others. */
static int open_map(const struct link_job *job, struct link_attempt *attempt)
{
    char real[PATH_MAX];
    if (realpath(job->linker, real) != NULL && strstr(real, "lld") != NULL)
        return output_open(&attempt->run.map, -1, MAP_MAX);
    attempt->map = descriptor_memory("jobtrail map");
    return attempt->map < 0 ? -EMFILE : 0;
}

static int open_pipes(const struct link_job *job, struct link_attempt *attempt)
{
    struct run_link *run = &attempt->run;
    int error = output_open(&run->output, STDOUT_FILENO, MESSAGES_MAX);
    if (error == 0 && !run_link_is_one_stream())
        error = output_open(&run->errors, STDERR_FILENO, MESSAGES_MAX);
    if (error == 0 && job->line.map_file == NULL && job->line.why_unmarked == NULL &&
        may_have_archives(job))
        error = open_map(job, attempt);
    return error;
}

int link_attempt(const struct link_job *job, bool ask_inputs, struct link_attempt *attempt)
{
    struct run_link *run = &attempt->run;
    const struct linker_output none = {.read_fd = -1, .write_fd = -1, .target_fd = -1};
    *attempt = (struct link_attempt){
        .run = {.path = job->linker, .output = none, .errors = none, .map = none},
        .dependencies = -1,
        .map = -1,
    };
    if (ask_inputs && job->line.dependency_file == NULL) {
        attempt->dependencies = descriptor_memory("jobtrail inputs");
        if (attempt->dependencies < 0)
            return -EMFILE;
    }
    int error = open_pipes(job, attempt);
    if (error == 0)
        error = make_argv(job, attempt);
    if (error != 0)
        return error;
    run->argv = attempt->argv.item;
    run->inherited[0] = job->mark;
    run->inherited[1] = job->startup;
    run->inherited[2] = attempt->dependencies;
    run->inherited[3] = attempt->map;
    run->inherited[4] = job->profile;
    return run_link(run, &attempt->status);
}

static bool has_text(const struct linker_output *output, const char *text)
{
    return output->size > 0 && memmem(output->bytes, output->size, text, strlen(text)) != NULL;
}

bool link_attempt_lacks_option(const struct link_attempt *attempt)
{
    return attempt->dependencies >= 0 && WIFEXITED(attempt->status) &&
           (has_text(&attempt->run.errors, "dependency-file") ||
            has_text(&attempt->run.output, "dependency-file"));
}

void link_attempt_release(struct link_attempt *attempt)
{
    output_release(&attempt->run.output);
    output_release(&attempt->run.errors);
}

/* Removes our objects from the user's dependency file at `path`, which has the content `text`. */
static int clean_dependency_file(const struct link_job *job, const char *path, char *text)
{
    const int added[] = {job->mark, job->startup, job->profile};
    bool found = false;
    for (size_t i = 0; i < sizeof added / sizeof added[0]; i++) {
        char name[DESCRIPTOR_PATH_SIZE];
        if (added[i] < 0)
            continue;
        descriptor_path(added[i], name);
        found |= dependency_file_remove(text, name);
    }
    if (!found)
        return 0;
    CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return fd < 0 ? -errno : io_write_all(fd, text, strlen(text));
}

enum file_kind {
    FILE_OTHER, /* a linker script, a file that is gone, or ours */
    FILE_OBJECT,
    FILE_LIBRARY, /* a shared one, or an archive */
};

static enum file_kind kind_of_bytes(const unsigned char *bytes, size_t size)
{
    if (size >= SARMAG && (memcmp(bytes, ARMAG, SARMAG) == 0 || memcmp(bytes, "!<thin>\n", 8) == 0))
        return FILE_LIBRARY;
    if (size >= 4 && memcmp(bytes, "BC\xc0\xde", 4) == 0) /* LLVM's intermediate code */
        return FILE_OBJECT;
    if (size < offsetof(Elf64_Ehdr, e_machine) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return FILE_OTHER;
    unsigned type = bytes[EI_NIDENT] | (unsigned)bytes[EI_NIDENT + 1] << 8;
    return type == ET_DYN || type == ET_DYN << 8 ? FILE_LIBRARY : FILE_OBJECT; /* either order */
}

/* What is named *.o is an object, and is not opened: there may be thousands. */
static enum file_kind kind_of_file(const char *path)
{
    unsigned char start[offsetof(Elf64_Ehdr, e_machine)];
    if (descriptor_is_path(path))
        return FILE_OTHER;
    size_t length = strlen(path);
    if (length >= 2 && strcmp(path + length - 2, ".o") == 0)
        return FILE_OBJECT;
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t size = fd < 0 ? -1 : read(fd, start, sizeof start);
    return size < 0 ? FILE_OTHER : kind_of_bytes(start, (size_t)size);
}

/* Adds the libraries among `files`, and the objects to `*objects`. */
static int sort_files(const struct strings *files, struct strings *libraries, size_t *objects)
{
    int error = 0;
    for (size_t i = 0; i < files->count && error == 0; i++) {
        const char *path = files->item[i];
        enum file_kind kind = strings_have(libraries, path) || xalt_wrapper_adds(path)
                                  ? FILE_OTHER
                                  : kind_of_file(path);
        *objects += kind == FILE_OBJECT;
        if (kind == FILE_LIBRARY)
            error = strings_add(libraries, path);
    }
    return error;
}

/* What the linker has named, in the user's file or in ours, and the file's text. */
static int read_files(const struct link_job *job, const struct link_attempt *attempt, char **text,
                      struct strings *files)
{
    const char *users = job->line.dependency_file;
    size_t size;
    int error = users != NULL
                    ? whole_file_open_read(users, DEPENDENCIES_MAX, text, &size)
                    : whole_file_read(attempt->dependencies, DEPENDENCIES_MAX, text, &size);
    return error == 0 ? dependency_file_read(*text, files) : error;
}

int link_attempt_inputs(const struct link_job *job, const struct link_attempt *attempt,
                        struct link_inputs *inputs)
{
    const char *users = job->line.dependency_file;
    CLEANUP_STRINGS struct strings files = {NULL, 0};
    CLEANUP_FREE char *text = NULL;
    if (users == NULL && attempt->dependencies < 0)
        return sort_files(&job->line.inputs, &inputs->libraries, &inputs->objects);
    int error = read_files(job, attempt, &text, &files);
    if (error == 0)
        error = sort_files(&files, &inputs->libraries, &inputs->objects);
    if (error == 0) /* lld writes some names in another way */
        error = sort_files(&job->line.inputs, &inputs->libraries, &(size_t){0});
    if (error == 0 && users != NULL)
        error = clean_dependency_file(job, users, text);
    return error;
}

char *link_attempt_map(const struct link_job *job, struct link_attempt *attempt)
{
    struct linker_output *map = &attempt->run.map;
    char *text = NULL;
    size_t size;
    if (job->line.map_file != NULL)
        return whole_file_open_read(job->line.map_file, MAP_MAX, &text, &size) == 0 ? text : NULL;
    if (attempt->map >= 0)
        return whole_file_read(attempt->map, MAP_MAX, &text, &size) == 0 ? text : NULL;
    if (map->bytes == NULL || map->is_released)
        return NULL;
    text = map->bytes;
    text[map->size < map->room ? map->size : map->room - 1] = '\0';
    map->bytes = NULL;
    return text;
}

void link_attempt_free(struct link_attempt *attempt)
{
    output_close(&attempt->run.output);
    output_close(&attempt->run.errors);
    output_close(&attempt->run.map);
    strings_free(&attempt->argv);
    if (attempt->dependencies >= 0)
        close(attempt->dependencies);
    if (attempt->map >= 0)
        close(attempt->map);
}
