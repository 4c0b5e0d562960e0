// SPDX-License-Identifier: LGPL-2.1-or-later
// calls: main 1, down 100000, last 1
#include <stdio.h>

#define KEPT __attribute__((noinline))

KEPT static int last(void)
{
    __asm__ volatile("");
    return 1;
}

KEPT static int down(int n)
{
    int rest = n == 1 ? last() : down(n - 1);
    __asm__ volatile("" : "+r"(rest));
    return rest + 1;
}

int main(void)
{
    printf("%d\n", down(100000));
    return 0;
}
