// SPDX-License-Identifier: LGPL-2.1-or-later
// Ends by _exit(argv[1]): no destructor runs.
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    _exit(argc > 1 ? atoi(argv[1]) : 0);
}
