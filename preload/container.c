/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Marks: apptainer and singularity make /.singularity.d; podman makes /run/.containerenv; docker
 * makes /.dockerenv; enroot, which pyxis uses, leaves its lock at /.lock and looks for it itself;
 * ch-run(1) sets CH_RUNNING for this purpose.
 */
#include "preload/container.h"

#include <stddef.h>

#include "preload/memory.h"
#include "preload/system.h"

static int exists(const char *path)
{
    return system_call6(SYS_faccessat, AT_FDCWD, (long)path, 0, 0, 0, 0) == 0;
}

static int has_variable(char **envp, const char *start)
{
    for (; *envp != NULL; envp++) {
        if (text_behind(*envp, start) != NULL)
            return 1;
    }
    return 0;
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
    /* First what only a runtime sets: an image may carry the marks of the one that built it. */
    if (has_variable(envp, "CH_RUNNING="))
        return "charliecloud";
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (exists(marks[i].path))
            return marks[i].kind;
    }
    return NULL;
}
