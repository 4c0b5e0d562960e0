/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/link_line.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"

enum { SCRIPT_MAX = 4 << 20 };

/* What an option means for the wrapper:
 *
 * - PASSES: nothing is linked, or the output is no program and no library
 * - REPORTS: the linker lists the files of the link, or sizes and places of sections: our object
 *   would show there
 * - LAYS_OUT: the layout is the user's own, as in a kernel or a boot loader: nothing may be added
 */
enum effect {
    NO_EFFECT,
    PASSES,
    REPORTS,
    LAYS_OUT,
    SCRIPT,
    OUTPUT_FORMAT,
    EMULATION,
    FLAVOR,
    INTERPRETER,
    OUTPUT,
    DEPENDENCY_FILE,
    MAP,
    SHARED,
    STATIC,
    DYNAMIC,
    COLOR,
    DIRECTORY,
    LIBRARY,
};

/* Options, without their dashes (words_have()). The first row that has the option counts.
 * `takes_value`: the value is the next argument, unless it is attached with "=". */
/* clang-format off */
static const struct kind {
    enum effect effect;
    bool takes_value;
    const char *names;
} kinds[] = {
    {PASSES, false, "v version help target-help print-supported-emulations r i relocatable Ur incremental"
                    " incremental-full incremental-update run"},
    {PASSES, true, "c mri-script"},
    {REPORTS, true, "trace-symbol y"},
    {REPORTS, false, "M t cref verbose V stats dll-verbose print-* trace* why-*"},
    {MAP, true, "Map"},
    {LAYS_OUT, true, "Ttext Tdata Tbss section-start A b format orphan-handling"},
    {LAYS_OUT, false, "N omagic n nmagic accept-unknown-input-arch image-base"},
    {SCRIPT, true, "T script dT default-script"},
    {OUTPUT_FORMAT, true, "oformat"},
    {EMULATION, true, "m"},
    {FLAVOR, true, "flavor"},
    {OUTPUT, true, "o output"},
    {DEPENDENCY_FILE, true, "dependency-file"},
    {SHARED, false, "shared Bshareable"},
    {STATIC, false, "static"},
    {DYNAMIC, false, "Bdynamic dy call_shared"},
    {COLOR, false, "color-diagnostics* no-color-diagnostics*"},
    {DIRECTORY, true, "L library-path"},
    {LIBRARY, true, "l library"},
    {INTERPRETER, true, "dynamic-linker I"},
    {NO_EFFECT, true, "a architecture assert audit auxiliary chroot defsym depaudit dynamic-list"
                      " e entry exclude-libs export-dynamic-symbol export-dynamic-symbol-list"
                      " f F filter fini G gpsize h hash-style init just-symbols mllvm P plugin plugin-opt"
                      " R reproduce require-defined retain-symbols-file rpath rpath-link"
                      " section-ordering-file soname sort-section symbol-ordering-file sysroot task-link"
                      " Trodata-segment Ttext-segment u undefined version-script wrap Y z"},
};
/* clang-format on */

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const struct kind *find_kind(const char *name)
{
    static const struct kind other = {NO_EFFECT, false, ""};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (words_have(kinds[i].names, name))
            return &kinds[i];
    }
    return &other;
}

struct option {
    const struct kind *kind;
    const char *value; /* or NULL */
    bool takes_next;   /* the value is the next argument */
};

/* "-oFILE", "-LDIRECTORY" and the like: a letter with its value attached. A longer name that takes
 * a value may begin with such a letter too, except for "o": there long names have two dashes. */
static bool read_attached(const char *text, struct option *option)
{
    const char letter[] = {text[0], '\0'};
    if (text[0] == '\0' || text[1] == '\0' || strchr("oLlmTyb", text[0]) == NULL)
        return false;
    if (text[0] != 'o' && (option->kind->takes_value || starts(text, "build-id")))
        return false;
    *option = (struct option){find_kind(letter), text + 1, false};
    return true;
}

static void read_option(const char *argument, struct option *option)
{
    int dashes = argument[1] == '-' ? 2 : 1;
    const char *text = argument + dashes;
    char name[64];
    size_t length = strcspn(text, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    *option =
        (struct option){find_kind(name), text[length] == '=' ? text + length + 1 : NULL, false};
    if (dashes == 1 && read_attached(text, option))
        return;
    option->takes_next = option->value == NULL && option->kind->takes_value;
}

/* Whether the file begins as a text: objects and archives may be large. */
static bool is_text(const char *path)
{
    char head[8];
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t size = fd < 0 ? -1 : read(fd, head, sizeof head);
    for (ssize_t i = 0; i < size; i++)
        if (!isprint((unsigned char)head[i]) && !isspace((unsigned char)head[i]))
            return false;
    return size > 0 && strncmp(head, "!<", 2) != 0;
}

/* Whether the script `path` says where sections go: not one with INSERT, which adds to the linker's
 * own, and of input files only one with SECTIONS. */
static bool script_lays_out(const char *path, bool is_input)
{
    CLEANUP_FREE char *text = NULL;
    size_t size;
    if (is_input && !is_text(path))
        return false;
    return whole_file_open_read(path, SCRIPT_MAX, &text, &size) != 0
               ? !is_input
               : strstr(text, "INSERT") == NULL && (!is_input || strstr(text, "SECTIONS") != NULL);
}

static void judge_option(struct link_line *line, enum effect effect, const char *value)
{
    if (effect == PASSES || (effect == OUTPUT_FORMAT && !starts(value, "elf")) ||
        (effect == EMULATION && starts(value, "i386pe")) ||
        (effect == FLAVOR && !words_have("gnu ld", value)))
        line->why_plain = "its output is not a file that is marked";
    else if (effect == REPORTS || effect == MAP)
        line->why_unmarked = "the linker is to report on the link";
    else if (effect == LAYS_OUT || (effect == SCRIPT && script_lays_out(value, false)))
        line->why_unmarked = "its layout is the user's own";
}

static int apply_option(struct link_line *line, const struct option *option)
{
    enum effect effect = option->kind->effect;
    judge_option(line, effect, option->value == NULL ? "" : option->value);
    switch (effect) {
    case OUTPUT:
        line->output = option->value;
        break;
    case DEPENDENCY_FILE:
        line->dependency_file = option->value;
        break;
    case MAP:
        line->map_file = option->value;
        break;
    case SHARED:
        line->is_shared = true;
        break;
    case INTERPRETER:
        line->is_program = true;
        break;
    case STATIC:
    case DYNAMIC:
        line->is_static = effect == STATIC;
        break;
    case COLOR:
        line->has_color_option = true;
        break;
    case DIRECTORY:
        return option->value == NULL ? 0 : strings_add(&line->directories, option->value);
    case LIBRARY:
        return option->value == NULL ? 0 : strings_add(&line->libraries, option->value);
    default:
        break;
    }
    return 0;
}

static bool is_named(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);
    return length >= size && strcmp(path + length - size, end) == 0;
}

/* What the linker decides about where things lie, the user may have decided in a script among the
 * input files, or by code that needs nobody to start it: boot loaders and firmware. */
static void judge_inputs(struct link_line *line)
{
    bool lays_out = false, starts_up = line->is_program || line->is_shared;
    for (size_t i = 0; i < line->inputs.count; i++) {
        const char *path = line->inputs.item[i];
        if (is_named(path, ".o"))
            starts_up |= strstr(basename(path), "crt") != NULL; /* crt1.o, Scrt1.o, gcrt1.o */
        else if (!is_named(path, ".a") && !is_named(path, ".so"))
            lays_out |= script_lays_out(path, true);
    }
    if (line->why_unmarked == NULL && (lays_out || !starts_up))
        line->why_unmarked = "its layout is the user's own";
}

static void judge_output(struct link_line *line)
{
    static const char probes[] =
        "conftest conftest.* libconftest.* cmTC_* libcmTC_* cmTryCompileExec*";
    struct stat status;
    if (line->why_plain != NULL)
        return;
    if (line->inputs.count == 0)
        line->why_plain = "there is nothing to link";
    else if (words_have(probes, basename(line->output)))
        line->why_plain = "a probe of autoconf or CMake";
    else if (stat(line->output, &status) == 0 && !S_ISREG(status.st_mode))
        line->why_plain = "the output is no regular file";
}

static bool is_read_once(const char *path)
{
    struct stat status;
    return path[0] != '\0' && stat(path, &status) == 0 &&
           (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISSOCK(status.st_mode));
}

bool link_line_has_pipe(const struct strings *arguments, bool with_objects)
{
    for (size_t i = 1; i < arguments->count; i++) {
        const char *argument = arguments->item[i], *value = strchr(argument, '=');
        bool is_option = argument[0] == '-' && argument[1] != '\0';
        if (!with_objects && is_named(argument, ".o"))
            continue;
        if (is_read_once(argument) || (argument[0] == '@' && is_read_once(argument + 1)) ||
            (is_option && is_read_once(argument + 2)) ||
            (is_option && value != NULL && is_read_once(value + 1)))
            return true;
    }
    return false;
}

int link_line_read(const struct strings *arguments, struct link_line *line)
{
    int error = 0;
    *line = (struct link_line){.output = "a.out"};
    for (size_t i = 1; i < arguments->count && error == 0; i++) {
        struct option option;
        const char *argument = arguments->item[i];
        if (argument[0] != '-' || argument[1] == '\0') {
            error = strings_add(&line->inputs, argument);
            continue;
        }
        read_option(argument, &option);
        if (option.takes_next && i + 1 < arguments->count)
            option.value = arguments->item[++i];
        error = apply_option(line, &option);
    }
    if (line->output == NULL)
        line->output = "";
    line->is_static = line->is_static && !line->is_shared;
    judge_output(line);
    if (line->why_plain == NULL)
        judge_inputs(line);
    if (error != 0)
        link_line_free(line);
    return error;
}

void link_line_free(struct link_line *line)
{
    strings_free(&line->inputs);
    strings_free(&line->directories);
    strings_free(&line->libraries);
}

/* ---- Response files -------------------------------------------------------------------------- */

enum { NESTED_MAX = 64, FILES_MAX = 2000, FILE_MAX = 64 << 20 };

static bool is_blank(char byte)
{
    return byte != '\0' && strchr(" \t\n\v\f\r", byte) != NULL;
}

/* Returns the argument at `*at`, unquoted in place, and moves `*at` after it; NULL: no more. */
static char *next_argument(char **at)
{
    char *from = *at, quote = '\0';
    while (is_blank(*from))
        from++;
    if (*from == '\0')
        return NULL;
    char *argument = from, *to = from;
    for (; *from != '\0' && (quote != '\0' || !is_blank(*from)); from++) {
        if (*from == '\\' && from[1] == '\0')
            continue;
        if (*from == '\\') /* between single quotes too */
            *to++ = *++from;
        else if (quote != '\0' && *from == quote)
            quote = '\0';
        else if (quote == '\0' && (*from == '\'' || *from == '"'))
            quote = *from;
        else
            *to++ = *from;
    }
    *at = *from == '\0' ? from : from + 1;
    *to = '\0';
    return argument;
}

/* `*files` is the number of files that may still be read, since each can name others many times. */
static int expand_argument(const char *argument, int depth, int *files, struct strings *out)
{
    CLEANUP_FREE char *text = NULL;
    struct stat status;
    size_t size;
    if (argument[0] != '@' || argument[1] == '\0')
        return strings_add(out, argument);
    if (depth == NESTED_MAX || --*files < 0)
        return -ELOOP;
    /* Opening a pipe and closing it ends its writer. */
    if (stat(argument + 1, &status) == 0 && !S_ISREG(status.st_mode))
        return strings_add(out, argument);
    int error = whole_file_open_read(argument + 1, FILE_MAX, &text, &size);
    if (error == -ENOMEM)
        return error;
    if (error != 0)
        return strings_add(out, argument);
    char *at = text;
    for (char *nested; error == 0 && (nested = next_argument(&at)) != NULL;)
        error = expand_argument(nested, depth + 1, files, out);
    return error;
}

int response_expand(int argc, char *const *argv, struct strings *out)
{
    struct strings list = {NULL, 0};
    int error = 0, files = FILES_MAX;
    for (int i = 0; i < argc && error == 0; i++)
        error = i == 0 ? strings_add(&list, argv[i]) : expand_argument(argv[i], 0, &files, &list);
    if (error == 0)
        *out = list;
    else
        strings_free(&list);
    return error;
}
