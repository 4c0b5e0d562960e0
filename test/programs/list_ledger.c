// SPDX-License-Identifier: LGPL-2.1-or-later
// What a ledger holds, as the flush reads it:
//
//   list_ledger LEDGER
//
// A line for each capture ("run") and stub ("stub"), with its fields separated by tabs: pid,
// parent, step, task, pid of the task, rank, size, the ancestors' pids, start and end in
// nanoseconds, by how many nanoseconds the clock was set, path. Then a line "others RUNS
// NANOSECONDS", and a line "damaged SLOTS".
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "submit/evidence/ledger_read.h"

static void print_capture(const struct capture *capture)
{
    printf("%s\t%d\t%d\t%d\t%d\t%d\t%u\t%u\t", capture->is_stub ? "stub" : "run", capture->pid,
           capture->ppid, (int)capture->step, (int)capture->task, capture->task_pid, capture->rank,
           capture->size);
    for (size_t i = 0; i < capture->ancestor_count; i++)
        printf("%s%d", i == 0 ? "" : ",", capture->ancestors[i].pid);
    printf("\t%" PRIu64 "\t%" PRIu64 "\t", capture->start_ns, capture->end_ns);
    if (capture->has_clock_step)
        printf("%" PRId64, capture->clock_step_ns);
    printf("\t%.*s\n", (int)capture->exec.size, capture->exec.at);
}

int main(int argc, char *argv[])
{
    struct ledger_reader reader;
    struct capture capture;
    int found;
    int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0 || ledger_open(fd, UINT64_C(1) << 40, &reader) != 0)
        return 1;
    while ((found = ledger_next(&reader, &capture)) == 1)
        print_capture(&capture);
    printf("others %" PRIu64 " %" PRIu64 "\ndamaged %zu\n", reader.others_runs, reader.others_ns,
           reader.damaged);
    ledger_close(&reader);
    close(fd);
    return found == 0 ? 0 : 1;
}
