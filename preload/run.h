/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The run of this process: begun with a capture, ended with a signature.
 */
#pragma once

#include "preload/decide.h"
#include "preload/image.h"
#include "preload/switches.h"

/* What a run is begun with. */
struct run_start {
    const struct image *image;
    const struct switches *switches;
    const struct decide_policy *policy; /* usable */
    const struct exec_path *path;
};

/* Captures this process; `pkgs` marks it for the package hooks. Returns 1, or 0 where it could not
 * be captured. */
int run_begin(const struct run_start *start, int pkgs);

/* Signs the end, or gives the slot back when the run is sampled out. Makes no system call, except
 * for those of devices_count() where a GPU runtime is loaded, and for a message where XALT_TRACING
 * is on. Does nothing in a forked child and when there was no capture. */
void run_end(void);
