// SPDX-License-Identifier: LGPL-2.1-or-later
// For LD_AUDIT (rtld-audit(7)): follows the binding of every symbol, and prints the first time that
// puts(3) or exit(3) is called through one.
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned la_version(unsigned version);
unsigned la_objopen(struct link_map *map, Lmid_t id, uintptr_t *cookie);
uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
                       unsigned *flags, const char *name);

unsigned la_version(unsigned version)
{
    (void)version;
    return LAV_CURRENT;
}

unsigned la_objopen(struct link_map *map, Lmid_t id, uintptr_t *cookie)
{
    (void)map, (void)id, (void)cookie;
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
                       unsigned *flags, const char *name)
{
    (void)index, (void)from, (void)to, (void)flags;
    if (strcmp(name, "puts") == 0 || strcmp(name, "exit") == 0) {
        syscall(SYS_write, STDERR_FILENO, "audit: ", (size_t)7);
        syscall(SYS_write, STDERR_FILENO, name, strlen(name));
        syscall(SYS_write, STDERR_FILENO, "\n", (size_t)1);
    }
    return symbol->st_value;
}
