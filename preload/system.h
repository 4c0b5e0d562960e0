/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Raw system calls: the library has no libc to call, and so never touches errno. A result in
 * [-4095, -1] is -errno (syscalls(2), and the calling conventions in syscall(2)).
 */
#ifndef JOBTRAIL_SYSTEM_H
#define JOBTRAIL_SYSTEM_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#if defined(__x86_64__)

static inline long system_call6(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#elif defined(__aarch64__)

static inline long system_call6(long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}

#else
#error "no system-call layer for this machine"
#endif

static inline int system_failed(long result)
{
    return (unsigned long)result >= (unsigned long)-4095;
}

static inline int system_open(const char *path, int flags)
{
    return (int)system_call6(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0, 0, 0);
}

static inline void system_close(int fd)
{
    system_call6(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long system_read(int fd, void *buffer, size_t size)
{
    return system_call6(SYS_read, fd, (long)buffer, (long)size, 0, 0, 0);
}

static inline long system_readlink(const char *path, char *buffer, size_t size)
{
    return system_call6(SYS_readlinkat, AT_FDCWD, (long)path, (long)buffer, (long)size, 0, 0);
}

/* NULL when it failed. */
static inline void *system_map(size_t size, int protection, int fd, uint64_t offset)
{
    long result =
        system_call6(SYS_mmap, 0, (long)size, protection, MAP_SHARED, fd, (long)offset);
    return system_failed(result) ? NULL : (void *)result;
}

static inline void system_unmap(void *address, size_t size)
{
    system_call6(SYS_munmap, (long)address, (long)size, 0, 0, 0, 0);
}

#endif
