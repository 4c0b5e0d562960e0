/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* calls: moon_wide 4, moon_many 1
 *
 * Arguments that are aligned to 64 bytes, with the stack at each place within them, and a call by a
 * function whose stack ends behind it. */
#include <moon.h>

#include <alloca.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK = 65536 };

static ucontext_t begin, other;
static long sum;

static void calls(void)
{
    sum = moon_many(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
}

int main(void)
{
    for (unsigned long i = 1; i <= 4; i++) {
        volatile char *room = alloca(16 * i);
        room[0] = 1;
        printf("%u\n", moon_wide((struct moon_wide){.part[7] = (long)i}));
    }
    char *stack = mmap(NULL, 2L * STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stack, STACK, PROT_READ | PROT_WRITE);
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = STACK;
    other.uc_link = &begin;
    makecontext(&other, calls, 0);
    swapcontext(&begin, &other);
    return printf("%ld\n", sum) != 4;
}
