// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes many captures out of a real one, for tests and benchmarks:
//
//   clone_captures LEDGER COUNT
//
// The first slot of the ledger is written COUNT times, each time as another process with another
// uuid; they are all that the ledger then holds.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/ledger.h"

static unsigned char slot_bytes[LEDGER_SLOT_MAX];

int main(int argc, char **argv)
{
    struct ledger_header header;
    struct ledger_slot slot;
    if (argc != 3)
        return 2;
    unsigned long count = strtoul(argv[2], NULL, 10);
    int fd = open(argv[1], O_RDWR | O_CLOEXEC);
    if (fd < 0 || pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        pread(fd, slot_bytes, sizeof slot_bytes, LEDGER_FIRST) < (ssize_t)LEDGER_PAGE) {
        perror(argv[1]);
        return 1;
    }
    memcpy(&slot, slot_bytes, sizeof slot);
    for (unsigned long i = 0; i < count; i++) {
        struct ledger_slot clone = slot;
        clone.offset = LEDGER_FIRST + i * slot.slot_bytes;
        clone.pid = slot.pid + (int)i;
        clone.start_ticks = slot.start_ticks + i;
        for (int byte = 0; byte < 4; byte++)
            clone.uuid[15 - byte] = (unsigned char)(i >> 8 * byte);
        memcpy(slot_bytes, &clone, sizeof clone);
        if (pwrite(fd, slot_bytes, slot.slot_bytes, (off_t)clone.offset) !=
            (ssize_t)slot.slot_bytes) {
            perror(argv[1]);
            return 1;
        }
    }
    header.used_bytes = LEDGER_FIRST + count * slot.slot_bytes;
    if (pwrite(fd, &header, sizeof header, 0) != (ssize_t)sizeof header) {
        perror(argv[1]);
        return 1;
    }
    printf("%u\n", slot.slot_bytes);
    return 0;
}
