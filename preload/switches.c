/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "switches.h"

#include <stddef.h>

#include "memory.h"

/* Who says the size and the rank, the first that is set wins. Slurm's come last: under a site's
 * own launcher only the others are right. */
static const char *const size_names[] = {
    "XALT_COMM_WORLD_SIZE=", "OMPI_COMM_WORLD_SIZE=", "MV2_COMM_WORLD_SIZE=", "PMI_SIZE=",
    "SLURM_STEP_NUM_TASKS=",
};
static const char *const rank_names[] = {
    "OMPI_COMM_WORLD_RANK=", "MV2_COMM_WORLD_RANK=", "PMI_RANK=", "PMIX_RANK=", "SLURM_PROCID=",
};

enum {
    SIZE_NAMES = sizeof size_names / sizeof size_names[0],
    RANK_NAMES = sizeof rank_names / sizeof rank_names[0],
};

struct launchers {
    const char *size[SIZE_NAMES];
    const char *rank[RANK_NAMES];
};

static void note_value(const char *entry, const char *const *names, const char **values, int count)
{
    for (int i = 0; i < count; i++) {
        const char *value = text_behind(entry, names[i]);
        if (value != NULL)
            values[i] = value;
    }
}

static uint32_t first_number(const char *const *values, int count, uint32_t otherwise)
{
    for (int i = 0; i < count; i++) {
        if (values[i] != NULL)
            return text_number(values[i]);
    }
    return otherwise;
}

static void note_own(const char *entry, struct switches *switches)
{
    const char *value;
    if ((value = text_behind(entry, "JOBTRAIL_SPOOL=")) != NULL)
        switches->spool = value;
    else if ((value = text_behind(entry, "JOBTRAIL_POLICY=")) != NULL)
        switches->policy = value;
    else if ((value = text_behind(entry, "JOBTRAIL_TASK=")) != NULL)
        switches->task = value;
}

static void note_xalt(const char *entry, struct switches *switches)
{
    const char *value;
    if ((value = text_behind(entry, "XALT_EXECUTABLE_TRACKING=")) != NULL)
        switches->executable = text_equal(value, "yes");
    else if ((value = text_behind(entry, "XALT_SCALAR_TRACKING=")) != NULL)
        switches->scalar = !text_equal(value, "no");
    else if ((value = text_behind(entry, "XALT_MPI_TRACKING=")) != NULL)
        switches->mpi = !text_equal(value, "no");
}

void switches_read(char **envp, struct switches *switches)
{
    struct launchers launchers = {{NULL}, {NULL}};
    *switches = (struct switches){.scalar = 1, .mpi = 1};
    for (; *envp != NULL; envp++) {
        const char *entry = *envp;
        switch (entry[0]) {
        case 'J':
            note_own(entry, switches);
            break;
        case 'X':
            note_xalt(entry, switches);
            note_value(entry, size_names, launchers.size, SIZE_NAMES);
            break;
        case 'M':
        case 'O':
        case 'P':
        case 'S':
            note_value(entry, size_names, launchers.size, SIZE_NAMES);
            note_value(entry, rank_names, launchers.rank, RANK_NAMES);
            break;
        default:
            break;
        }
    }
    uint32_t size = first_number(launchers.size, SIZE_NAMES, 1);
    switches->size = size == 0 ? 1 : size;
    switches->rank = first_number(launchers.rank, RANK_NAMES, 0);
}
