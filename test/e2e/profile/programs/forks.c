// SPDX-License-Identifier: LGPL-2.1-or-later
// calls: main 1, child 200, both 400, before_exec 50
// Children by fork() that call functions, and children by vfork() that do so before they execute a
// program.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT __attribute__((noinline))

KEPT static int both(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x;
}

KEPT static void child(int n)
{
    both(n);
    _exit(n & 1);
}

KEPT static void before_exec(void)
{
    execl("/bin/true", "true", (char *)NULL);
    _exit(9);
}

int main(void)
{
    int status, sum = 0;
    for (int i = 0; i < 200; i++) {
        pid_t pid = fork();
        if (pid == 0)
            child(i);
        both(i);
        waitpid(pid, &status, 0);
        sum += WEXITSTATUS(status);
    }
    for (int i = 0; i < 50; i++) {
        pid_t pid = vfork();
        if (pid == 0)
            before_exec();
        waitpid(pid, &status, 0);
        sum += WEXITSTATUS(status);
    }
    printf("%d\n", sum);
    return 0;
}
