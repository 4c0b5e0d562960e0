// SPDX-License-Identifier: LGPL-2.1-or-later
// calls: main 1, attempt 500, first 500, second 500, third 500, counted 500
#include <cstdio>

#define KEPT __attribute__((noinline))

extern "C" {
KEPT int third(int n)
{
    if (n >= 0)
        throw n;
    return n;
}

KEPT int second(int n)
{
    int x = third(n);
    __asm__ volatile("" : "+r"(x));
    return x;
}

KEPT int first(int n)
{
    int x = second(n);
    __asm__ volatile("" : "+r"(x));
    return x;
}

KEPT int counted(int n)
{
    __asm__ volatile("" : "+r"(n));
    return n;
}

KEPT int attempt(int n)
{
    int x = 0;
    try {
        x = first(n);
    } catch (int thrown) {
        x = counted(thrown);
    }
    __asm__ volatile("" : "+r"(x));
    return x;
}
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 500; i++)
        sum += attempt(i);
    std::printf("%ld\n", sum);
    return 0;
}
