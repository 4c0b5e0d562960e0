// SPDX-License-Identifier: LGPL-2.1-or-later
// calls: main 1, again 1000, deep 5000, after 1000, plain 1000
// Leaves five calls at once by longjmp(), a thousand times.
#include <setjmp.h>
#include <stdio.h>

#define KEPT __attribute__((noinline))

static jmp_buf place;
static volatile int count;

KEPT static int deep(int n)
{
    count++;
    if (n == 1)
        longjmp(place, 1);
    int rest = deep(n - 1);
    __asm__ volatile("" : "+r"(rest));
    return rest + 1;
}

KEPT static void plain(void)
{
    __asm__ volatile("");
}

KEPT static void after(void)
{
    plain();
    __asm__ volatile("");
}

KEPT static void again(void)
{
    if (setjmp(place) == 0)
        deep(5);
    after();
    __asm__ volatile("");
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        again();
    printf("%d\n", count);
    return 0;
}
