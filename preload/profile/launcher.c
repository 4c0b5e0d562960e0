/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/launcher.h"

#include <stdbool.h>

#include "preload/memory.h"
#include "preload/proc.h"

/* ANCESTORS: between a rank and Hydra's daemon, as of a script that starts the program. */
enum { ANCESTORS = 8, LINE_BYTES = 1024 };

/* FNV-1a; never 0. */
static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash == 0 ? 1 : hash;
}

const char *launcher_port(const char *line, size_t size)
{
    bool is_next = false;
    for (size_t at = 0, end; at < size; at = end + 1) {
        for (end = at; end < size && line[end] != '\0';)
            end++;
        if (end == size)
            return NULL; /* cut */
        if (is_next)
            return line[at] == '\0' ? NULL : line + at;
        is_next = text_equal(line + at, "--control-port");
    }
    return NULL;
}

static uint64_t find_hydra(void)
{
    char line[LINE_BYTES];
    struct proc_stat stat = {.ppid = 0};
    for (int i = 0; i < ANCESTORS && proc_stat(stat.ppid, &stat) && stat.ppid > 1; i++) {
        const char *port = launcher_port(line, proc_read(stat.ppid, "/cmdline", line, sizeof line));
        if (port != NULL)
            return hash_text(port);
    }
    return 0;
}

/* PMIx's name comes first: below mpirun, PMI_JOBID is that of the daemons that Slurm has started.
 * It is that of Hydra's daemons too, if they have one. */
uint64_t launcher_program(char **envp)
{
    const char *pmix = NULL, *pmi = NULL;
    bool has_pmi = false;
    for (; *envp != NULL; envp++) {
        if (pmix == NULL)
            pmix = text_after(*envp, "PMIX_NAMESPACE=");
        if (pmi == NULL)
            pmi = text_after(*envp, "PMI_JOBID=");
        has_pmi |= text_after(*envp, "PMI_FD=") != NULL;
    }
    const char *name = pmix != NULL ? pmix : pmi;
    return name != NULL ? hash_text(name) : has_pmi ? find_hydra() : 0;
}
