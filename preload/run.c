/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/run.h"

#include <stdbool.h>

#include "preload/capture.h"
#include "preload/clock.h"
#include "preload/devices.h"
#include "preload/memory.h"
#include "preload/proc.h"
#include "preload/sampling.h"
#include "preload/signals.h"
#include "preload/slot.h"
#include "preload/system.h"
#include "preload/trace.h"
#include "preload/uuid.h"
#include "preload/wake.h"

/* Room after the capture for objects that are loaded while the program runs. */
enum { LATER_BYTES = 2 << 10, LATER_BYTES_PKGS = 16 << 10 };

/* The process that claimed a slot signs it; a forked child must not. All that signing needs lies in
 * this page, which the kernel fills with zeros in a forked child (madvise(2), MADV_WIPEONFORK). So
 * a child finds that there was no capture. */
static union {
    struct {
        struct slot_claim claim; /* claim.slot is NULL: nothing to sign */
        uint64_t start_ns;
        uint64_t random;     /* what sampling compares with */
        uint32_t flags;      /* LEDGER_SLOT_* */
        uint32_t fields_end; /* bytes of fields in the slot */
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

/* The capture is put together here and then copied into the slot. Pages that are not touched take
 * no memory. */
static unsigned char workspace[LEDGER_SLOT_MAX - sizeof(struct ledger_slot) + SLOT_PATH_ROOM]
    __attribute__((aligned(8)));

static bool forget_on_fork(void)
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

/* The start identifies the process, with its pid. For Slurm's tasks it is that in the journal. */
static void fill_start(struct slot_claim *claim, const struct switches *switches,
                       clock_function *now, struct ledger_slot *head)
{
    struct proc_stat self;
    int may_be_task = switches->task_pid == 0 || switches->task_pid == head->pid;
    if (slot_count_run(claim, head->pid) && !may_be_task) {
        head->start_ticks = clock_boot_ticks(now);
        head->flags |= LEDGER_SLOT_FIRST;
    } else if (proc_stat(0, &self)) {
        head->start_ticks = self.start_ticks;
    }
}

/* The slot's head, in private memory. */
static struct ledger_slot make_head(const struct run_start *start, const struct proc_stat *self,
                                    uint64_t offset, uint64_t start_ns)
{
    struct ledger_slot head = {
        .pid = self->pid,
        .ppid = self->ppid,
        .start_ns = start_ns,
        .rank = start->switches->rank,
        .size = start->switches->size,
    };
    head.random = uuid_make(start_ns, (uint64_t)(uint32_t)self->pid << 32 ^ offset, head.uuid);
    return head;
}

/* Stores what the end needs. By then the program may have changed its arguments and environment. */
static void keep_for_end(const struct run_start *start, const struct slot_claim *claim,
                         clock_function *now, const struct ledger_slot *head, size_t fields_end)
{
    own.run.start_ns = head->start_ns;
    own.run.random = head->random;
    own.run.flags = head->flags;
    own.run.fields_end = (uint32_t)fields_end;
    own.run.now = now;
    own.run.loader = image_loader(start->image);
    own.run.last_object = last_object(own.run.loader);
    own.run.gpu = start->switches->gpu;
    own.run.pid = head->pid;
    trace_start(&own.run.trace, start->switches, start->path->text, start->path->length);
    own.run.claim = *claim;
}

/* Called in the handler of a signal. A vforked child shares this memory, but has another pid. */
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
    size_t size =
        sizeof(struct ledger_slot) + fields.used + (pkgs ? LATER_BYTES_PKGS : LATER_BYTES);
    if (size > LEDGER_SLOT_MAX)
        size = LEDGER_SLOT_MAX;
    /* The workspace is larger than a slot: there is room for a path after the fields. */
    char *scratch = (char *)workspace + fields.used;
    if (!forget_on_fork() ||
        !slot_claim(start->switches->spool, start->image->user, size, scratch, &claim))
        return 0;
    int always = sampling_is_always_kept(start->policy, start->switches);
    sampling_choose(start->policy, start->switches, &own.run.sampling);
    struct ledger_slot head = make_head(start, &self, claim.offset, start_ns);
    head.flags = fields.slot_flags | (pkgs ? LEDGER_SLOT_PKGS : 0) |
                 (always ? LEDGER_SLOT_START : 0) |
                 (own.run.sampling.count == 0 ? LEDGER_SLOT_KEEP : 0);
    fill_start(&claim, start->switches, now, &head);
    slot_open(&claim, &head, fields.start, fields.used);
    keep_for_end(start, &claim, now, &head, fields.used);
    if (start->switches->signal_handler == SWITCH_YES)
        signals_catch(end_by_signal);
    if (always)
        wake_watcher(start->switches->spool);
    return 1;
}

/* In the link map, objects that were loaded since the start and are still loaded follow the last
 * object of the start. */
static void add_later_objects(const struct slot_claim *claim)
{
    struct ledger_slot *slot = claim->slot;
    const struct r_debug *loader = own.run.loader;
    struct fields fields = {
        .start = (unsigned char *)(slot + 1),
        .room = claim->size - sizeof *slot,
        .used = own.run.fields_end,
        .slot_flags = own.run.flags,
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

static void trace_end(const char *what)
{
    trace_text(&own.run.trace, what);
    trace_write(&own.run.trace);
}

void run_end(void)
{
    struct slot_claim claim = own.run.claim;
    struct ledger_slot *slot = claim.slot;
    if (slot == NULL)
        return;
    own.run.claim.slot = NULL;
    uint64_t end_ns = clock_now_coarse(own.run.now);
    if (end_ns < own.run.start_ns)
        end_ns = own.run.start_ns;
    uint64_t run_ns = end_ns - own.run.start_ns;
    const struct policy_interval *interval = sampling_find(&own.run.sampling, run_ns);
    if (interval != NULL && own.run.random > interval->threshold) {
        trace_end("ended, sampled out");
        slot_discard(&claim);
        return;
    }
    slot->probability = interval == NULL ? 1 : interval->probability;
    add_later_objects(&claim);
    if (own.run.gpu != SWITCH_NO)
        slot->gpus = devices_count(own.run.loader);
    slot_end(&claim, end_ns);
    trace_end("ended, recorded");
}
