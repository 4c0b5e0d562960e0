/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spank/leader.h"

/* From srun to its tasks, who do not see it: the program's path. */
#define LAUNCHED "JOBTRAIL_LAUNCHED"

/* A multi-prog configuration comes from the user, and a command line: these bound the work that
 * they make. */
enum { MULTI_TEXT_MAX = 16 << 10, MULTI_RANK_MAX = 4096, COMMAND_LINE_MAX = 32 << 10 };

/* Finds the program in `text` where that is a multi-prog configuration. Returns whether it is one
 * that is too large, or that has the program; else argv[0] is the program. */
static bool find_multi(const char *text, uint32_t rank, char *program, size_t size,
                       uint32_t *leader)
{
    if (strchr(text, '\n') == NULL)
        return false;
    if (strlen(text) > MULTI_TEXT_MAX || rank > MULTI_RANK_MAX)
        return true;
    *leader = leader_find(text, rank);
    return leader_program(text, rank, program, size);
}

static void find_program(spank_t spank, uint32_t rank, char *program, size_t size, uint32_t *leader)
{
    char **argv = NULL;
    int argc = 0;
    if (spank_get_item(spank, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS || argc == 0)
        return;
    if (argc == 2 && find_multi(argv[1], rank, program, size, leader))
        return;
    *leader = 0;
    snprintf(program, size, "%s", argv[0]);
}

/* With --bcast srun puts the path of the program's copies in place of the program: the directory
 * with '/' at its end, or the path that its user gave. Then `copy` is that path, and `program` the
 * one that was launched. */
static void find_original(spank_t spank, uint32_t step, char *program, char *copy)
{
    char launched[PATH_MAX];
    uint32_t job = 0;
    copy[0] = '\0';
    bool is_told = spank_getenv(spank, LAUNCHED, launched, sizeof launched) == ESPANK_SUCCESS;
    spank_unsetenv(spank, LAUNCHED);
    if (!is_told || launched[0] != '/' || program[0] != '/' || strcmp(launched, program) == 0)
        return;
    spank_get_item(spank, S_JOB_ID, &job);
    bool is_directory = program[strlen(program) - 1] == '/';
    int size = is_directory
                   ? snprintf(copy, PATH_MAX, "%s" JOURNAL_BCAST_COPY, program, (unsigned)job, step)
                   : snprintf(copy, PATH_MAX, "%s", program);
    if (size >= PATH_MAX)
        copy[0] = '\0';
    snprintf(program, PATH_MAX, "%s", launched);
}

/* In srun: the word of its command line before the program's `count` arguments, which are `words`
 * but for the first; NULL: it has several programs, or none of these. SPANK's own first word may be
 * the path of the copies already. */
static const char *launched_word(char *const *words, int count, char *line, size_t size)
{
    size_t behind = 0;
    while (count > 1) {
        const char *word = words[--count];
        behind += strlen(word) + 1;
        if (behind > size || strcmp(line + size - behind, word) != 0)
            return NULL;
    }
    size_t end = size - behind; /* of the program, with its NUL */
    for (size_t at = 0; at < end; at += strlen(line + at) + 1)
        if (strcmp(line + at, ":") == 0)
            return NULL;
    size_t start = end < 2 ? 0 : end - 1;
    while (start > 0 && line[start - 1] != '\0')
        start--;
    return start == 0 ? NULL : line + start;
}

static bool is_executable(const char *directory, size_t length, const char *name,
                          char path[PATH_MAX])
{
    struct stat status;
    int size = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, directory, name);
    return directory[0] == '/' && size < PATH_MAX && access(path, X_OK) == 0 &&
           stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Finds the program as srun does: by its path, in PATH, or in the working directory. */
static bool find_launched(const char *name, char path[PATH_MAX])
{
    char directory[PATH_MAX];
    const char *search = strchr(name, '/') != NULL ? NULL : getenv("PATH");
    if (name[0] == '/')
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    while (search != NULL && *search != '\0') {
        size_t length = strcspn(search, ":");
        if (is_executable(search, length, name, path))
            return true;
        search += length + (search[length] == ':');
    }
    return getcwd(directory, sizeof directory) != NULL &&
           is_executable(directory, strlen(directory), name, path);
}

void program_tell(spank_t spank)
{
    char path[PATH_MAX];
    char **words = NULL, line[COMMAND_LINE_MAX + 1];
    int count = 0;
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, line, COMMAND_LINE_MAX);
    if (fd >= 0)
        close(fd);
    unsetenv(LAUNCHED);
    if (size <= 0 || size == COMMAND_LINE_MAX ||
        spank_get_item(spank, S_JOB_ARGV, &count, &words) != ESPANK_SUCCESS || count == 0)
        return;
    line[size] = '\0';
    const char *launched = launched_word(words, count, line, (size_t)size);
    if (launched == NULL)
        return;
    /* as srun found it, in releases that still have that, and where it looks itself */
    if (launched[0] != '/' && words[0][0] == '/' &&
        strcmp(basename(words[0]), basename(launched)) == 0)
        setenv(LAUNCHED, words[0], 1);
    else if (find_launched(launched, path))
        setenv(LAUNCHED, path, 1);
}

/* srun makes the path absolute where it can. In a multi-prog configuration it may be relative. */
static void add_search(spank_t spank, const char *program, struct journal_line *line)
{
    char search[PATH_MAX], directory[PATH_MAX];
    if (program[0] == '/')
        return;
    if (getcwd(directory, sizeof directory) != NULL)
        journal_text(line, "cwd", directory);
    if (strchr(program, '/') == NULL &&
        spank_getenv(spank, "PATH", search, sizeof search) == ESPANK_SUCCESS)
        journal_text(line, "search", search);
}

void program_line(spank_t spank, uint32_t rank, struct journal_line *line)
{
    char program[PATH_MAX] = "", copy[PATH_MAX];
    uint32_t step = 0, leader = JOURNAL_NONE;
    spank_get_item(spank, S_JOB_STEPID, &step);
    find_program(spank, rank, program, sizeof program, &leader);
    find_original(spank, step, program, copy);
    journal_start(line, "program");
    journal_number(line, "step", step);
    journal_number(line, "task", rank);
    journal_number(line, "leader", leader);
    if (program[0] == '\0')
        return;
    journal_text(line, "path", program);
    if (copy[0] != '\0')
        journal_text(line, "copy", copy);
    add_search(spank, program, line);
}

static const struct {
    const char *key, *variable;
} loader_texts[PROGRAM_LOADER_TEXTS] = {{"library_path", "LD_LIBRARY_PATH"},
                                        {"preload", "LD_PRELOAD"}};

bool program_loader_start(spank_t spank, struct program_loader *loader)
{
    *loader = (struct program_loader){.step = JOURNAL_NONE};
    spank_get_item(spank, S_JOB_STEPID, &loader->step);
    for (size_t i = 0; i < PROGRAM_LOADER_TEXTS; i++) {
        char *value = calloc(1, JOURNAL_VARIABLE_MAX + 1);
        if (value == NULL)
            return false;
        loader->value[i] = value;
        spank_err_t error =
            spank_getenv(spank, loader_texts[i].variable, value, JOURNAL_VARIABLE_MAX + 1);
        if (error != ESPANK_SUCCESS && error != ESPANK_ENV_NOEXIST)
            return false;
    }
    return true;
}

void program_loader_end(struct program_loader *loader)
{
    for (size_t i = 0; i < PROGRAM_LOADER_TEXTS; i++)
        free(loader->value[i]);
}

void program_add_loader(struct program_loader *loader, struct journal_line *line)
{
    for (size_t i = 0; i < PROGRAM_LOADER_TEXTS; i++)
        loader->is_long[i] = !journal_text(line, loader_texts[i].key, loader->value[i]);
}

bool program_variable_line(struct program_loader *loader, struct journal_line *line)
{
    while (loader->next < PROGRAM_LOADER_TEXTS && !loader->is_long[loader->next])
        loader->next++;
    if (loader->next == PROGRAM_LOADER_TEXTS)
        return false;
    const char *value = loader->value[loader->next];
    journal_start(line, "variable");
    journal_number(line, "step", loader->step);
    journal_text(line, "name", loader_texts[loader->next].key);
    journal_number(line, "size", strlen(value));
    journal_number(line, "at", loader->at);
    loader->at += journal_piece(line, "text", value + loader->at);
    if (value[loader->at] == '\0') {
        loader->next++;
        loader->at = 0;
    }
    return true;
}
