/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Raw system calls: the library has no libc to call, and so never touches errno. A result in
 * [-4095, -1] is -errno (syscalls(2), and the calling conventions in syscall(2)).
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#ifdef __x86_64__

#define SYSTEM_MAP      SYS_mmap
#define SYSTEM_STAT     SYS_fstat
#define SYSTEM_STAT_AT  SYS_newfstatat
#define SYSTEM_MAP_UNIT 1u /* mmap's offset counts bytes */

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

#elif defined(__i386__)

#define SYSTEM_MAP      SYS_mmap2
#define SYSTEM_STAT     SYS_fstat64
#define SYSTEM_STAT_AT  SYS_fstatat64
#define SYSTEM_MAP_UNIT 4096u

/* ebx has the address of the global offset table, and ebp may be the frame pointer: both are saved,
 * set and restored here. */
static inline long system_call6(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    const long rest[3] = {number, a, f};
    __asm__ volatile("push %%ebx\n\t"
                     "push %%ebp\n\t"
                     "mov 8(%%eax), %%ebp\n\t"
                     "mov 4(%%eax), %%ebx\n\t"
                     "mov (%%eax), %%eax\n\t"
                     "int $0x80\n\t"
                     "pop %%ebp\n\t"
                     "pop %%ebx"
                     : "=a"(result)
                     : "a"(rest), "c"(b), "d"(c), "S"(d), "D"(e)
                     : "memory");
    return result;
}

#elif defined(__aarch64__)

#define SYSTEM_MAP      SYS_mmap
#define SYSTEM_STAT     SYS_fstat
#define SYSTEM_STAT_AT  SYS_newfstatat
#define SYSTEM_MAP_UNIT 1u

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

static inline bool system_failed(long result)
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

struct stat;

/* fstat(2) */
static inline long system_stat(int fd, struct stat *status)
{
    return system_call6(SYSTEM_STAT, fd, (long)status, 0, 0, 0, 0);
}

/* stat(2) */
static inline long system_stat_path(const char *path, struct stat *status)
{
    return system_call6(SYSTEM_STAT_AT, AT_FDCWD, (long)path, (long)status, 0, 0, 0);
}

/* pread(2) */
static inline long system_read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
#ifdef __i386__
    return system_call6(SYS_pread64, fd, (long)buffer, (long)size, (long)offset,
                        (long)(offset >> 32), 0);
#else
    return system_call6(SYS_pread64, fd, (long)buffer, (long)size, (long)offset, 0, 0);
#endif
}

/* fallocate(2) */
static inline long system_allocate(int fd, uint64_t offset, uint64_t size)
{
#ifdef __i386__
    return system_call6(SYS_fallocate, fd, 0, (long)offset, (long)(offset >> 32), (long)size,
                        (long)(size >> 32));
#else
    return system_call6(SYS_fallocate, fd, 0, (long)offset, (long)size, 0, 0);
#endif
}

/* NULL when it failed. */
static inline void *system_map(size_t size, int protection, int fd, uint64_t offset)
{
    long result = system_call6(SYSTEM_MAP, 0, (long)size, protection, MAP_SHARED, fd,
                               (long)(offset / SYSTEM_MAP_UNIT));
    return system_failed(result) ? NULL : (void *)result;
}

static inline void system_unmap(void *address, size_t size)
{
    system_call6(SYS_munmap, (long)address, (long)size, 0, 0, 0, 0);
}
