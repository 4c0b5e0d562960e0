/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/switches.h"

#include <stddef.h>

#include "preload/fact_variables.h"
#include "preload/memory.h"

/* The variables that give the size and the rank; the first one that is set counts. Slurm's are the
 * last: under a site's own launcher the others are right and Slurm's are not. */
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
    const char *ompi_counts; /* Open MPI: the number of ranks of each program, "4 2" */
    const char *leader;      /* JOBTRAIL_LEADER, from the plugin */
};

static void note_value(const char *entry, const char *const *names, const char **values, int count)
{
    for (int i = 0; i < count; i++) {
        const char *value = text_after(entry, names[i]);
        if (value != NULL)
            values[i] = value;
    }
}

static uint32_t first_number(const char *const *values, int count, uint32_t fallback)
{
    for (int i = 0; i < count; i++) {
        if (values[i] != NULL)
            return text_number(values[i]);
    }
    return fallback;
}

static void note_text(const char *entry, const char *name, const char **value)
{
    const char *text = text_after(entry, name);
    if (text != NULL)
        *value = text;
}

static void note_switch(const char *entry, const char *name, enum switch_state *state)
{
    const char *value = text_after(entry, name);
    if (value != NULL)
        *state = text_equal(value, "yes") ? SWITCH_YES : SWITCH_NO;
}

static void note_trace(const char *entry, enum switch_trace *trace)
{
    const char *value = text_after(entry, "XALT_TRACING=");
    if (value == NULL)
        return;
    if (text_equal(value, "yes") || text_equal(value, "run"))
        *trace = TRACE_ALL;
    else if (text_equal(value, "yes0"))
        *trace = TRACE_RANK_0;
}

static void note_own(const char *entry, struct switches *switches, struct launchers *launchers)
{
    note_text(entry, "JOBTRAIL_SPOOL=", &switches->spool);
    note_text(entry, "JOBTRAIL_POLICY=", &switches->policy);
    note_text(entry, "JOBTRAIL_TASK=", &switches->task);
    note_text(entry, "JOBTRAIL_STEPD=", &switches->stepd);
    note_text(entry, "JOBTRAIL_LEADER=", &launchers->leader);
}

static void note_xalt(const char *entry, struct switches *switches)
{
    note_switch(entry, "XALT_EXECUTABLE_TRACKING=", &switches->executable);
    note_switch(entry, "XALT_SCALAR_TRACKING=", &switches->scalar);
    note_switch(entry, "XALT_MPI_TRACKING=", &switches->mpi);
    note_switch(entry, "XALT_GPU_TRACKING=", &switches->gpu);
    note_switch(entry, "XALT_SAMPLING=", &switches->sampling);
    note_switch(entry, "XALT_SIGNAL_HANDLER=", &switches->signal_handler);
    note_switch(entry, "XALT_CMDLINE_RECORD=", &switches->command_line);
    note_trace(entry, &switches->trace);
    note_text(entry, "XALT_TESTING_RUNTIME=", &switches->testing_runtime);
    note_text(entry, "XALT_MPI_ALWAYS_RECORD=", &switches->always_ranks);
}

/* The first rank of the program that `rank` runs, where `counts` lists the ranks of each. */
static uint32_t leader_of(uint32_t rank, const char *counts)
{
    uint64_t first = 0;
    while (*counts >= '0' && *counts <= '9') {
        uint64_t next = first + text_number(counts);
        if (rank < next)
            return (uint32_t)first;
        first = next;
        while (*counts >= '0' && *counts <= '9')
            counts++;
        while (*counts == ' ')
            counts++;
    }
    return 0;
}

/* Open MPI's variables come before the plugin's: where mpirun has started the ranks, the plugin
 * knows mpirun's daemons alone. */
static uint32_t find_leader(uint32_t rank, const struct launchers *launchers)
{
    if (launchers->ompi_counts != NULL && launchers->rank[0] != NULL)
        return leader_of(rank, launchers->ompi_counts);
    int by_slurm = launchers->rank[0] == NULL && launchers->rank[1] == NULL &&
                   launchers->size[1] == NULL && launchers->size[2] == NULL;
    return by_slurm && launchers->leader != NULL ? text_number(launchers->leader) : 0;
}

/* The pid in "STEP.TASK.PID"; 0 where there is none. */
static int32_t pid_of_task(const char *task)
{
    int points = 0;
    while (task != NULL && *task != '\0' && points < 2)
        points += *task++ == '.';
    return points == 2 ? (int32_t)text_number(task) : 0;
}

void switches_read(char **envp, struct switches *switches)
{
    struct launchers launchers = {{NULL}, {NULL}, NULL, NULL};
    *switches = (struct switches){.spool = NULL};
    for (; *envp != NULL; envp++) {
        const char *entry = *envp;
        switch (entry[0]) {
        case 'J':
            note_own(entry, switches, &launchers);
            break;
        case 'X':
            note_xalt(entry, switches);
            note_value(entry, size_names, launchers.size, SIZE_NAMES);
            break;
        case 'O':
            note_text(entry, "OMPI_APP_CTX_NUM_PROCS=", &launchers.ompi_counts);
            note_text(entry, FACT_THREADS "=", &switches->threads);
            /* fall through */
        case 'M':
        case 'P':
        case 'S':
            note_value(entry, size_names, launchers.size, SIZE_NAMES);
            note_value(entry, rank_names, launchers.rank, RANK_NAMES);
            break;
        default:
            break;
        }
    }
    switches->task_pid = pid_of_task(switches->task);
    uint32_t size = first_number(launchers.size, SIZE_NAMES, 1);
    switches->size = size == 0 ? 1 : size;
    switches->rank = first_number(launchers.rank, RANK_NAMES, 0);
    switches->leader = find_leader(switches->rank, &launchers);
}
