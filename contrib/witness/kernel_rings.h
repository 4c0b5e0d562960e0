/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel's events about processes (kernel_event.h) of all CPUs of this node, in the order of
 * their times. One descriptor and one ring for each CPU; what has no room there is lost, and the
 * kernel says how much.
 */
#ifndef JOBTRAIL_KERNEL_RINGS_H
#define JOBTRAIL_KERNEL_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/witness/kernel_event.h"

/* Bytes of all rings, the kernel's memory, which is there from the start; more than that only for
 * more than 256 CPUs. On a busy node the reader may wait for its turn: where there are few CPUs,
 * each has more room. */
enum {
    KERNEL_RINGS_BYTES = 64 << 20,
    KERNEL_RING_LEAST = 256 << 10,
    KERNEL_RING_MOST = 4 << 20,
    KERNEL_RINGS_MAX = 4096
};

struct kernel_rings;

/* Bytes of each ring for so many CPUs: a power of two. */
size_t kernel_rings_size(size_t cpus);

/* Opens a descriptor and a ring for each CPU that is online. Where the kernel does not give so much
 * memory, all have less. `with_maps`: executable mappings too,
 * with build-ids. Needs CAP_PERFMON, or CAP_SYS_ADMIN, until it returns. Returns 0, and the rings,
 * which kernel_rings_free() releases; or -errno: -EACCES and -EPERM where the kernel or a container
 * does not allow it, -EINVAL where the kernel is older than 5.12 (or 4.16, without maps). */
int kernel_rings_open(bool with_maps, struct kernel_rings **rings);

void kernel_rings_free(struct kernel_rings *rings);

/* A descriptor of epoll(7) that is ready for reading when a ring is a quarter full. */
int kernel_rings_descriptor(const struct kernel_rings *rings);

/* Calls `take` for each event before `until_ns`, of CLOCK_BOOTTIME, in the order of time; the
 * event's text is valid during the call. Returns how many records cannot be read, which are passed
 * over. */
uint64_t kernel_rings_read(struct kernel_rings *rings, uint64_t until_ns,
                           void (*take)(void *context, const struct kernel_event *event),
                           void *context);

#endif
