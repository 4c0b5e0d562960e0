/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the loader calls: the run is captured before main() and signed after it. After any failure
 * there is no capture. Nothing here exits, waits or keeps a descriptor, and nothing prints unless
 * XALT_TRACING is set. In a program with more rights than its caller (set-user-id, set-group-id,
 * file capabilities) nothing is done, since its environment comes from the caller. The loader
 * preloads nothing there, but the copy that jobtrail-ld has linked in is called.
 */
#include "conf/policy/policy_read.h"

#include <stdbool.h>

#include "preload/decide.h"
#include "preload/exec_path.h"
#include "preload/image.h"
#include "preload/memory.h"
#include "preload/predecessor.h"
#include "preload/proc.h"
#include "preload/run.h"
#include "preload/switches.h"
#include "preload/system.h"
#include "preload/trace.h"
#include "preload/unwritten.h"

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
        trace_decision(switches, path, &(struct decision){.why = "not tracked: no usable policy"},
                       NULL);
        return UNWRITTEN;
    }
    const struct run_start start = {image, switches, &policy, path};
    struct decision decision = decide_by_policy(&policy, switches, image, path);
    if (switches->trace != TRACE_OFF) /* the name is in a page that nothing else needs */
        trace_decision(switches, path, &decision, policy_string(policy.base, POLICY_CONF));
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
    bool needs_path = decision.track || switches.trace != TRACE_OFF;
    if (needs_path && !exec_path_find(&image, &path))
        return;
    enum outcome outcome = LEFT_OUT;
    if (decision.track)
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
