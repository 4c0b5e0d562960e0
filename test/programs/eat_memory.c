// SPDX-License-Identifier: LGPL-2.1-or-later
// Fills argv[1] MiB of memory, says so and sleeps for argv[2] seconds (default: 600).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const size_t size = (argc > 1 ? strtoul(argv[1], NULL, 10) : 0) << 20;
    char *memory = malloc(size + 1);

    if (memory == NULL)
        return 1;
    memset(memory, 1, size + 1);
    printf("full %d\n", memory[size / 2]);
    fflush(stdout);
    sleep(argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 600);
    free(memory);
    return 0;
}
