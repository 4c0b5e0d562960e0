// SPDX-License-Identifier: LGPL-2.1-or-later
// Sets a process title as daemons do: keeps a pointer to the old environment, clears it, writes the
// title argv[1] over all of argv and the old strings, and walks the old pointers once more. Prints
// what it then finds; an atexit handler writes over the old area a second time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;
static char *area;
static size_t area_size;

static void wipe(void)
{
    memset(area, 'x', area_size);
}

int main(int argc, char **argv)
{
    char title[256];
    char line[64];
    char **old = environ;
    size_t old_count = 0;

    if (argc < 2)
        return 111;
    snprintf(title, sizeof(title), "%s", argv[1]);
    while (old[old_count])
        old_count++;
    area = argv[0];
    area_size = (size_t)(old[old_count - 1] + strlen(old[old_count - 1]) - area);
    if (clearenv() || setenv("HOME", "/nowhere", 1) || atexit(wipe))
        return 111;
    memset(area, 0, area_size);
    snprintf(area, area_size, "%s", title);
    for (char **entry = old; entry < old + old_count; entry++)
        *entry = NULL;
    FILE *cmdline = fopen("/proc/self/cmdline", "r");
    printf("%s\n", cmdline && fgets(line, sizeof(line), cmdline) ? line : "no title");
    printf("HOME=%s PATH=%s LD_PRELOAD=%s\n", getenv("HOME"), getenv("PATH") ? "set" : "none",
           getenv("LD_PRELOAD") ? "set" : "none");
    return 0;
}
