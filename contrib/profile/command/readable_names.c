/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/command/readable_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/cleanup.h"

/* TEXT_MAX: a longer text is not for people. MEMORY, CPU_S: what all names may take. */
enum { TEXT_MAX = 4096, MEMORY = 1 << 27, CPU_S = 2 };

/* <cxxabi.h>, which is for C++ alone */
extern char *demangle(const char *mangled, char *buffer, size_t *length,
                      int *status) __asm__("__cxa_demangle");

static bool is_mangled(const char *name)
{
    return strncmp(name, "_Z", 2) == 0;
}

/* In the child: a text for each name, "" for one that stays. */
static void write_names(const struct profile_set *set, int fd)
{
    const struct rlimit memory = {MEMORY, MEMORY}, cpu = {CPU_S, CPU_S}, none = {0, 0};
    FILE *file = fdopen(fd, "w");
    if (file == NULL || setrlimit(RLIMIT_DATA, &memory) != 0 || setrlimit(RLIMIT_CPU, &cpu) != 0 ||
        setrlimit(RLIMIT_CORE, &none) != 0)
        return;
    for (size_t i = 0; i < set->names.count; i++) {
        if (!is_mangled(set->names.text[i]))
            continue;
        CLEANUP_FREE char *text = demangle(set->names.text[i], NULL, NULL, NULL);
        bool is_fit = text != NULL && strlen(text) <= TEXT_MAX;
        fputs(is_fit ? text : "", file);
        putc('\0', file);
    }
    fflush(file);
}

/* What the child has written, up to where it broke down. */
static int read_names(struct profile_set *set, FILE *file, struct readable_names *names)
{
    CLEANUP_FREE char *line = NULL;
    size_t room = 0;
    names->text = calloc(set->names.count + 1, sizeof *names->text);
    if (names->text == NULL)
        return -ENOMEM;
    names->count = set->names.count;
    for (size_t i = 0; i < names->count; i++) {
        if (!is_mangled(set->names.text[i]))
            continue;
        ssize_t size = getdelim(&line, &room, '\0', file);
        if (size <= 0 || line[size - 1] != '\0')
            return 0;
        if (size == 1)
            continue;
        names->text[i] = strdup(line);
        if (names->text[i] == NULL)
            return -ENOMEM;
        set->names.text[i] = names->text[i];
    }
    return 0;
}

int readable_names_put(struct profile_set *set, struct readable_names *names)
{
    int fds[2];
    *names = (struct readable_names){.count = 0};
    if (pipe(fds) != 0)
        return -errno;
    fflush(NULL); /* or the child would print it too */
    pid_t child = fork();
    if (child == 0) {
        close(fds[0]);
        write_names(set, fds[1]);
        _exit(0);
    }
    int error = child < 0 ? -errno : 0;
    close(fds[1]);
    FILE *file = error == 0 ? fdopen(fds[0], "r") : NULL;
    if (file != NULL)
        error = read_names(set, file, names);
    else
        error = error != 0 ? error : -errno;
    if (file == NULL || fclose(file) != 0)
        close(fds[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return error;
}

void readable_names_free(struct readable_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->text[i]);
    free(names->text);
    *names = (struct readable_names){.count = 0};
}
