/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/unwritten.h"

#include <stdbool.h>

#include "preload/memory.h"
#include "preload/proc.h"
#include "preload/system.h"

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

void unwritten_tell(const struct image *image)
{
    const uintptr_t data = image_own_data(image_loader(image));
    const uintptr_t page = data - data % image->page_bytes;
    if (data != 0 && is_unfiltered() && protect(page, image->page_bytes, PROT_READ | PROT_EXEC))
        protect(page, image->page_bytes, PROT_READ | PROT_WRITE);
}
