/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/clock.h"

#include "preload/memory.h"
#include "preload/system.h"

#ifdef __aarch64__
#define VDSO_CLOCK_GETTIME "__kernel_clock_gettime"
#else
#define VDSO_CLOCK_GETTIME "__vdso_clock_gettime"
#endif

struct symbols {
    uintptr_t bias; /* the difference between addresses in memory and those in the image */
    const ElfW(Sym) * table;
    size_t count;
    const char *names;
};

/* Linux links its vDSOs at 0. That of qemu-user is relocated in place, so that its addresses are
 * those in memory (load_elf_vdso(), linux-user/elfload.c). In a vDSO the string table follows the
 * symbol table. So the distance of both gives the number of symbols, whichever kind of hash table
 * the kernel was built with. */
static int find_symbols(uintptr_t base, struct symbols *symbols)
{
    const ElfW(Ehdr) *header = (const void *)base;
    const ElfW(Phdr) *phdr = (const void *)(base + header->e_phoff);
    const ElfW(Dyn) *dynamic = NULL;
    *symbols = (struct symbols){.bias = base};
    for (size_t i = 0; i < header->e_phnum; i++) {
        if (phdr[i].p_type == PT_LOAD && phdr[i].p_offset == 0)
            symbols->bias = base - phdr[i].p_vaddr;
        else if (phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(base + phdr[i].p_offset);
    }
    for (; dynamic != NULL && dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_SYMTAB)
            symbols->table = (const void *)(symbols->bias + dynamic->d_un.d_ptr);
        else if (dynamic->d_tag == DT_STRTAB)
            symbols->names = (const void *)(symbols->bias + dynamic->d_un.d_ptr);
    }
    if (symbols->table == NULL || (const char *)symbols->table >= symbols->names)
        return 0;
    symbols->count = (size_t)(symbols->names - (const char *)symbols->table) / sizeof(ElfW(Sym));
    return 1;
}

clock_function *clock_find(const struct image *image)
{
    struct symbols symbols;
    if (image->vdso == 0 || !find_symbols(image->vdso, &symbols))
        return NULL;
    for (size_t i = 0; i < symbols.count; i++) {
        const ElfW(Sym) *symbol = &symbols.table[i];
        if (symbol->st_shndx != SHN_UNDEF &&
            text_equal(symbols.names + symbol->st_name, VDSO_CLOCK_GETTIME))
            return (clock_function *)(symbols.bias + symbol->st_value);
    }
    return NULL;
}

static uint64_t clock_read(clock_function *function, clockid_t clock)
{
    struct timespec now = {0, 0};
    if (function != NULL)
        function(clock, &now);
    else
        system_call6(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_now(clock_function *function)
{
    return clock_read(function, CLOCK_REALTIME);
}

uint64_t clock_boot(clock_function *function)
{
    return clock_read(function, CLOCK_BOOTTIME);
}

uint64_t clock_monotonic_coarse(clock_function *function)
{
    return clock_read(function, CLOCK_MONOTONIC_COARSE);
}

uint64_t clock_now_coarse(clock_function *function)
{
    return clock_read(function, CLOCK_REALTIME_COARSE);
}
