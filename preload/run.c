/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/run.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "preload/capture.h"
#include "preload/clock.h"
#include "preload/devices.h"
#include "preload/ledger.h"
#include "preload/loaded.h"
#include "preload/memory.h"
#include "preload/private.h"
#include "preload/proc.h"
#include "preload/routines.h"
#include "preload/slot.h"
#include "preload/stub.h"
#include "preload/system.h"
#include "preload/trace.h"

/* ---- Signals --------------------------------------------------------------------------------- */

/* The optional signal handler (XALT_SIGNAL_HANDLER): signs the end of a run that is ended by a
 * signal without a handler of the program's own. The signal then ends the process as without us. */

/* struct sigaction as the kernel has it (rt_sigaction(2)); its set is 64 bits everywhere. */
struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

enum { MASK_BYTES = 8 };

/* In .data: see private.c. */
static void (*callback)(int) __attribute__((section(".data")));

#ifdef __x86_64__
__asm__(".pushsection .text\n"
        ".type jobtrail_return, @function\n"
        "jobtrail_return:\n"
        "    mov $15, %eax\n" /* rt_sigreturn */
        "    syscall\n"
        ".popsection\n");
extern void jobtrail_return(void) __attribute__((visibility("hidden")));
#define RESTORER      jobtrail_return
#define RESTORER_FLAG 0x04000000u /* SA_RESTORER */
#elif defined(__i386__)
__asm__(".pushsection .text\n"
        ".type jobtrail_return, @function\n"
        "jobtrail_return:\n"
        "    mov $173, %eax\n" /* rt_sigreturn */
        "    int $0x80\n"
        ".popsection\n");
extern void jobtrail_return(void) __attribute__((visibility("hidden")));
#define RESTORER      jobtrail_return
#define RESTORER_FLAG 0x04000000u
#else
#define RESTORER      NULL /* the kernel's own, from the vDSO */
#define RESTORER_FLAG 0u
#endif

static long set_action(int number, const struct kernel_action *action, struct kernel_action *old)
{
    return system_call6(SYS_rt_sigaction, number, (long)action, (long)old, MASK_BYTES, 0, 0);
}

/* SA_RESETHAND has restored the default, and the signal is blocked while the handler runs. So the
 * signal that is sent here waits for the return, and then ends the process. */
static void on_signal(int number)
{
    if (callback != NULL)
        callback(number);
    long pid = system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0);
    long tid = system_call6(SYS_gettid, 0, 0, 0, 0, 0, 0);
    system_call6(SYS_tgkill, pid, tid, number, 0, 0, 0);
}

/* From now on the handler calls `caught` with the signal's number, and then lets the signal end the
 * process. Only signals whose disposition is the default are caught. */
static void signals_catch(void (*caught)(int signal))
{
    static const int numbers[] = {SIGHUP, SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,
                                  SIGFPE, SIGSEGV, SIGTERM, SIGXCPU, SIGSYS};
    const struct kernel_action action = {
        .handler = on_signal,
        .flags = (unsigned long)SA_RESETHAND | RESTORER_FLAG,
        .restorer = RESTORER,
    };
    callback = caught;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct kernel_action old = {.handler = NULL};
        if (!system_failed(set_action(numbers[i], NULL, &old)) && old.handler == SIG_DFL)
            set_action(numbers[i], &action, NULL);
    }
}

/* ---- The run --------------------------------------------------------------------------------- */

/* Writes a byte to a pipe. Its reader may end before, and the SIGPIPE of that is not the program's:
 * it is blocked for the thread, and taken, unless such a signal waited already. */
static void write_byte(int pipe)
{
    const uint64_t set = UINT64_C(1) << (SIGPIPE - 1);
    const long no_time[2] = {0, 0};
    uint64_t mask, waiting = set;
    if (system_failed(
            system_call6(SYS_rt_sigprocmask, SIG_BLOCK, (long)&set, (long)&mask, MASK_BYTES, 0, 0)))
        return;
    system_call6(SYS_rt_sigpending, (long)&waiting, MASK_BYTES, 0, 0, 0, 0);
    if (system_call6(SYS_write, pipe, (long)"", 1, 0, 0, 0) == -EPIPE && (waiting & set) == 0)
        system_call6(SYS_rt_sigtimedwait, (long)&set, 0, (long)no_time, MASK_BYTES, 0, 0);
    system_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, MASK_BYTES, 0, 0);
}

/* Wakes the node's watcher (jobtrail-submit watch), since a run has begun whose start gets a record
 * of its own. The pipe lies in the node's directory, two levels above `spool` (JOBTRAIL_SPOOL),
 * where nobody but the owner of both can make names: above a session's, where all can, there is no
 * watcher, and a pipe is a stranger's. In a user namespace root's owner is nobody. The byte has no
 * meaning: the watcher looks at the ledgers. Without a watcher nothing happens. `path`: scratch
 * space of `room` bytes. */
static void wake_watcher(const char *spool, char *path, size_t room)
{
    struct stat place, status;
    char *end = text_append(path, path + room, spool);
    if (end == NULL || text_append(end, path + room, "/../..") == NULL)
        return;
    int directory = system_open(path, O_PATH | O_DIRECTORY);
    if (directory < 0)
        return;
    int fd = (int)system_call6(SYS_openat, directory, (long)LEDGER_WAKE,
                               O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0, 0, 0);
    if (fd >= 0 && system_stat(directory, &place) == 0 && system_stat(fd, &status) == 0 &&
        S_ISFIFO(status.st_mode) && status.st_uid == place.st_uid &&
        (place.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        write_byte(fd);
    if (fd >= 0)
        system_close(fd);
    system_close(directory);
}

/* Room after the capture for objects that are loaded while the program runs, and in every slot for
 * the number of those that are not listed. */
enum {
    LATER_BYTES = 2 << 10,
    LATER_BYTES_PKGS = 16 << 10,
    NUMBER_BYTES = sizeof(struct ledger_field) + 8,
};

/* The process that claimed a slot signs it; a forked child must not. All that signing needs lies in
 * private memory that the kernel fills with zeros in a forked child. So a child finds that there
 * was no capture. */
struct own {
    struct slot_claim claim; /* claim.slot is NULL: nothing to sign */
    struct ledger_slot head; /* as it was published, but for what slot_publish() sets */
    uint64_t monotonic_ns;   /* at the start */
    uint32_t fields_end;     /* bytes of fields in the slot */
    clock_function *now;
    const struct r_debug *loader;
    const struct link_map *last_object; /* of the start; never unloaded */
    uint32_t objects, unlisted;         /* up to that one; of these, those that have no field */
    struct sampling sampling;
    enum switch_state gpu;
    bool is_signaled;        /* the end is in a signal's handler, where no lock may be taken */
    unsigned char *captured; /* the fields, in private memory */
    struct trace *trace;     /* its line is started; NULL: not traced */
};

_Static_assert(sizeof(struct own) <= PRIVATE_RUN_BYTES, "it has its place");

static struct own *own_of(struct private_memory *memory)
{
    return (struct own *)(void *)memory->run;
}

/* What was kept for the end; NULL: nothing was captured. */
static struct own *own_kept(void)
{
    struct private_memory *memory = private_known();
    return memory == NULL || own_of(memory)->claim.slot == NULL ? NULL : own_of(memory);
}

static void find_last_object(struct own *own)
{
    const struct link_map *entry = own->loader == NULL ? NULL : own->loader->r_map;
    for (; entry != NULL; entry = entry->l_next) {
        own->last_object = entry;
        own->objects++;
    }
}

/* The start identifies the process, with its pid. For Slurm's tasks it is that in the journal. */
static void fill_start(struct slot_claim *claim, const struct switches *switches,
                       struct ledger_slot *head)
{
    struct proc_stat self;
    int may_be_task = switches->task_pid == 0 || switches->task_pid == head->pid;
    if (slot_count_run(claim, head->pid) && !may_be_task) {
        head->start_ticks = head->up_ns / (1000000000u / 100);
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
    head.random = uuid_make(start->image->random, start_ns,
                            (uint64_t)(uint32_t)self->pid << 32 ^ offset, head.uuid);
    return head;
}

/* Stores what the end needs. By then the program may have changed its arguments and environment. */
static void keep_for_end(const struct run_start *start, const struct slot_claim *claim,
                         clock_function *now, const struct ledger_slot *head, size_t fields_end,
                         struct private_memory *memory)
{
    struct own *own = own_of(memory);
    own->head = *head;
    own->captured = memory->work;
    own->fields_end = (uint32_t)fields_end;
    own->now = now;
    own->loader = image_loader(start->image);
    find_last_object(own);
    own->gpu = start->switches->gpu;
    if (start->switches->trace != TRACE_OFF) {
        own->trace = &memory->trace;
        trace_start(own->trace, start->switches, start->path->text, start->path->length);
    }
    own->claim = *claim;
}

/* Called in the handler of a signal. A vforked child shares this memory, but has another pid. */
static void end_by_signal(int signal)
{
    struct own *own = own_kept();
    if (own == NULL || own->head.pid != (int)system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0))
        return;
    own->claim.slot->signal = (uint32_t)signal;
    own->is_signaled = true;
    run_end();
}

/* Captures into the ledger. */
static int begin_in(const struct run_start *start, int pkgs, const struct slot_ledger *ledger,
                    struct private_memory *memory)
{
    const void *policy = start->policy->base;
    const struct proc_stat self = {
        .pid = (int32_t)system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0),
        .ppid = (int32_t)system_call6(SYS_getppid, 0, 0, 0, 0, 0, 0),
    };
    struct slot_claim claim;
    struct sampling *sampling = &own_of(memory)->sampling;
    struct fields fields = {.start = memory->work,
                            .room = sizeof memory->work - SLOT_PATH_ROOM - NUMBER_BYTES};
    clock_function *now = clock_find(start->image);
    uint64_t start_ns = clock_now(now), up_ns = clock_boot(now);
    own_of(memory)->monotonic_ns = clock_monotonic_coarse(now);
    const struct capture_source source = {
        .image = start->image,
        .switches = start->switches,
        .policy = start->policy,
        .path = start->path,
        .self = &self,
        .head = ledger->header,
    };
    uint64_t name_space = capture_fill(&source, &fields);
    const size_t later = pkgs ? LATER_BYTES_PKGS : LATER_BYTES;
    routines_choose(start->image, policy, later, &fields);
    size_t size = sizeof(struct ledger_slot) + fields.used + later;
    int always = sampling_is_always_kept(policy, start->switches);
    sampling_choose(policy, start->switches, sampling);
    if (!slot_claim(ledger, size > LEDGER_SLOT_MAX ? LEDGER_SLOT_MAX : size, sampling->count > 0,
                    &claim))
        return 0;
    struct ledger_slot head = make_head(start, &self, claim.offset, start_ns);
    head.name_space = name_space;
    head.up_ns = up_ns;
    head.table = sampling->table;
    head.flags = fields.slot_flags | (pkgs ? LEDGER_SLOT_PKGS : 0) |
                 (always ? LEDGER_SLOT_START : 0) | (sampling->count == 0 ? LEDGER_SLOT_KEEP : 0);
    fill_start(&claim, start->switches, &head);
    slot_publish(&claim, &head, fields.start, fields.used, fields.blank);
    keep_for_end(start, &claim, now, &head, fields.used, memory);
    own_of(memory)->unlisted = fields.unlisted;
    routines_point(claim.slot, now);
    if (start->switches->signal_handler == SWITCH_YES)
        signals_catch(end_by_signal);
    if (always)
        wake_watcher(start->switches->spool, (char *)memory->work, SLOT_PATH_ROOM);
    return 1;
}

int run_begin(const struct run_start *start, int pkgs)
{
    struct slot_ledger ledger;
    struct private_memory *memory = private_memory();
    if (memory == NULL || !private_forget_on_fork(memory))
        return 0;
    char *scratch = private_path(memory);
    if (start->path->text == scratch)
        scratch += start->path->length;
    if (!slot_open_ledger(start->switches->spool, start->image->user, start->image->page_bytes,
                          scratch, &ledger))
        return 0;
    int begun = begin_in(start, pkgs, &ledger, memory);
    slot_close_ledger(&ledger, begun);
    return begun;
}

/* A callback of dl_iterate_phdr(3), for the first object. */
static int take_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs))
        *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

/* How many objects the loader has loaded so far, in all name spaces, unloaded ones too; 0 with
 * musl, which never unloads any. glibc tells this in dl_iterate_phdr(3) alone. Another thread may
 * hold its lock as long as it likes, so whether the number is known is returned: only where there
 * is none. */
static bool count_loads(const struct r_debug *loader, unsigned long long *loads)
{
    const struct link_map *entry = loader->r_map;
    *loads = 0;
    while (entry != NULL &&
           (entry->l_name == NULL || !text_equal(text_last_part(entry->l_name), "libc.so.6")))
        entry = entry->l_next;
    if (entry == NULL)
        return true;
    const struct loaded libc = loaded_read(entry);
    const char *is_single = loaded_data(&libc, "__libc_single_threaded");
    int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *) =
        (void *)loaded_function(&libc, "dl_iterate_phdr");
    if (is_single == NULL || *is_single == 0 || iterate == NULL)
        return false;
    iterate(take_loads, loads);
    return true;
}

/* In the link map, objects that were loaded since the start and are still loaded follow the last
 * object of the start. What a relative name stands for is not known any more. */
static void add_later_objects(const struct own *own, const struct slot_claim *claim)
{
    struct ledger_slot *slot = claim->slot;
    struct fields fields = {
        .start = (unsigned char *)(slot + 1),
        .room = claim->size - sizeof *slot - NUMBER_BYTES,
        .used = own->fields_end,
        .slot_flags = own->head.flags,
    };
    if (own->last_object == NULL)
        return;
    unsigned long long loads = 0;
    bool is_known = !own->is_signaled && count_loads(own->loader, &loads);
    unsigned long long listed = own->objects - own->unlisted, skipped = own->unlisted;
    const struct link_map *entry = own->last_object->l_next;
    for (; entry != NULL && image_is_consistent(own->loader); entry = entry->l_next) {
        bool is_object = image_is_object(entry);
        size_t length = is_object ? text_length(entry->l_name) : 0;
        bool has_room = fields.room - fields.used >= sizeof(struct ledger_field) + length;
        if (is_object && (!has_room || entry->l_name[0] != '/')) {
            skipped++;
            continue;
        }
        listed++;
        if (is_object)
            fields_put(&fields, LEDGER_LOADED, entry->l_name, length);
    }
    uint32_t unlisted = (uint32_t)(loads > listed ? loads - listed : skipped);
    if (!is_known && skipped > 0) { /* so many at the least */
        fields.slot_flags |= LEDGER_SLOT_CUT;
    } else if (is_known) {
        fields.room += NUMBER_BYTES;
        fields_put(&fields, LEDGER_UNLISTED, &unlisted, sizeof unlisted);
    }
    slot->flags = fields.slot_flags;
    slot->fields_bytes = (uint32_t)fields.used;
}

static void trace_end(const struct own *own, const char *what)
{
    if (own->trace == NULL)
        return;
    trace_text(own->trace, what);
    trace_write(own->trace);
}

/* Leaves of the run that it was, and how long. */
static void leave_stub(const struct own *own, const struct slot_claim *claim, uint64_t end_ns,
                       uint64_t elapsed_ns)
{
    const struct ledger_slot *head = &own->head;
    const struct stub_source source = {
        .head = {.start_ns = head->start_ns,
                 .end_ns = end_ns,
                 .elapsed_ns = elapsed_ns,
                 .start_ticks = head->start_ticks,
                 .pid = head->pid,
                 .ppid = head->ppid,
                 .rank = head->rank,
                 .size = head->size,
                 .flags = head->flags & LEDGER_SLOT_FIRST ? LEDGER_STUB_FIRST : 0},
        .captured = own->captured,
        .captured_bytes = own->fields_end,
        .room = sizeof((struct private_memory *)NULL)->work,
    };
    uint32_t stub_bytes = stub_write(claim, &source);
    if (stub_bytes != 0)
        slot_leave_stub(claim, stub_bytes);
    else
        slot_discard(claim, elapsed_ns);
}

void run_end(void)
{
    struct own *own = own_kept();
    if (own == NULL)
        return;
    struct slot_claim claim = own->claim;
    own->claim.slot = NULL;
    uint64_t end_ns = clock_now_coarse(own->now), start_ns = own->head.start_ns;
    if (end_ns < start_ns && start_ns - end_ns < LEDGER_CLOCK_STEP_NS)
        end_ns = start_ns;
    /* Whoever sets the clock does not change this. 0 would be unknown. */
    uint64_t elapsed_ns = clock_monotonic_coarse(own->now) - own->monotonic_ns;
    if (elapsed_ns == 0)
        elapsed_ns = 1;
    const struct policy_interval *interval = sampling_find(&own->sampling, elapsed_ns);
    if (routines_were_called())
        interval = NULL;
    if (interval != NULL && own->head.random > interval->threshold) {
        leave_stub(own, &claim, end_ns, elapsed_ns);
        trace_end(own, "ended, sampled out");
        return;
    }
    claim.slot->probability = interval == NULL ? 1 : interval->probability;
    claim.slot->elapsed_ns = elapsed_ns;
    add_later_objects(own, &claim);
    if (own->gpu != SWITCH_NO)
        claim.slot->gpus = devices_count(own->loader);
    slot_end(&claim, end_ns, LEDGER_END_OWN);
    trace_end(own, "ended, recorded");
}
