/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/signals.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/system.h"

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

void signals_catch(void (*caught)(int signal))
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
