/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/private.h"

#include "preload/system.h"

/* In .data, as all of this library that can be written to: the page has the dynamic section too, to
 * which the loader writes. So the library has no .bss, which would be one more mapping. */
static struct private_memory *known __attribute__((section(".data")));

/* Where the kernel's pages are larger, it rounds up the length (mmap(2), madvise(2)). */
enum { PRIVATE_BYTES = (sizeof(struct private_memory) + LEDGER_PAGE - 1) & ~(LEDGER_PAGE - 1) };

struct private_memory *private_known(void)
{
    return known;
}

/* MAP_NORESERVE keeps the kernel from joining it to another mapping, from which
 * private_forget_on_fork() would have to split it again. */
struct private_memory *private_memory(void)
{
    if (known != NULL)
        return known;
    long result = system_call6(SYSTEM_MAP, 0, PRIVATE_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!system_failed(result))
        known = (struct private_memory *)result;
    return known;
}

bool private_forget_on_fork(struct private_memory *memory)
{
    return system_call6(SYS_madvise, (long)memory, PRIVATE_BYTES, MADV_WIPEONFORK, 0, 0, 0) == 0;
}
