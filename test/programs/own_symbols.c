// SPDX-License-Identifier: LGPL-2.1-or-later
// Exports functions of names that libc and that jobtrail's own sources have. Whoever calls one but
// this program itself would get something else than he wants: each ends the program by abort(),
// but for the allocator, which the loader and libc have a right to. Prints "ours" and returns 0.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Declared nowhere, and never called by this program.
#define STRANGER(name)                                                                             \
    void stranger_##name(void) __asm__(#name) __attribute__((noreturn, used));                     \
    void stranger_##name(void)                                                                     \
    {                                                                                              \
        abort();                                                                                   \
    }

// What programs are known to define.
STRANGER(connect)
STRANGER(regcomp)
STRANGER(regexec)
STRANGER(random)
STRANGER(capture)
STRANGER(getenv)
STRANGER(secure_getenv)
STRANGER(open)
STRANGER(openat)
STRANGER(close)
STRANGER(read)
STRANGER(readlink)
STRANGER(mmap)
STRANGER(munmap)
STRANGER(madvise)
STRANGER(clock_gettime)
STRANGER(getpid)
STRANGER(syscall)
STRANGER(memcpy)
STRANGER(memmove)
STRANGER(memset)
STRANGER(memcmp)
STRANGER(strlen)
// What the preload library's files define.
STRANGER(capture_fill)
STRANGER(clock_find)
STRANGER(clock_now)
STRANGER(decide_map)
STRANGER(image_find)
STRANGER(image_link_map)
STRANGER(policy_match)
STRANGER(policy_usable)
STRANGER(proc_stat)
STRANGER(slot_claim)
STRANGER(slot_end)
STRANGER(slot_open)
STRANGER(switches_read)
STRANGER(uuid_make)
STRANGER(own)
STRANGER(workspace)
STRANGER(exec_path)

static char pool[1 << 20] __attribute__((aligned(16)));
static size_t taken;

void *malloc(size_t size)
{
    char *at = pool + taken;
    taken += (size + 15) & ~(size_t)15;
    return taken <= sizeof(pool) ? at : NULL;
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size);
}

void *realloc(void *old, size_t size)
{
    volatile char *to = malloc(size);
    const char *from = old;
    for (size_t i = 0; from && to && i < size && from + i < pool + sizeof(pool); i++)
        to[i] = from[i];
    return (void *)(uintptr_t)to;
}

void free(void *unused)
{
    (void)unused;
}

int main(void)
{
    return write(STDOUT_FILENO, "ours\n", 5) == 5 ? 0 : 111;
}
