/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Marks: apptainer and singularity make /.singularity.d; podman makes /run/.containerenv; docker
 * makes /.dockerenv; enroot, which pyxis uses, makes its lock /.lock and recognises itself by it;
 * ch-run(1) sets CH_RUNNING for programs that want to know.
 */
#include "preload/container.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "preload/memory.h"
#include "preload/system.h"

static bool file_exists(const char *path)
{
    return system_call6(SYS_faccessat, AT_FDCWD, (long)path, 0, 0, 0, 0) == 0;
}

static bool has_variable(char **envp, const char *start)
{
    for (; *envp != NULL; envp++) {
        if (text_after(*envp, start) != NULL)
            return true;
    }
    return false;
}

static bool is_root_of(const struct ledger_header *header)
{
    struct stat status;
    return system_stat_path("/", &status) == 0 && status.st_ino == header->root_inode &&
           status.st_dev == header->root_device;
}

const char *container_kind(char **envp, const struct ledger_header *header)
{
#define MARK(path, kind) {path, kind},
    static const struct {
        const char *path, *kind;
    } marks[] = {LEDGER_MARKS(MARK)};
#undef MARK
    const size_t count = sizeof marks / sizeof marks[0];
    uint64_t mark = __atomic_load_n(&header->root_mark, __ATOMIC_RELAXED);
    /* The variable first: files may have come with the image, from the runtime that built it. */
    if (has_variable(envp, "CH_RUNNING="))
        return "charliecloud";
    if (mark > 0 && mark < 2 + count && is_root_of(header))
        return mark == 1 ? NULL : marks[mark - 2].kind;
    for (size_t i = 0; i < count; i++) {
        if (file_exists(marks[i].path))
            return marks[i].kind;
    }
    return NULL;
}
