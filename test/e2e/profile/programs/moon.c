/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <moon.h>

#include <stdarg.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

long moon_many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
               long k, long l, long m, long n, long o, long p)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
           12 * l + 13 * m + 14 * n + 15 * o + 16 * p;
}

double moon_variadic(int count, ...)
{
    double sum = 0;
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += i * va_arg(list, double);
    va_end(list);
    return sum;
}

unsigned moon_wide(struct moon_wide wide)
{
    const struct moon_wide *at = &wide;
    __asm__("" : "+r"(at)); /* which is not known to be aligned now */
    return (unsigned)((uintptr_t)at % sizeof *at + at->part[7]);
}

struct moon_pair moon_pair(double first, double second)
{
    return (struct moon_pair){second, first};
}

struct moon_large moon_large(long first)
{
    struct moon_large large;
    for (long i = 0; i < 9; i++)
        large.part[i] = first + i;
    return large;
}

long double moon_long_double(long double value)
{
    return value * 2;
}

void moon_calls(void (*function)(void))
{
    function();
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

long long moon_burns(long long nanoseconds)
{
    long long start = now();
    while (now() < start + nanoseconds)
        ;
    return now() - start;
}

void moon_waits(void)
{
    pause();
}
