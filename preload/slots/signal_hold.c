/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/slots/signal_hold.h"

#include <signal.h>

#include "preload/system.h"

/* A signal that an instruction causes ends the process where it is blocked. */
static uint64_t held_signals(void)
{
    static const int caused[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
    uint64_t held = ~UINT64_C(0);
    for (unsigned i = 0; i < sizeof caused / sizeof caused[0]; i++)
        held &= ~(UINT64_C(1) << (caused[i] - 1));
    return held;
}

uint64_t signals_hold(void)
{
    uint64_t held = held_signals(), before = 0;
    system_call6(SYS_rt_sigprocmask, SIG_BLOCK, (long)&held, (long)&before, sizeof held, 0, 0);
    return before;
}

void signals_release(uint64_t before)
{
    system_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before, 0, 0);
}
