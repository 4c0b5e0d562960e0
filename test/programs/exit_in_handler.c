// SPDX-License-Identifier: LGPL-2.1-or-later
// Ends by exit(argv[1]) in a signal handler that runs on a stack of its own.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int status;

static void end(int signal)
{
    (void)signal;
    exit(status);
}

int main(int argc, char **argv)
{
    static char room[1 << 16];
    stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
    struct sigaction action = {.sa_handler = end, .sa_flags = SA_ONSTACK};

    status = argc > 1 ? atoi(argv[1]) : 0;
    if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1))
        return 111;
    return 112;
}
