/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/guard.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

enum { PATIENCE_S = 30 };

static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGXFSZ, SIGXCPU};
enum { FAULTS = sizeof faults / sizeof faults[0] };

static const char *linker;
static char *const *arguments;
static struct sigaction before[FAULTS];
static int is_on;

static void become_linker(int number)
{
    sigset_t only;
    guard_off();
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    execv(linker, arguments);
    _exit(127);
}

static void succeed(int number)
{
    (void)number;
    _exit(0);
}

/* Keeps what was set before, for what we become. */
static void set(void (*handler)(int))
{
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], &(struct sigaction){.sa_handler = handler}, is_on ? NULL : &before[i]);
    is_on = 1;
}

void guard_exec(const char *path, char *const *argv)
{
    linker = path;
    arguments = argv;
    set(become_linker);
}

void guard_success(void)
{
    set(succeed);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = succeed}, NULL);
    alarm(PATIENCE_S);
}

void guard_off(void)
{
    for (int i = 0; is_on && i < FAULTS; i++)
        sigaction(faults[i], &before[i], NULL);
    is_on = 0;
}
