// SPDX-License-Identifier: LGPL-2.1-or-later
// calls: main 1, busy 200000, raised 2000, handler 2000, handled 4000
// Signals that come at once, in handlers on alternate stacks below and above the thread's, and a
// storm of timer's, whose handler is not counted here; each fourth handler leaves by siglongjmp().
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

#define KEPT __attribute__((noinline))

static sigjmp_buf place;
static volatile int count, leaves;

KEPT static void handled(int n)
{
    count += n;
}

static void handler(int signal)
{
    (void)signal;
    handled(1);
    handled(2);
    if (leaves)
        siglongjmp(place, 1);
}

KEPT static void raised(int leave)
{
    leaves = leave;
    if (sigsetjmp(place, 1) == 0)
        raise(SIGUSR1);
}

KEPT static int busy(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

static __attribute__((no_instrument_function)) void tick(int signal)
{
    (void)signal;
}

static __attribute__((no_instrument_function)) void use_stack(char *at, size_t size)
{
    stack_t stack = {.ss_sp = at, .ss_size = size};
    if (sigaltstack(&stack, NULL) != 0)
        abort();
}

int main(void)
{
    enum { SIZE = 64 << 10 };
    char low[SIZE];
    char *high = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct itimerval often = {{0, 100}, {0, 100}};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    int x = 0;
    sigaction(SIGUSR1, &action, NULL);
    action.sa_handler = tick;
    action.sa_flags |= SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 2000; i++) {
        use_stack(i % 2 == 0 ? low : high, SIZE);
        raised(i % 4 == 0);
        for (int j = 0; j < 100; j++)
            x = busy(x);
    }
    printf("%d %d\n", count, x);
    return 0;
}
