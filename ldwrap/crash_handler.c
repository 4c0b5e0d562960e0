/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/crash_handler.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

enum { PATIENCE_S = 30 };

static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGXFSZ, SIGXCPU};
enum { FAULTS = sizeof faults / sizeof faults[0] };

static const char *linker_path;
static char *const *linker_argv;
static struct sigaction saved[FAULTS];
static bool is_on;

static void become_linker(int number)
{
    sigset_t only;
    crash_default();
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    execv(linker_path, linker_argv);
    _exit(127);
}

static void succeed(int number)
{
    (void)number;
    _exit(0);
}

/* Saves the former handlers, for the linker that we may run. */
static void set_handlers(void (*handler)(int))
{
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], &(struct sigaction){.sa_handler = handler}, is_on ? NULL : &saved[i]);
    is_on = true;
}

void crash_runs_linker(const char *path, char *const *argv)
{
    linker_path = path;
    linker_argv = argv;
    set_handlers(become_linker);
}

void crash_succeeds(void)
{
    set_handlers(succeed);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = succeed}, NULL);
    alarm(PATIENCE_S);
}

void crash_default(void)
{
    for (int i = 0; is_on && i < FAULTS; i++)
        sigaction(faults[i], &saved[i], NULL);
    alarm(0);
    is_on = false;
}
