/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/link_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/whole_file.h"

enum { SCRIPT_MAX = 4 << 20 };

/* Options that end in the real linker and nothing else: they link nothing, or what comes out is no
 * program and no library. Names without their dashes. */
static const char *const passing[] = {
    "v",
    "version",
    "help",
    "target-help",
    "print-supported-emulations",
    "r",
    "i",
    "relocatable",
    "Ur",
    "incremental",
    "incremental-full",
    "incremental-update",
    "run",
    "c",
    "mri-script",
};

/* Options whose output shows each file of the link, or the size or place of sections: with a file
 * more, they would say something else. */
static const char *const reporting[] = {
    "M", "print-map", "t", "trace", "cref", "verbose", "V", "stats", "print-timing", "dll-verbose",
};

/* Options of programs whose layout is the user's own, a kernel's or a boot loader's: nothing may
 * come in between. */
static const char *const laying_out[] = {
    "Ttext",      "Tdata",  "Tbss",   "section-start",
    "N",          "omagic", "n",      "nmagic",
    "A",          "b",      "format", "accept-unknown-input-arch",
    "image-base",
};

/* Options that take the argument that follows, unless it is attached with "=". */
static const char *const taking[] = {
    "a",
    "A",
    "architecture",
    "assert",
    "audit",
    "auxiliary",
    "b",
    "c",
    "chroot",
    "default-script",
    "defsym",
    "depaudit",
    "dependency-file",
    "dT",
    "dynamic-linker",
    "dynamic-list",
    "e",
    "entry",
    "exclude-libs",
    "export-dynamic-symbol",
    "export-dynamic-symbol-list",
    "f",
    "F",
    "filter",
    "fini",
    "flavor",
    "format",
    "G",
    "gpsize",
    "h",
    "hash-style",
    "I",
    "init",
    "just-symbols",
    "l",
    "L",
    "library",
    "library-path",
    "m",
    "Map",
    "mllvm",
    "mri-script",
    "o",
    "oformat",
    "orphan-handling",
    "output",
    "P",
    "plugin",
    "plugin-opt",
    "R",
    "require-defined",
    "retain-symbols-file",
    "rpath",
    "rpath-link",
    "script",
    "section-ordering-file",
    "section-start",
    "soname",
    "sort-section",
    "symbol-ordering-file",
    "sysroot",
    "T",
    "task-link",
    "Tbss",
    "Tdata",
    "Trodata-segment",
    "Ttext",
    "Ttext-segment",
    "trace-symbol",
    "u",
    "undefined",
    "version-script",
    "wrap",
    "y",
    "Y",
    "z",
};

#define IS_ONE_OF(list, name) is_one_of(list, sizeof(list) / sizeof *(list), name)

static int is_one_of(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i], name) == 0)
            return 1;
    }
    return 0;
}

static int starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* One option: its name without dashes, and its value or NULL. */
struct option {
    char name[64];
    const char *value;
    int takes_next; /* the value is the argument behind */
};

/* "-oFILE", "-LDIR" and their like: a letter with its value attached. Of the longer names that
 * begin with such a letter, those of an own value are in the lists; those with an "o" need two
 * dashes. */
static int attached(const char *text, struct option *option)
{
    if (text[0] == '\0' || text[1] == '\0' || strchr("oLlmTyb", text[0]) == NULL)
        return 0;
    if (text[0] != 'o' && (IS_ONE_OF(taking, option->name) || starts(text, "build-id")))
        return 0;
    option->name[0] = text[0];
    option->name[1] = '\0';
    option->value = text + 1;
    return 1;
}

static void read_option(const char *argument, struct option *option)
{
    int dashes = argument[1] == '-' ? 2 : 1;
    const char *text = argument + dashes;
    const char *equals = strchr(text, '=');
    size_t length = equals == NULL ? strlen(text) : (size_t)(equals - text);
    if (length >= sizeof option->name)
        length = sizeof option->name - 1;
    memcpy(option->name, text, length);
    option->name[length] = '\0';
    option->value = equals == NULL ? NULL : equals + 1;
    option->takes_next = 0;
    if (dashes == 1 && attached(text, option))
        return;
    option->takes_next = option->value == NULL && IS_ONE_OF(taking, option->name);
}

/* A script that adds to the linker's own keeps the usual layout. */
static int script_adds(const char *path)
{
    CLEANUP_FREE char *text = NULL;
    size_t size;
    return path != NULL && whole_file_open_read(path, SCRIPT_MAX, &text, &size) == 0 &&
           strstr(text, "INSERT") != NULL;
}

static void judge(struct link_line *line, const struct option *option)
{
    const char *name = option->name, *value = option->value == NULL ? "" : option->value;
    if (IS_ONE_OF(passing, name) || (strcmp(name, "oformat") == 0 && !starts(value, "elf")) ||
        (strcmp(name, "m") == 0 && starts(value, "i386pe")) ||
        (strcmp(name, "flavor") == 0 && strcmp(value, "gnu") != 0 && strcmp(value, "ld") != 0))
        line->pass = "nothing that we mark comes out of it";
    else if (IS_ONE_OF(reporting, name) || strcmp(name, "Map") == 0 || starts(name, "print-") ||
             starts(name, "trace") || starts(name, "why-") || strcmp(name, "y") == 0)
        line->unmarked = "the linker is to report on the link";
    else if (IS_ONE_OF(laying_out, name) || starts(name, "orphan-handling") ||
             ((strcmp(name, "T") == 0 || strcmp(name, "script") == 0 || strcmp(name, "dT") == 0 ||
               strcmp(name, "default-script") == 0) &&
              !script_adds(option->value)))
        line->unmarked = "its layout is the user's own";
}

static void note(struct link_line *line, const struct option *option)
{
    const char *name = option->name;
    if (strcmp(name, "o") == 0 || strcmp(name, "output") == 0)
        line->output = option->value;
    else if (strcmp(name, "dependency-file") == 0)
        line->dependency_file = option->value;
    else if (strcmp(name, "Map") == 0)
        line->map_file = option->value;
    else if (strcmp(name, "shared") == 0 || strcmp(name, "Bshareable") == 0)
        line->shared = 1;
    else if (strcmp(name, "static") == 0)
        line->is_static = 1;
    else if (strcmp(name, "Bdynamic") == 0 || strcmp(name, "dy") == 0 ||
             strcmp(name, "call_shared") == 0)
        line->is_static = 0;
    else if (starts(name, "color-diagnostics") || starts(name, "no-color-diagnostics"))
        line->says_color = 1;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Programs that exist to find out whether they can be linked. */
static int is_probe(const char *output)
{
    const char *name = base_name(output);
    return strcmp(name, "conftest") == 0 || starts(name, "conftest.") || starts(name, "cmTC_") ||
           starts(name, "cmTryCompileExec") || starts(name, "libconftest.") ||
           starts(name, "libcmTC_");
}

static void judge_output(struct link_line *line)
{
    struct stat status;
    if (line->pass != NULL)
        return;
    if (line->inputs.count == 0)
        line->pass = "there is nothing to link";
    else if (is_probe(line->output))
        line->pass = "a probe of autoconf or CMake";
    else if (stat(line->output, &status) == 0 && !S_ISREG(status.st_mode))
        line->pass = "the output is no regular file";
}

static int take_option(struct link_line *line, const struct option *option)
{
    judge(line, option);
    note(line, option);
    if ((strcmp(option->name, "L") == 0 || strcmp(option->name, "library-path") == 0) &&
        option->value != NULL)
        return strings_add(&line->directories, option->value);
    if ((strcmp(option->name, "l") == 0 || strcmp(option->name, "library") == 0) &&
        option->value != NULL)
        return strings_add(&line->libraries, option->value);
    return 0;
}

int link_line_read(const struct strings *arguments, struct link_line *line)
{
    int result = 0;
    *line = (struct link_line){.output = "a.out"};
    for (size_t i = 1; i < arguments->count && result == 0; i++) {
        struct option option;
        const char *argument = arguments->item[i];
        if (argument[0] != '-' || argument[1] == '\0') {
            result = strings_add(&line->inputs, argument);
            continue;
        }
        read_option(argument, &option);
        if (option.takes_next && i + 1 < arguments->count)
            option.value = arguments->item[++i];
        result = take_option(line, &option);
    }
    if (line->output == NULL)
        line->output = "";
    line->is_static = line->is_static && !line->shared;
    judge_output(line);
    if (result != 0)
        link_line_free(line);
    return result;
}

void link_line_free(struct link_line *line)
{
    strings_free(&line->inputs);
    strings_free(&line->directories);
    strings_free(&line->libraries);
}
