/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the loader calls: before main() a capture, after it a signature. Whatever is not as
 * expected means no capture; nothing here prints, exits, waits or keeps a descriptor.
 */
#include "capture.h"
#include "clock.h"
#include "decide.h"
#include "image.h"
#include "memory.h"
#include "proc.h"
#include "slot.h"
#include "switches.h"
#include "system.h"
#include "uuid.h"

/* The process that claimed a slot signs it, a forked child must not. All that signing needs lies
 * in this one page, which the kernel hands to a forked child zeroed (madvise(2),
 * MADV_WIPEONFORK): to the child there was no capture. */
static union {
    struct {
        struct ledger_slot *slot; /* NULL: nothing to sign */
        clock_function *now;
    } run;
    unsigned char page[LEDGER_PAGE];
} own __attribute__((aligned(LEDGER_PAGE)));

/* The capture is put together here and copied into the slot whole. Only touched pages cost. */
static unsigned char workspace[LEDGER_SLOT_MAX - sizeof(struct ledger_slot)]
    __attribute__((aligned(8)));
static struct decide_path exec_path;

static int forget_on_fork(void)
{
    return system_call6(SYS_madvise, (long)&own, sizeof own, MADV_WIPEONFORK, 0, 0, 0) == 0;
}

static int find_exec_path(const struct image *image)
{
    long length = system_readlink("/proc/self/exe", exec_path.text, sizeof exec_path.text);
    if (length > 0) {
        exec_path.length = (size_t)length;
        return 1;
    }
    if (image->exec_name == NULL)
        return 0;
    exec_path.length = text_length(image->exec_name);
    if (exec_path.length > sizeof exec_path.text)
        return 0;
    memcpy(exec_path.text, image->exec_name, exec_path.length);
    return 1;
}

static void fill_slot(struct ledger_slot *slot, const struct fields *fields)
{
    memcpy(slot + 1, fields->start, fields->used);
    slot->fields_bytes = (uint32_t)fields->used;
}

static void track(const struct image *image, const struct switches *switches, const void *policy,
                  int pkgs)
{
    struct proc_stat self;
    struct slot_claim claim;
    struct fields fields = {.start = workspace, .room = sizeof workspace};
    clock_function *now = clock_find(image);
    uint64_t start_ns = clock_now(now);

    if (!proc_stat(0, &self))
        self = (struct proc_stat){.pid = (int32_t)system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0),
                                  .ppid = (int32_t)system_call6(SYS_getppid, 0, 0, 0, 0, 0, 0)};
    struct capture_source source = {image, switches, policy, &exec_path, self.ppid};
    capture_fill(&source, &fields);
    if (!forget_on_fork() || !slot_claim(switches->spool, sizeof *claim.slot + fields.used, &claim))
        return;

    struct ledger_slot *slot = claim.slot;
    slot->flags = fields.slot_flags | (pkgs ? LEDGER_SLOT_PKGS : 0);
    slot->pid = self.pid;
    slot->ppid = self.ppid;
    slot->start_ticks = self.start_ticks;
    slot->start_ns = start_ns;
    slot->end_ns = 0;
    slot->rank = switches->rank;
    slot->size = switches->size;
    uuid_make(start_ns, (uint64_t)(uint32_t)self.pid << 32 ^ self.start_ticks, slot->uuid);
    fill_slot(slot, &fields);
    slot_open(slot);
    own.run.now = now;
    own.run.slot = slot;
}

__attribute__((constructor)) static void jobtrail_start(int argc, char **argv, char **envp)
{
    struct image image;
    struct switches switches;
    struct decide_policy policy;
    int pkgs = 0;

    if (!image_find(argc, argv, envp, &image))
        return;
    switches_read(image.envp, &switches);
    if (!decide_by_switches(&switches) || !find_exec_path(&image) ||
        !decide_map(switches.policy, &policy))
        return;
    if (decide_by_policy(&policy, &exec_path, &pkgs))
        track(&image, &switches, policy.base, pkgs);
    decide_unmap(&policy);
}

__attribute__((destructor)) static void jobtrail_end(void)
{
    struct ledger_slot *slot = own.run.slot;
    if (slot == NULL)
        return;
    own.run.slot = NULL;
    slot_end(slot, clock_now(own.run.now));
}
