// SPDX-License-Identifier: LGPL-2.1-or-later
// Sends itself signal number argv[1]; 111 when it survives that.
#include <signal.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    raise(argc > 1 ? atoi(argv[1]) : SIGKILL);
    return 111;
}
