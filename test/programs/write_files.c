// SPDX-License-Identifier: LGPL-2.1-or-later
// The least that must be done to have records as files that appear whole, for benchmarks:
//
//   write_files DIRECTORY COUNT BYTES
//
// COUNT files of BYTES are created under another name, written, brought to the disk, 1024 at once,
// and renamed.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GROUP = 1024, NAME_SIZE = 128 };

static void name_of(unsigned long number, const char *before, const char *behind, char *name)
{
    snprintf(name, NAME_SIZE,
             "%srun.lab.2026_01_01_00_00_00_0000.root.zzz.01a201ad-e204-70dc-bd94-%012lx.json%s",
             before, number, behind);
}

static int write_one(int directory, unsigned long number, const char *bytes, size_t size)
{
    char name[NAME_SIZE];
    name_of(number, ".", ".new", name);
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    return fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0;
}

static int rename_one(int directory, unsigned long number)
{
    char from[NAME_SIZE], to[NAME_SIZE];
    name_of(number, ".", ".new", from);
    name_of(number, "", "", to);
    return renameat(directory, from, directory, to) == 0;
}

static int write_group(int directory, unsigned long first, unsigned long end, const char *bytes,
                       size_t size)
{
    int ok = 1;
    for (unsigned long i = first; i < end && ok; i++)
        ok = write_one(directory, i, bytes, size);
    ok = ok && syncfs(directory) == 0;
    for (unsigned long i = first; i < end && ok; i++)
        ok = rename_one(directory, i);
    return ok && fsync(directory) == 0;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int directory = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    unsigned long count = strtoul(argv[2], NULL, 10);
    size_t size = strtoul(argv[3], NULL, 10);
    char *bytes = malloc(size + 1);
    int ok = directory >= 0 && bytes != NULL;
    if (ok)
        memset(bytes, 'x', size);
    for (unsigned long i = 0; i < count && ok; i += GROUP)
        ok = write_group(directory, i, i + GROUP < count ? i + GROUP : count, bytes, size);
    if (!ok)
        perror(argv[1]);
    return !ok;
}
