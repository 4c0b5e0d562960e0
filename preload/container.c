/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Marks: apptainer and singularity make /.singularity.d; podman makes /run/.containerenv; docker
 * makes /.dockerenv; enroot, which pyxis uses, makes its lock /.lock and recognises itself by it;
 * ch-run(1) sets CH_RUNNING for programs that want to know.
 */
#include "preload/container.h"

#include <stdbool.h>
#include <stddef.h>

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

const char *container_kind(char **envp)
{
    static const struct {
        const char *path, *kind;
    } marks[] = {
        {"/.singularity.d", "apptainer"},
        {"/run/.containerenv", "podman"},
        {"/.dockerenv", "docker"},
        {"/.lock", "enroot"},
    };
    /* The variable first: files may have come with the image, from the runtime that built it. */
    if (has_variable(envp, "CH_RUNNING="))
        return "charliecloud";
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (file_exists(marks[i].path))
            return marks[i].kind;
    }
    return NULL;
}
