/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/tick_scale.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "conf/base/clocks.h"
#include "conf/base/io.h"

/* Two moments nearer to each other say too little about the counter. */
static const uint64_t apart_ns = 1000000;

/* No counter is slower or faster. */
static const double tick_ns_least = 0.05, tick_ns_most = 1000;

static struct profile_pair read_pair(uint32_t counter, uint64_t *took)
{
    (void)counter;
    struct profile_pair pair = {.ticks = cycles_read()};
    pair.boot_ns = clock_ns(CLOCK_BOOTTIME);
    pair.real_ns = clock_ns(CLOCK_REALTIME);
    *took = cycles_read() - pair.ticks;
    return pair;
}

struct profile_pair tick_now(void)
{
    return profile_pair_now(&read_pair, PROFILE_CYCLES);
}

void tick_boot(char boot[64])
{
    if (io_read_text(AT_FDCWD, "/proc/sys/kernel/random/boot_id", boot, 64) < 0)
        boot[0] = '\0';
    boot[strcspn(boot, "\n")] = '\0';
}

/* Takes what two moments say, if they are further apart than those before. */
static void use_pair(struct tick_scale *scale, uint64_t *apart, const struct profile_pair *first,
                     const struct profile_pair *second)
{
    if (second->ticks <= first->ticks || second->boot_ns <= first->boot_ns)
        return;
    uint64_t ns = second->boot_ns - first->boot_ns;
    double each = (double)ns / (double)(second->ticks - first->ticks);
    if (ns < *apart || each < tick_ns_least || each > tick_ns_most)
        return;
    *apart = ns;
    scale->tick_ns = each;
}

struct tick_scale tick_scale_of(const struct profile_header *header,
                                const struct profiled_process *process,
                                const struct profile_pair *now)
{
    struct tick_scale scale = {.tick_ns = 0, .from = process->start};
    uint64_t apart = apart_ns;
    if (process->counter == PROFILE_COARSE)
        scale.tick_ns = 1;
    if (process->counter != PROFILE_CYCLES)
        return scale;
    if (header->counter == PROFILE_CYCLES) {
        use_pair(&scale, &apart, &header->made, &process->start);
        use_pair(&scale, &apart, &header->made, &process->last);
        /* root's moments; the longest span is theirs */
        if (now != NULL)
            use_pair(&scale, &apart, &header->made, now);
    }
    use_pair(&scale, &apart, &process->start, &process->last);
    return scale;
}

static uint64_t whole(double value)
{
    return value <= 0 ? 0 : value >= 0x1p64 ? UINT64_MAX : (uint64_t)value;
}

uint64_t tick_ns(const struct tick_scale *scale, uint64_t ticks)
{
    return scale->tick_ns == 1 ? ticks : whole((double)ticks * scale->tick_ns);
}

uint64_t tick_at(const struct tick_scale *scale, uint64_t boot_ns, uint64_t least, uint64_t most)
{
    uint64_t ticks = least;
    if (scale->tick_ns > 0 && boot_ns > scale->from.boot_ns) {
        double since = (double)(boot_ns - scale->from.boot_ns) / scale->tick_ns;
        ticks = whole((double)scale->from.ticks + since);
    }
    if (ticks > most)
        ticks = most;
    return ticks > least ? ticks : least;
}

/* CLOCK_MONOTONIC_COARSE is not ahead of the time since boot. */
uint64_t tick_most(const struct profiled_process *process, const struct profile_pair *now)
{
    return now == NULL                          ? UINT64_MAX
           : process->counter == PROFILE_CYCLES ? now->ticks
           : process->counter == PROFILE_COARSE ? now->boot_ns
                                                : UINT64_MAX;
}

uint64_t tick_real_ns(const struct tick_scale *scale, uint64_t ticks)
{
    if (ticks >= scale->from.ticks)
        return scale->from.real_ns + tick_ns(scale, ticks - scale->from.ticks);
    uint64_t before = tick_ns(scale, scale->from.ticks - ticks);
    return before > scale->from.real_ns ? 0 : scale->from.real_ns - before;
}
