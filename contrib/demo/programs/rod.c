// SPDX-License-Identifier: LGPL-2.1-or-later
// A user's own shared library (librod.so), which needs libm.
#include "rod.h"

#include <math.h>

void rod_init(struct rod *rod)
{
    const double pi = acos(-1.0);
    for (int i = 0; i < ROD_CELLS; i++)
        rod->degrees[i] = 100.0 * sin(pi * i / (ROD_CELLS - 1));
}

void rod_step(struct rod *rod)
{
    double left = rod->degrees[0];
    for (int i = 1; i + 1 < ROD_CELLS; i++) {
        const double here = rod->degrees[i];
        rod->degrees[i] += 0.25 * (left - 2.0 * here + rod->degrees[i + 1]);
        left = here;
    }
}
