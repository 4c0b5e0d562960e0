/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/spank/profile_make.h"

#include <time.h>

#include "conf/base/clocks.h"
#include "conf/base/host.h"
#include "preload/profile/profile_file.h"
#include "spank/ledger_make.h"

static uint64_t ticks_now(uint32_t counter)
{
    return counter == PROFILE_CYCLES ? cycles_read() : clock_ns(CLOCK_MONOTONIC_COARSE);
}

static struct profile_pair read_pair(uint32_t counter, uint64_t *took)
{
    struct profile_pair pair = {.ticks = ticks_now(counter)};
    pair.boot_ns = clock_ns(CLOCK_BOOTTIME);
    pair.real_ns = clock_ns(CLOCK_REALTIME);
    *took = ticks_now(counter) - pair.ticks;
    return pair;
}

static void fill_profile(void *head, uint64_t bytes, uint64_t backed)
{
    struct profile_header *header = head;
    uint32_t counter = cycles_are_clock() ? PROFILE_CYCLES : PROFILE_COARSE;
    *header = (struct profile_header){
        .magic = PROFILE_MAGIC,
        .size_bytes = bytes,
        .backed_bytes = backed,
        .used_bytes = PROFILE_PAGE,
        .counter = counter,
        .made = profile_pair_now(&read_pair, counter),
    };
    host_boot(header->boot);
}

int spool_make_profile(int part, uid_t uid, gid_t gid, uint64_t bytes)
{
    const struct spool_file made = {
        .name = PROFILE_NAME, .bytes = bytes, .head_bytes = PROFILE_PAGE, .fill = fill_profile};
    return spool_make_file(part, &made, uid, gid);
}
