// SPDX-License-Identifier: LGPL-2.1-or-later
// calls: main 1, outer 1000, first 2000, second 2000, kept 4000
// gcc notes the entry of inlined functions too; clang does where it is not asked to wait.
#include <stdio.h>

static inline __attribute__((always_inline)) int second(int x);
__attribute__((noinline)) static int kept(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

static inline __attribute__((always_inline)) int second(int x)
{
    return kept(kept(x));
}

static inline __attribute__((always_inline)) int first(int x)
{
    return second(x) + 1;
}

__attribute__((noinline)) static int outer(int x)
{
    return first(x) + first(x + 1);
}

int main(void)
{
    int x = 0;
    for (int i = 0; i < 1000; i++)
        x += outer(x & 7);
    printf("%d\n", x);
    return 0;
}
