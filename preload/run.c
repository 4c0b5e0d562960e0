/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run.h"

#include "capture.h"
#include "clock.h"
#include "devices.h"
#include "memory.h"
#include "proc.h"
#include "sampling.h"
#include "signals.h"
#include "slot.h"
#include "system.h"
#include "trace.h"
#include "uuid.h"
#include "wake.h"

/* Room behind the capture for objects that are loaded while the program runs. */
enum { LATER_BYTES = 2 << 10, LATER_BYTES_PKGS = 16 << 10 };

/* The process that claimed a slot signs it, a forked child must not. All that signing needs lies
 * in these pages, which the kernel hands to a forked child zeroed (madvise(2), MADV_WIPEONFORK):
 * to the child there was no capture. */
static union {
    struct {
        struct slot_claim claim; /* claim.slot is NULL: nothing to sign */
        clock_function *now;
        const struct r_debug *loader;
        const struct link_map *last_object; /* of the start; never unloaded */
        struct sampling sampling;
        enum switch_state gpu;
        int pid;
        struct trace trace; /* its line is started */
    } run;
    unsigned char page[LEDGER_PAGE];
} own __attribute__((aligned(LEDGER_PAGE)));

_Static_assert(sizeof own == LEDGER_PAGE, "one page");

/* The capture is put together here and copied into the slot whole. Only touched pages cost. */
static unsigned char workspace[LEDGER_SLOT_MAX - sizeof(struct ledger_slot) + SLOT_PATH_ROOM]
    __attribute__((aligned(8)));

static int forget_on_fork(void)
{
    return system_call6(SYS_madvise, (long)&own, sizeof own, MADV_WIPEONFORK, 0, 0, 0) == 0;
}

static const struct link_map *last_object(const struct r_debug *loader)
{
    const struct link_map *last = loader == NULL ? NULL : loader->r_map;
    while (last != NULL && last->l_next != NULL)
        last = last->l_next;
    return last;
}

/* What names the process beside its pid. Slurm's own tasks are known by their true start. */
static void fill_start(const struct slot_claim *claim, const struct switches *switches,
                       clock_function *now)
{
    struct ledger_slot *slot = claim->slot;
    struct proc_stat self;
    slot->start_ticks = 0;
    int may_be_task = switches->task_pid == 0 || switches->task_pid == slot->pid;
    if (slot_first(claim->header, slot->pid) && !may_be_task) {
        slot->start_ticks = clock_boot_ticks(now);
        slot->flags |= LEDGER_SLOT_FIRST;
    } else if (proc_stat(0, &self)) {
        slot->start_ticks = self.start_ticks;
    }
}

static void fill_slot(struct ledger_slot *slot, const struct run_start *start,
                      const struct proc_stat *self, const struct fields *fields, uint64_t start_ns)
{
    slot->flags = fields->slot_flags;
    slot->pid = self->pid;
    slot->ppid = self->ppid;
    slot->start_ns = start_ns;
    slot->end_ns = 0;
    slot->rank = start->switches->rank;
    slot->size = start->switches->size;
    slot->signal = 0;
    slot->probability = 0;
    slot->gpus = 0;
    slot->random =
        uuid_make(start_ns, (uint64_t)(uint32_t)self->pid << 32 ^ slot->offset, slot->uuid);
    memcpy(slot + 1, fields->start, fields->used);
    slot->fields_bytes = (uint32_t)fields->used;
}

/* What the end will need, as neither arguments nor environment are the process's own by then. */
static void keep(const struct run_start *start, const struct slot_claim *claim, clock_function *now,
                 int pid)
{
    own.run.now = now;
    own.run.loader = image_loader(start->image);
    own.run.last_object = last_object(own.run.loader);
    own.run.gpu = start->switches->gpu;
    own.run.pid = pid;
    trace_start(&own.run.trace, start->switches, start->path->text, start->path->length);
    own.run.claim = *claim;
}

/* Signed by the handler of a signal that ends the process. A vforked child shares this memory, but
 * is another process. */
static void end_by_signal(int signal)
{
    struct ledger_slot *slot = own.run.claim.slot;
    if (slot == NULL || own.run.pid != (int)system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0))
        return;
    slot->signal = (uint32_t)signal;
    run_end();
}

int run_begin(const struct run_start *start, int pkgs)
{
    const struct proc_stat self = {
        .pid = (int32_t)system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0),
        .ppid = (int32_t)system_call6(SYS_getppid, 0, 0, 0, 0, 0, 0),
    };
    struct slot_claim claim;
    struct fields fields = {.start = workspace, .room = sizeof workspace - SLOT_PATH_ROOM};
    clock_function *now = clock_find(start->image);
    uint64_t start_ns = clock_now(now);

    struct capture_source source = {start->image, start->switches, start->policy, start->path,
                                    &self};
    capture_fill(&source, &fields);
    size_t size = sizeof *claim.slot + fields.used + (pkgs ? LATER_BYTES_PKGS : LATER_BYTES);
    if (size > LEDGER_SLOT_MAX)
        size = LEDGER_SLOT_MAX;
    /* Behind the fields there is room for a path: the workspace holds more than a slot. */
    char *scratch = (char *)workspace + fields.used;
    if (!forget_on_fork() || !slot_claim(start->switches->spool, size, scratch, &claim))
        return 0;
    int always = sampling_always(start->policy, start->switches);
    sampling_choose(start->policy, start->switches, &own.run.sampling);
    fields.slot_flags |= (pkgs ? LEDGER_SLOT_PKGS : 0) | (always ? LEDGER_SLOT_START : 0) |
                         (own.run.sampling.count == 0 ? LEDGER_SLOT_KEEP : 0);
    fill_slot(claim.slot, start, &self, &fields, start_ns);
    fill_start(&claim, start->switches, now);
    slot_open(claim.slot);
    keep(start, &claim, now, self.pid);
    if (start->switches->signal_handler == SWITCH_YES)
        signals_catch(end_by_signal);
    if (always)
        wake_watcher(start->switches->spool);
    return 1;
}

/* Objects that were loaded since the start and are still there stand behind the last one of the
 * start in the link map. */
static void add_later_objects(struct ledger_slot *slot)
{
    const struct r_debug *loader = own.run.loader;
    struct fields fields = {
        .start = (unsigned char *)(slot + 1),
        .room = slot->slot_bytes - sizeof *slot,
        .used = slot->fields_bytes,
        .slot_flags = slot->flags,
    };
    if (own.run.last_object == NULL)
        return;
    const struct link_map *entry = own.run.last_object->l_next;
    for (; entry != NULL && image_is_consistent(loader); entry = entry->l_next) {
        if (image_is_object(entry))
            fields_put(&fields, LEDGER_LOADED, entry->l_name, text_length(entry->l_name));
    }
    slot->flags = fields.slot_flags;
    slot->fields_bytes = (uint32_t)fields.used;
}

static void say_end(const char *what)
{
    trace_text(&own.run.trace, what);
    trace_say(&own.run.trace);
}

void run_end(void)
{
    struct slot_claim claim = own.run.claim;
    struct ledger_slot *slot = claim.slot;
    if (slot == NULL)
        return;
    own.run.claim.slot = NULL;
    uint64_t end_ns = clock_now_coarse(own.run.now);
    if (end_ns < slot->start_ns)
        end_ns = slot->start_ns;
    uint64_t run_ns = end_ns - slot->start_ns;
    const struct policy_interval *interval = sampling_find(&own.run.sampling, run_ns);
    if (interval != NULL && slot->random > interval->threshold) {
        say_end("ended, sampled out");
        slot_discard(&claim);
        return;
    }
    slot->probability = interval == NULL ? 1 : interval->probability;
    add_later_objects(slot);
    if (own.run.gpu != SWITCH_NO)
        slot->gpus = devices_count(own.run.loader);
    slot_end(&claim, end_ns);
    say_end("ended, recorded");
}
