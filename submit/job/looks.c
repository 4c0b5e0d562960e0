/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/looks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "submit/job/spool_read.h"

/* Bytes of a line at the most: ten numbers of 20 digits. */
enum { LINE_MAX_BYTES = 10 * 21 };

#define NEW_NAME LOOKS_NAME ".new"

uint64_t looks_hash(const char *path, size_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)path[i]) * UINT64_C(1099511628211);
    return hash;
}

bool looks_is_sound(const struct look *look, uint32_t page_before)
{
    const uint32_t known = LOOK_EMPTY | LOOK_FIRST | LOOK_SIGNED | LOOK_OTHER;
    return look->page > page_before && (look->flags & ~known) == 0 &&
           ((look->flags & LOOK_EMPTY) != 0 || look->pid > 0);
}

static bool parse_look(const char *line, struct look *look)
{
    return sscanf(line,
                  "%" SCNu32 " %" SCNd32 " %" SCNu64 " %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64
                  " %" SCNx64 " %" SCNu64 " %" SCNu64,
                  &look->page, &look->pid, &look->ticks, &look->flags, &look->start_ns,
                  &look->alive_ns, &look->gone_ns, &look->exec, &look->device, &look->inode) == 10;
}

static int parse_looks(char *text, struct looks *looks)
{
    char *rest = text, *line = strsep(&rest, "\n");
    if (sscanf(line, "next %" SCNu64, &looks->next_offset) != 1)
        return -EINVAL;
    looks->look = calloc(LOOKS_MAX, sizeof *looks->look);
    if (looks->look == NULL)
        return -ENOMEM;
    while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
        struct look *look = &looks->look[looks->count];
        if (looks->count == LOOKS_MAX || !parse_look(line, look) ||
            !looks_is_sound(look, looks->count == 0 ? 0 : look[-1].page))
            return -EINVAL;
        looks->count++;
    }
    return 0;
}

int looks_read(int directory, struct looks *looks)
{
    CLEANUP_FREE char *text = NULL;
    size_t size;
    *looks = (struct looks){0};
    if (spool_read_file(directory, LOOKS_NAME, (size_t)(LOOKS_MAX + 1) * LINE_MAX_BYTES, &text,
                        &size) != 0)
        return 0;
    int error = parse_looks(text, looks);
    if (error == 0)
        return 0;
    looks_free(looks);
    return error == -EINVAL ? 0 : error;
}

static int write_all(int fd, const struct looks *looks)
{
    CLEANUP_FCLOSE FILE *file = fdopen(fd, "w");
    if (file == NULL) {
        int error = -errno;
        close(fd);
        return error;
    }
    fprintf(file, "next %" PRIu64 "\n", looks->next_offset);
    for (size_t i = 0; i < looks->count; i++) {
        const struct look *look = &looks->look[i];
        fprintf(file,
                "%" PRIu32 " %" PRId32 " %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64
                " %" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
                look->page, look->pid, look->ticks, look->flags, look->start_ns, look->alive_ns,
                look->gone_ns, look->exec, look->device, look->inode);
    }
    return fflush(file) != 0 || ferror(file) ? -EIO : 0;
}

int looks_write(int directory, const struct looks *looks)
{
    int fd =
        openat(directory, NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int error = write_all(fd, looks);
    if (error == 0 && renameat(directory, NEW_NAME, directory, LOOKS_NAME) != 0)
        error = -errno;
    if (error != 0)
        unlinkat(directory, NEW_NAME, 0);
    return error;
}

static int by_page(const void *key, const void *element)
{
    uint32_t page = *(const uint32_t *)key;
    const struct look *look = element;
    return page < look->page ? -1 : page > look->page;
}

const struct look *looks_find(const struct looks *looks, uint32_t page, uint64_t start_ns)
{
    const struct look *found =
        looks->count == 0 ? NULL
                          : bsearch(&page, looks->look, looks->count, sizeof *looks->look, by_page);
    return found != NULL && found->start_ns == start_ns ? found : NULL;
}

void looks_free(struct looks *looks)
{
    free(looks->look);
    *looks = (struct looks){0};
}
