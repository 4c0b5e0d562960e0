/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the loader calls: the run is captured before main() and signed after it. After any failure
 * there is no capture. Nothing here exits, waits or keeps a descriptor, and nothing prints unless
 * XALT_TRACING is set. In a program with more rights than its caller (set-user-id, set-group-id,
 * file capabilities) nothing is done, since its environment comes from the caller. The loader
 * preloads nothing there, but the copy that jobtrail-ld has linked in is called.
 */
#include <stdbool.h>

#include "conf/policy/policy_read.h"
#include "preload/decide.h"
#include "preload/exec_path.h"
#include "preload/image.h"
#include "preload/memory.h"
#include "preload/predecessor.h"
#include "preload/proc.h"
#include "preload/run.h"
#include "preload/runtime.h"
#include "preload/switches.h"
#include "preload/system.h"
#include "preload/trace.h"

/* ---- What could not be written --------------------------------------------------------------- */

/* How a process that cannot leave its capture tells so: where the spool is read-only, as in a
 * sandbox, its ledger is full, or variables are missing. One page of the library's data is made
 * executable for a moment, without being writable then. The kernel tells root of each file that is
 * mapped so, and from where in the file on: the library's code is at its start, its data is not. So
 * the kernel witness (contrib/witness/kernel_processes.c) sees it, of this process alone, and no
 * file is needed. Where it is refused, and where system calls are filtered or /proc does not say
 * that they are not, nothing is told: the filter may end the process. */

enum { STATUS_ROOM = 4096 };

static bool protect(uintptr_t page, size_t bytes, int protection)
{
    return !system_failed(system_call6(SYS_mprotect, (long)page, (long)bytes, protection, 0, 0, 0));
}

/* Whether the kernel says that nobody filters the process's system calls. A filter may end it for a
 * page that becomes executable; no loader needs that. */
static bool is_unfiltered(void)
{
    static const char unfiltered[] = "\nSeccomp:\t0";
    char status[STATUS_ROOM];
    const size_t size = proc_read(0, "/status", status, sizeof status),
                 length = sizeof unfiltered - 1;
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(&status[i], unfiltered, length) == 0)
            return true;
    return false;
}

/* The last thing that the library does in the process. Only the shared library tells: the pages of
 * a copy that was linked into a program are the program's. */
static void unwritten_tell(const struct image *image)
{
    const uintptr_t data = image_own_data(image_loader(image));
    const uintptr_t page = data - data % image->page_bytes;
    if (data != 0 && is_unfiltered() && protect(page, image->page_bytes, PROT_READ | PROT_EXEC))
        protect(page, image->page_bytes, PROT_READ | PROT_WRITE);
}

static __attribute__((noinline)) void trace_decision(const struct switches *switches,
                                                     const struct exec_path *path,
                                                     const struct decision *decision,
                                                     const char *conf)
{
    struct trace trace;
    if (switches->trace == TRACE_OFF)
        return;
    trace_start(&trace, switches, path->text, path->length);
    trace_text(&trace, decision->why);
    if (decision->line != 0 && conf != NULL) {
        trace_text(&trace, " (");
        trace_text(&trace, conf);
        trace_text(&trace, ":");
        trace_number(&trace, decision->line);
        trace_text(&trace, ")");
    }
    trace_write(&trace);
}

enum outcome { RECORDED, LEFT_OUT, UNWRITTEN };

static enum outcome start_by_policy(const struct image *image, const struct switches *switches,
                                    const struct exec_path *path)
{
    struct decide_policy policy;
    if (!decide_map(switches->policy, image->user, &policy)) {
        struct decision by_switches = decide_by_switches(switches);
        if (by_switches.track)
            by_switches.why = "not tracked: no usable policy";
        trace_decision(switches, path, &by_switches, NULL);
        return by_switches.track ? UNWRITTEN : LEFT_OUT;
    }
    const struct run_start start = {image, switches, &policy, path};
    struct decision decision = decide_by_policy(&policy, switches, image, path);
    if (switches->trace != TRACE_OFF) /* the name is in a page that nothing else needs */
        trace_decision(switches, path, &decision, policy_string(policy.base, POLICY_CONF));
    if (decision.runtime)
        runtime_leave(image);
    if (!decision.track)
        return LEFT_OUT;
    if (run_begin(&start, decision.pkgs))
        return RECORDED;
    trace_decision(switches, path,
                   &(struct decision){.why = "not recorded: no room in the job's spool"}, NULL);
    return UNWRITTEN;
}

__attribute__((constructor)) static void jobtrail_start(int argc, char **argv, char **envp)
{
    struct image image;
    struct switches switches;
    struct exec_path path = {.length = 0};
    if (!proc_find_image(argc, argv, envp, &image) || image.secure)
        return;
    switches_read(image.envp, &switches);
    struct decision decision = decide_by_switches(&switches);
    if (switches.spool == NULL || switches.policy == NULL) {
        if (decision.track && image_is_first_copy(image_loader(&image)))
            unwritten_tell(&image);
        return;
    }
    if (!image_is_first_copy(image_loader(&image)))
        return;
    bool asks = decision.track || runtime_has_name(image.exec_name);
    if ((asks || switches.trace != TRACE_OFF) && !exec_path_find(&image, &path))
        return;
    enum outcome outcome = LEFT_OUT;
    if (asks)
        outcome = start_by_policy(&image, &switches, &path);
    else
        trace_decision(&switches, &path, &decision, NULL);
    if (outcome != RECORDED)
        predecessor_end(&image, switches.spool);
    if (outcome == UNWRITTEN)
        unwritten_tell(&image);
}

__attribute__((destructor)) static void jobtrail_end(void)
{
    run_end();
}
