/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls 24 routines of the C library and of libm three times each, for test/bench/counts. The one
 * of sched_yield(2) says that main() has begun.
 */
#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words)
{
    double all = 0;
    sched_yield();
    for (int i = 1; i <= 3; i++) {
        double x = 1.0 / (i + count);
        all += sin(x) + cos(x) + tan(x) + asin(x) + acos(x) + atan(x) + exp(x) + log(x);
        all += sinh(x) + cosh(x) + tanh(x) + cbrt(x) + erf(x) + tgamma(x) + pow(x, x) + hypot(x, x);
        all += (double)strlen(words[0]) + strcmp(words[0], "") + toupper(i) + atoi("12");
        all += strtod("0.5", NULL) + abs(-i) + (double)labs(-i) + div(7, i).rem;
    }
    return all == 0;
}
