/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/uses/use_opens.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/directory.h"
#include "conf/base/io.h"

/* Whoever has more files open than that is not looked at to their end. */
enum { FILES_MAX = 1024, INFO_TEXT = 256 };

void use_opens_note(struct use_opens *opens, int32_t pid, size_t use)
{
    opens->open[opens->next].pid = pid;
    opens->open[opens->next].use = use;
    opens->next = (opens->next + 1) % USE_OPENS_MAX;
    opens->count += opens->count < USE_OPENS_MAX;
}

static void take_back(struct use_opens *opens, struct use_counts *counts, size_t place)
{
    use_counts_take_back(counts, opens->open[place].use);
    opens->open[place].pid = 0;
}

void use_opens_closed(struct use_opens *opens, struct use_counts *counts, int32_t pid,
                      const char *path)
{
    size_t others = USE_OPENS_MAX;
    for (size_t i = 1; i <= opens->count; i++) { /* the last one first */
        size_t place = (opens->next + USE_OPENS_MAX - i) % USE_OPENS_MAX;
        bool is_own = opens->open[place].pid == pid;
        if (opens->open[place].pid == 0 || (!is_own && others != USE_OPENS_MAX) ||
            strcmp(counts->use[opens->open[place].use].path, path) != 0)
            continue;
        if (is_own) {
            take_back(opens, counts, place);
            return;
        }
        others = place;
    }
    if (others != USE_OPENS_MAX)
        take_back(opens, counts, others);
}

/* `name`: of the descriptor. The file itself is not looked at: its server may not answer. Before
 * Linux 5.14 its inode is not told. */
static bool is_for_writing(int infos, const char *name, ino_t inode)
{
    char text[INFO_TEXT];
    unsigned flags;
    unsigned long long number;
    if (io_read_text(infos, name, text, sizeof text) <= 0)
        return false;
    const char *flag_line = strstr(text, "flags:"), *inode_line = strstr(text, "\nino:");
    return flag_line != NULL && sscanf(flag_line, "flags: %o", &flags) == 1 &&
           (flags & O_ACCMODE) != O_RDONLY && inode_line != NULL &&
           sscanf(inode_line, "\nino: %llu", &number) == 1 && number == inode;
}

static bool has_open_for_writing(int32_t pid, const char *path)
{
    char place[32];
    struct stat status;
    CLEANUP_LISTING DIR *infos = NULL;
    snprintf(place, sizeof place, "/proc/%d/fdinfo", (int)pid);
    if (listing_open(AT_FDCWD, place, &infos) != 0 || lstat(path, &status) != 0)
        return false;
    int count = 0;
    for (const char *name; count < FILES_MAX && (name = listing_next(infos)) != NULL; count++)
        if (is_for_writing(dirfd(infos), name, status.st_ino))
            return true;
    return false;
}

void use_opens_settle(struct use_opens *opens, struct use_counts *counts)
{
    for (size_t i = 0; i < opens->count; i++)
        if (opens->open[i].pid != 0 &&
            has_open_for_writing(opens->open[i].pid, counts->use[opens->open[i].use].path))
            take_back(opens, counts, i);
    opens->count = opens->next = 0;
}
