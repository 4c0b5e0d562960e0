// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef DEMO_ROD_H
#define DEMO_ROD_H

#define ROD_CELLS 200

/* A rod whose ends are kept at 0 degrees. */
struct rod {
    double degrees[ROD_CELLS];
};

/* Warm in the middle, as a half sine wave of 100 degrees. */
void rod_init(struct rod *rod);

/* One step of the heat equation. */
void rod_step(struct rod *rod);

#endif
