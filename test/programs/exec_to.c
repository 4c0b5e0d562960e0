// SPDX-License-Identifier: LGPL-2.1-or-later
// Becomes the program argv[1] (a path) with the arguments argv[1..]; 127 when that fails.
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc > 1)
        execv(argv[1], argv + 1);
    return 127;
}
