/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Usage: steps PROGRAM [ARGUMENT...]
 *
 * Prints how many instructions the program executes between its first and its second breakpoint
 * (int3), and ends with its status.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether it stands at a breakpoint. */
static bool is_at_breakpoint(pid_t pid)
{
    siginfo_t info;
    return ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) == 0 && info.si_signo == SIGTRAP &&
           info.si_code == SI_KERNEL;
}

/* Lets it go on, or execute one instruction. Returns whether it has stopped again. */
static bool go_on(bool is_step, pid_t pid, int *status)
{
    return ptrace(is_step ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, NULL, NULL) == 0 &&
           waitpid(pid, status, 0) == pid && WIFSTOPPED(*status);
}

int main(int argc, char **argv)
{
    long steps = 0;
    int status = 0;
    if (argc < 2)
        return 125;
    pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(argv[1], argv + 1);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
        !go_on(false, pid, &status) || !is_at_breakpoint(pid))
        return 126;
    while (go_on(true, pid, &status) && !is_at_breakpoint(pid))
        steps++;
    printf("%ld\n", steps);
    while (go_on(false, pid, &status)) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 124;
}
