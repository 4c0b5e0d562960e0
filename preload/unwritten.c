/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/unwritten.h"

#include <stdbool.h>

#include "preload/system.h"

static bool protect(uintptr_t page, size_t bytes, int protection)
{
    return !system_failed(system_call6(SYS_mprotect, (long)page, (long)bytes, protection, 0, 0, 0));
}

void unwritten_tell(const struct image *image)
{
    const uintptr_t data = image_own_data(image_loader(image));
    const uintptr_t page = data - data % image->page_bytes;
    if (data != 0 && protect(page, image->page_bytes, PROT_READ | PROT_EXEC))
        protect(page, image->page_bytes, PROT_READ | PROT_WRITE);
}
