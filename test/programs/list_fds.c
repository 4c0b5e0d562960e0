// SPDX-License-Identifier: LGPL-2.1-or-later
// Prints its open descriptors in order, one "NUMBER TARGET" a line, without the one it reads
// /proc by.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    static int fds[65536];
    size_t n = 0;
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;

    if (!dir)
        return 111;
    while ((entry = readdir(dir)) && n < sizeof(fds) / sizeof(fds[0])) {
        int fd = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && fd != dirfd(dir))
            fds[n++] = fd;
    }
    qsort(fds, n, sizeof(fds[0]), compare);
    for (size_t i = 0; i < n; i++) {
        char path[64], target[4096];
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[i]);
        ssize_t length = readlink(path, target, sizeof(target) - 1);
        target[length < 0 ? 0 : length] = '\0';
        printf("%d %s\n", fds[i], target);
    }
    return 0;
}
