/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A response file, and the command line that comes of it. The arguments have to be those that the
 * linker sees: libiberty's, which has this from GNU ld.
 */
#include <libiberty/libiberty.h>
#include <string.h>

#include "ldwrap/link_line.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_file.h"

static int file = -1;

/* From binutils 2.43 on a backslash between apostrophes is one, as for a shell. */
static int reads_as_before(void)
{
    char **argv = buildargv("'\\a'");
    int is_before = strcmp(argv[0], "a") == 0;
    freeargv(argv);
    return is_before;
}

static void compare(const struct strings *found, int argc, char *const *argv)
{
    require(found->count == (size_t)argc);
    for (int i = 0; i < argc; i++)
        require(strcmp(found->item[i], argv[i]) == 0);
}

/* What a line points to is in its arguments. */
static void read_line(const struct strings *arguments)
{
    struct link_line line;
    require(link_line_read(arguments, &line) == 0);
    require(line.output != NULL);
    require(line.inputs.count + line.directories.count + line.libraries.count < arguments->count);
    require(line.why_plain != NULL || line.inputs.count > 0);
    require(!line.is_shared || !line.is_static);
    link_line_free(&line);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char path[1 + FUZZ_PATH_SIZE] = "@", name[] = "ld";
    struct strings arguments;
    fuzz_file(&file, data, size, path + 1);
    char *given[] = {name, path, NULL};
    if (response_expand(2, given, &arguments) != 0)
        return 0; /* files that nest */
    read_line(&arguments);
    if (memchr(data, '@', size) == NULL && memchr(data, '\0', size) == NULL &&
        (memchr(data, '\\', size) == NULL || reads_as_before())) {
        int argc = 2;
        char **argv = given;
        expandargv(&argc, &argv);
        compare(&arguments, argc, argv);
        if (argv != given)
            freeargv(argv);
    }
    strings_free(&arguments);
    return 0;
}
