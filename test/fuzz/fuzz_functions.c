/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * "MAP\0ARCHIVE": the map that a linker has written, and a library that belongs to a module, which
 * a user may have put there. The program is a sound one, fuzz_program.c: what is found are
 * functions that it has or lacks.
 */
#include <string.h>

#include "ldwrap/elf_target.h"
#include "ldwrap/functions.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_file.h"

enum { NAME_SIZE = 64 };

static char directory[NAME_SIZE];
static int library = -1;

static void leave(void)
{
    require(unlink("lib.a") == 0 && rmdir(directory) == 0);
}

/* A file with a name, as only those belong to modules; maps call it so. */
static void start(void)
{
    if (library >= 0)
        return;
    const char *parent = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%.40s/fuzz.XXXXXX", parent == NULL ? "/tmp" : parent);
    require(mkdtemp(directory) != NULL && chdir(directory) == 0);
    FILE *file = fopen("lib.a", "w+");
    require(file != NULL);
    library = fileno(file);
    atexit(leave);
}

static void find(const char *map_text)
{
    char item[] = "lib.a", *items[] = {item, NULL}, root[] = "", module[] = "m";
    struct module_entry entry = {root, module};
    const struct module_map modules = {&entry, 1};
    const struct strings inputs = {items, 1};
    struct functions found;
    struct elf_target target;
    elf_target_find(&inputs, &target);
    require(functions_find(PROGRAM, &inputs, map_text, &modules, &found) == 0);
    for (size_t i = 0; i < found.count; i++) {
        require(found.item[i].name[0] != '\0' && found.item[i].module == module);
        require(i == 0 || strcmp(found.item[i - 1].name, found.item[i].name) < 0);
    }
    functions_free(&found);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    size_t map = strnlen((const char *)data, size);
    if (map == size)
        return 0;
    char *map_text = strndup((const char *)data, map);
    start();
    require(map_text != NULL && ftruncate(library, 0) == 0 &&
            pwrite(library, data + map + 1, size - map - 1, 0) == (ssize_t)(size - map - 1));
    find(map_text);
    free(map_text);
    return 0;
}
