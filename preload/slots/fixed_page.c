/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/slots/fixed_page.h"

#include "preload/loaded.h"
#include "preload/system.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* linux/mman.h; glibc has it since 2.35 */
#endif

static bool protect(uintptr_t page, int protection)
{
    return system_call6(SYS_mprotect, (long)page, IMAGE_PAGE_MIN, protection, 0, 0, 0) == 0;
}

/* It makes the copy of the page that a store would make, and stores nothing. */
static bool is_writable(uintptr_t page)
{
    return system_call6(SYS_madvise, (long)page, IMAGE_PAGE_MIN, MADV_POPULATE_WRITE, 0, 0, 0) == 0;
}

bool fixed_page_open(uintptr_t *opened, const struct loaded *loaded, uintptr_t slot)
{
    uintptr_t page = slot & ~(uintptr_t)(IMAGE_PAGE_MIN - 1);
    if (slot < loaded->fixed_start || slot >= loaded->fixed_end || page == *opened)
        return true;
    fixed_page_close(opened);
    if (is_writable(page))
        return true;
    if (!protect(page, PROT_READ | PROT_WRITE))
        return false;
    *opened = page;
    return true;
}

void fixed_page_close(uintptr_t *opened)
{
    if (*opened != 0)
        protect(*opened, PROT_READ);
    *opened = 0;
}
