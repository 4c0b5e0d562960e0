/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A library whose calls have all that a trampoline has to pass through. */
#ifdef __cplusplus
extern "C" {
#endif
struct moon_pair {
    double first, second;
};
struct moon_large {
    long part[9];
};
struct __attribute__((aligned(64))) moon_wide {
    long part[8];
};
long moon_many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
               long k, long l, long m, long n, long o, long p);
double moon_variadic(int count, ...);
unsigned moon_wide(struct moon_wide wide);
struct moon_pair moon_pair(double first, double second);
struct moon_large moon_large(long first);
long double moon_long_double(long double value);
void moon_calls(void (*function)(void));
long long moon_burns(long long nanoseconds);
void moon_waits(void);
#ifdef __cplusplus
}
#endif
