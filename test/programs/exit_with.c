// SPDX-License-Identifier: LGPL-2.1-or-later
// Ends by exit(argv[1]).
#include <stdlib.h>

int main(int argc, char **argv)
{
    exit(argc > 1 ? atoi(argv[1]) : 0);
}
