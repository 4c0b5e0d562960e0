// SPDX-License-Identifier: LGPL-2.1-or-later
// Does to its own slot in the job's ledger what another process of the user could do, and ends:
//
//   hostile_ledger CANARY
//
// The slot then claims to be as large as can be, to be full of stubs, and its fields to reach as
// far as to memory that is the file CANARY. An object is loaded, which a process that ends adds to
// its fields.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/ledger.h"

// The slot's address, by the kernel's list of mappings: the ledger's that is not its first page.
static struct ledger_slot *own_slot(void)
{
    char line[4096];
    unsigned long from, offset;
    struct ledger_slot *found = NULL;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (strstr(line, "/ledger\n") == NULL ||
            sscanf(line, "%lx-%*x %*s %lx", &from, &offset) != 2)
            continue;
        if (offset != 0)
            found = (struct ledger_slot *)from;
    }
    if (maps != NULL)
        fclose(maps);
    return found;
}

// Maps the file somewhere behind the slot. Returns how far.
static size_t map_behind(struct ledger_slot *slot, int fd)
{
    const size_t step = 1 << 20;
    for (size_t distance = step; distance < 4096 * step; distance += step) {
        void *at = (char *)slot + distance;
        if (mmap(at, LEDGER_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd,
                 0) == at)
            return distance;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct ledger_slot *slot = own_slot();
    int fd = argc == 2 ? open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (slot == NULL || fd < 0 || ftruncate(fd, LEDGER_PAGE) != 0)
        return 1;
    size_t distance = map_behind(slot, fd);
    if (distance == 0 || slot->magic != LEDGER_SLOT_MAGIC || dlopen("libm.so.6", RTLD_NOW) == NULL)
        return 2;
    slot->slot_bytes = UINT32_MAX;
    slot->stub_units = UINT16_MAX;
    slot->fields_bytes = (uint32_t)(distance - sizeof *slot);
    slot->offset = UINT64_MAX;
    slot->pid = -1;
    slot->start_ns = UINT64_MAX;
    slot->random = UINT64_MAX;
    return 0;
}
