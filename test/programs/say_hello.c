// SPDX-License-Identifier: LGPL-2.1-or-later
// Prints "hello", and ends with status argv[1]. Under a sanitizer argv[2] is a fault for it to
// find: overflow (one byte behind an allocation) or shift (by more than an int has).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *fault = argc > 2 ? argv[2] : "";
    char *volatile text = malloc(6);
    volatile int bits = 40;

    if (!text)
        return 111;
    strcpy(text, "hello");
    puts(text);
    if (strcmp(fault, "overflow") == 0)
        text[6] = 'x';
    if (strcmp(fault, "shift") == 0)
        printf("%d\n", (1 << bits) != 0);
    free(text);
    return argc > 1 ? atoi(argv[1]) : 0;
}
