/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <link.h>
#include <stdint.h>

/* The number of distinct GPU devices that this process has open, by /proc/self/fd. It is 0, without
 * a system call, unless a GPU runtime (libcuda, libamdhip64, libze_loader) is in the link map.
 * AMD's devices are counted by their render nodes: /dev/kfd is one device for all of them. */
uint32_t devices_count(const struct r_debug *loader);
