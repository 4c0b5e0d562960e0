/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_DEVICES_H
#define JOBTRAIL_DEVICES_H

#include <link.h>
#include <stdint.h>

/* The number of distinct GPU devices that this process holds open, by /proc/self/fd: 0 unless a
 * GPU runtime (libcuda, libamdhip64, libze_loader) is in the link map, and only then with system
 * calls. AMD's devices count by their render nodes, not /dev/kfd, which is one for all. */
uint32_t devices_count(const struct r_debug *loader);

#endif
