/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Retries what only root may do, where it failed since the process acted as the job's user. Slurm's
 * step daemon is root, but seteuid(3) of one of its threads changes all of them. From 24.11 on this
 * can come while the callbacks run: at the end of an extern step a thread shuts X11 forwarding
 * down, X11 or not (src/slurmd/slurmstepd/mgr.c, _x11_signal_handler() and
 * _shutdown_x11_forward()).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct as_root {
    unsigned tries;
    uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: not yet set */
};

/* After work that ended with `error`, 0 or -errno: waits until the process acts as root again.
 * Returns whether to do the work once more: not where it has failed for other reasons than that,
 * and at most three times. All waits with one `state`, which begins as zeros, end 3 s after the
 * first one began. */
bool as_root_again(int error, struct as_root *state);
