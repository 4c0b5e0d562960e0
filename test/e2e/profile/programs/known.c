// SPDX-License-Identifier: LGPL-2.1-or-later
// calls: main 1, outer 10, middle 100, leaf 1000, factorial 200, by_pointer 7, with_alloca 20
#include <alloca.h>
#include <stdio.h>
#include <string.h>

#define KEPT __attribute__((noinline))

KEPT static unsigned leaf(unsigned x)
{
    __asm__ volatile("" : "+r"(x));
    return x * 3 + 1;
}

KEPT static unsigned middle(unsigned x)
{
    for (int i = 0; i < 10; i++)
        x = leaf(x);
    return x;
}

KEPT static unsigned outer(unsigned x)
{
    for (int i = 0; i < 10; i++)
        x += middle(x);
    return x;
}

KEPT static unsigned factorial(unsigned n)
{
    unsigned rest = n <= 1 ? 1 : factorial(n - 1);
    __asm__ volatile("" : "+r"(rest));
    return n * rest;
}

KEPT static unsigned by_pointer(unsigned x)
{
    __asm__ volatile("" : "+r"(x));
    return x ^ 0x55;
}

KEPT static unsigned with_alloca(unsigned n)
{
    char *text = alloca(n * 16 + 16);
    memset(text, (int)n, n * 16 + 16);
    __asm__ volatile("" : : "r"(text) : "memory");
    return (unsigned)text[n];
}

int main(void)
{
    unsigned (*volatile pointer)(unsigned) = by_pointer;
    unsigned x = 1;
    for (int i = 0; i < 10; i++)
        x = outer(x);
    for (int i = 0; i < 20; i++)
        x += factorial(10);
    for (int i = 0; i < 7; i++)
        x = pointer(x);
    for (unsigned i = 0; i < 20; i++)
        x += with_alloca(i);
    printf("%u\n", x);
    return 3;
}
