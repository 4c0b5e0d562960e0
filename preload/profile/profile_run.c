/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/profile_run.h"

#include <sys/prctl.h>

#include "conf/policy/policy_read.h"
#include "preload/decide.h"
#include "preload/memory.h"
#include "preload/predecessor.h"
#include "preload/profile/launcher.h"
#include "preload/profile/profile_grow.h"
#include "preload/profile/profile_live.h"
#include "preload/profile/profile_object.h"
#include "preload/profile/profile_thread.h"
#include "preload/profile/timed_run.h"
#include "preload/slot.h"
#include "preload/slots/signal_hold.h"
#include "preload/switches.h"
#include "preload/system.h"

bool profile_is_on;

/* Calls that take less on average are short (PROFILE_LIGHT). Where the counter's speed cannot be
 * told yet, it is taken for 2 GHz. */
enum { LIGHT_NS = 100, LIGHT_TICKS_GUESS = 200 };

/* What a forked child has too. */
static struct {
    struct image image;
    struct profile_place place;
    clock_function *clock;
    char spool[PROFILE_PATH_ROOM];  /* a copy, as the program may change its environment */
    char policy[PROFILE_PATH_ROOM]; /* "": there are no rules */
    char task[sizeof((struct profile_process *)NULL)->task];
    uint32_t rank, size;
    uint64_t program; /* as profile_process.program */
    bool is_light;
    bool has_begun; /* this process, or one that it was forked from */
    bool is_forked;
    uint8_t uuid[16];
    uint64_t lost_calls; /* atomic; before the profile was begun */
} known;

static struct profile_live *live; /* NULL: not begun */

struct profile_live *profile_live(void)
{
    return live;
}

const struct profile_place *profile_run_place(void)
{
    return &known.place;
}

const struct image *profile_run_image(void)
{
    return &known.image;
}

uint64_t profile_run_limit(void)
{
    return known.is_forked ? known.place.size / 2 : known.place.size;
}

uint64_t profile_run_ticks(void)
{
    return profile_ticks(live->counter, known.clock);
}

clock_function *profile_run_clock(void)
{
    return known.clock;
}

uint64_t profile_run_coarse(void)
{
    return clock_monotonic_coarse(known.clock);
}

void profile_run_tell(struct profile_own *own)
{
    own->counter = live->counter;
    own->light_ticks = live->light_ticks;
    own->clock = known.clock;
}

void profile_run_lose_call(void)
{
    uint64_t *count = live != NULL && __atomic_load_n(&live->state, __ATOMIC_ACQUIRE) == LIVE_READY
                          ? &live->process->lost_calls
                          : &known.lost_calls;
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static bool is_mode(const char *text, const char *mode)
{
    const char *rest = text_after(text, mode);
    return rest != NULL && (*rest == '\0' || *rest == ',');
}

bool profile_run_prepare(const struct image *image)
{
    struct switches switches;
    const char *mode = NULL;
    for (char **entry = image->envp; *entry != NULL && mode == NULL; entry++)
        mode = text_after(*entry, PROFILE_VARIABLE "=");
    known.image = *image;
    if (mode == NULL || (!is_mode(mode, PROFILE_EXACT) && !is_mode(mode, PROFILE_LIGHT)))
        return false;
    switches_read(image->envp, &switches);
    if (switches.spool == NULL || image->page_bytes != PROFILE_PAGE ||
        !profile_place_set(&known.place, switches.spool, image->user) ||
        text_append(known.spool, known.spool + sizeof known.spool, switches.spool) == NULL)
        return false;
    if (switches.policy != NULL &&
        text_append(known.policy, known.policy + sizeof known.policy, switches.policy) == NULL)
        return false;
    if (switches.task != NULL)
        text_append(known.task, known.task + sizeof known.task, switches.task);
    known.task[sizeof known.task - 1] = '\0';
    known.rank = switches.rank;
    known.size = switches.size;
    known.program = launcher_program(image->envp);
    known.is_light = is_mode(mode, PROFILE_LIGHT);
    known.clock = clock_find(image);
    return true;
}

/* The counter that the file names, unless the process may not read the processor's: that would be
 * SIGSEGV. */
static uint32_t find_counter(void)
{
#if defined(__x86_64__) || defined(__i386__)
    int tsc = 0;
    if (!system_failed(system_call6(SYS_prctl, PR_GET_TSC, (long)&tsc, 0, 0, 0, 0)) &&
        tsc == PR_TSC_SIGSEGV)
        return PROFILE_COARSE;
#endif
    return known.place.header->counter == PROFILE_CYCLES ? PROFILE_CYCLES : PROFILE_COARSE;
}

/* Without the vDSO where the processor's counter may not be read, as the precise clocks are read by
 * it there. */
static struct profile_pair read_pair(uint32_t counter, uint64_t *took)
{
    clock_function *clock = counter == PROFILE_CYCLES ? known.clock : NULL;
    struct profile_pair pair = {.ticks = profile_ticks(counter, known.clock)};
    pair.boot_ns = clock_boot(clock);
    pair.real_ns = clock_now(clock);
    *took = profile_ticks(counter, known.clock) - pair.ticks;
    return pair;
}

/* How fast the counter is, by the time since the file was made. */
static uint32_t find_light(const struct profile_process *process)
{
    const uint64_t least_ns = 1000000;
    const struct profile_pair *made = &known.place.header->made;
    uint64_t ticks = process->start.ticks - made->ticks,
             ns = process->start.boot_ns - made->boot_ns;
    if (!known.is_light)
        return 0;
    if (process->counter == PROFILE_COARSE)
        return LIGHT_NS;
    if (process->start.boot_ns < made->boot_ns || ns < least_ns || ticks / ns >= 100)
        return LIGHT_TICKS_GUESS;
    uint64_t light = ticks / (ns / LIGHT_NS);
    return light == 0 ? 1 : (uint32_t)light;
}

/* A forked child has its parent's. */
static void find_uuid(void)
{
    struct ledger_slot slot;
    char path[512];
    int fd = known.is_forked ? -1 : slot_open_file(known.spool, path, sizeof path);
    if (fd < 0)
        return;
    if (predecessor_find(fd, &slot))
        memcpy(known.uuid, slot.uuid, sizeof known.uuid);
    system_close(fd);
}

static int32_t own_pid(void)
{
    return (int32_t)system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static void fill_process(struct profile_process *process)
{
    process->counter = live->counter = find_counter();
    process->start = profile_pair_now(&read_pair, process->counter);
    process->light_ticks = live->light_ticks = find_light(process);
    process->pid = live->pid = own_pid();
    process->flags = (known.is_forked ? PROFILE_PROCESS_FORKED : 0) |
                     (known.is_light ? PROFILE_PROCESS_LIGHT : 0);
    process->rank = known.rank;
    process->size = known.size;
    process->program = known.program;
    memcpy(process->uuid, known.uuid, sizeof process->uuid);
    process->missed_routines = timed_routines.missed;
    process->missed_mpi = timed_routines.missed_mpi;
    memcpy(process->task, known.task, sizeof process->task);
}

void *profile_run_policy(size_t *bytes)
{
    struct decide_policy policy;
    if (known.policy[0] == '\0' || !decide_map(known.policy, known.image.user, &policy))
        return NULL;
    *bytes = policy.size;
    return policy.base;
}

/* Whether a rule of [profile] leaves this program out. */
static bool is_skipped(void)
{
    char path[1024];
    size_t bytes;
    long length = system_readlink("/proc/self/exe", path, sizeof path);
    if (known.policy[0] == '\0')
        return false;
    void *policy = length <= 0 ? NULL : profile_run_policy(&bytes);
    if (policy == NULL)
        return true;
    const struct policy_rule *rule = policy_match(policy, POLICY_PROFILE, path, (size_t)length);
    bool is_skipped = rule != NULL && rule->action == POLICY_SKIP;
    system_unmap(policy, bytes);
    return is_skipped;
}

static bool begin(void)
{
    known.is_forked = known.has_begun;
    if (known.place.header == NULL) {
        if (is_skipped() || !profile_place_map(&known.place))
            return false;
    }
    find_uuid();
    int fd = profile_place_claim(&known.place, PROFILE_PROCESS_BYTES, profile_run_limit(),
                                 &live->offset);
    if (fd < 0)
        return false;
    live->process =
        profile_place_pages(&known.place, fd, NULL, PROFILE_PROCESS_BYTES, live->offset);
    system_close(fd);
    if (live->process == NULL)
        return false;
    fill_process(live->process);
    profile_place_publish(&live->process->chunk, live->offset, PROFILE_PROCESS_BYTES, live->offset,
                          PROFILE_PROCESS);
    profile_object_find((uintptr_t)known.image.phdr); /* the executable: which program it is */
    timed_run_begin(known.is_forked);
    known.has_begun = true;
    return true;
}

/* Of two threads at once, one has its memory used. */
static bool make_live(void)
{
    struct profile_live *none = NULL;
    struct profile_live *memory = profile_memory(sizeof *memory, true);
    if (memory == NULL)
        return false;
    if (!__atomic_compare_exchange_n(&live, &none, memory, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        system_unmap(memory, sizeof *memory);
    return true;
}

/* Waits a moment for another thread. */
static bool wait_for(const struct profile_live *other, int32_t own)
{
    enum { TURNS = 1000 };
    uint32_t state = LIVE_BEGINNING;
    for (int i = 0; i < TURNS && state == LIVE_BEGINNING; i++) {
        if (__atomic_load_n(&other->starter, __ATOMIC_RELAXED) == own)
            return false; /* this is the handler of a signal that was not held back */
        system_call6(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
        state = __atomic_load_n(&other->state, __ATOMIC_ACQUIRE);
    }
    return state == LIVE_READY;
}

static bool begin_held(void)
{
    uint32_t state = LIVE_NONE;
    int32_t own = (int32_t)system_call6(SYS_gettid, 0, 0, 0, 0, 0, 0);
    if (__atomic_load_n(&live, __ATOMIC_ACQUIRE) == NULL && !make_live()) {
        profile_is_on = false;
        return false;
    }
    if (!__atomic_compare_exchange_n(&live->state, &state, LIVE_BEGINNING, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return state == LIVE_READY || (state == LIVE_BEGINNING && wait_for(live, own));
    __atomic_store_n(&live->starter, own, __ATOMIC_RELAXED);
    bool has_begun = begin();
    if (!has_begun)
        profile_is_on = false;
    __atomic_store_n(&live->state, has_begun ? LIVE_READY : LIVE_FAILED, __ATOMIC_RELEASE);
    if (has_begun)
        __atomic_fetch_add(&live->process->lost_calls,
                           __atomic_exchange_n(&known.lost_calls, 0, __ATOMIC_RELAXED),
                           __ATOMIC_RELAXED);
    return has_begun;
}

bool profile_run_begin(void)
{
    if (profile_thread_is_lent())
        return false;
    uint64_t held = signals_hold();
    bool has_begun = begin_held();
    signals_release(held);
    return has_begun;
}

/* Nothing is counted of this process any more. */
static void finish(uint32_t flag)
{
    struct profile_process *process = live->process;
    profile_thread_close_ended();
    timed_run_end();
    process->last = profile_pair_now(&read_pair, live->counter);
    profile_order();
    process->flags |= flag;
}

void profile_run_end(void)
{
    if (!profile_is_on || live == NULL ||
        __atomic_load_n(&live->state, __ATOMIC_ACQUIRE) != LIVE_READY ||
        live->pid != own_pid()) /* it has its parent's memory */
        return;
    finish(PROFILE_PROCESS_ENDED);
}

void profile_run_confine(bool may_count)
{
    if (!profile_is_on || profile_thread_is_lent())
        return;
    if ((may_count || known.has_begun) && profile_run_begin())
        finish(PROFILE_PROCESS_CONFINED);
    profile_is_on = false;
}

void profile_run_mark_hooked(void)
{
    if (profile_run_begin())
        __atomic_fetch_or(&live->process->flags, PROFILE_PROCESS_HOOKED, __ATOMIC_RELAXED);
}
