/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/command/profile_samples.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/text.h"
#include "contrib/profile/command/readable_names.h"
#include "contrib/profile/profile_log.h"
#include "contrib/profile/sample_file.h"
#include "spank/journal.h"

static void print_time(const char *key, uint64_t ns)
{
    char text[32] = "?";
    struct tm local;
    time_t seconds = (time_t)(ns / 1000000000);
    if (localtime_r(&seconds, &local) != NULL)
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &local);
    printf("# %s: %s.%09" PRIu64 "\n", key, text, ns % 1000000000);
}

static int print_samples(const struct sample_file *file)
{
    puts("seconds\ttid\tkind\tstack");
    for (uint64_t i = 0; i < file->header.samples; i++) {
        const struct profile_sample *sample = &file->sample[i];
        CLEANUP_FREE char *path = profile_path(&file->set, sample->stack, '<');
        if (path == NULL)
            return -ENOMEM;
        printf("%.9f\t%" PRId32 "\t%s\t%s\n", (double)sample->ns / 1e9, sample->tid,
               sample->kind == PROFILE_ENTER ? "enter" : "exit", path);
    }
    return 0;
}

int profile_samples_print(const char *path, bool linker_names)
{
    struct sample_file file;
    struct readable_names names = {.count = 0};
    CLEANUP_CLOSE int fd = io_open_regular(AT_FDCWD, path, 0);
    int error = fd < 0 ? fd : sample_file_read(fd, &file);
    if (error != 0)
        return error;
    if (!linker_names)
        error = readable_names_put(&file.set, &names);
    if (error == 0) {
        char text[TERMINAL_WORD_SIZE], step[16];
        printf("# jobtrail: %s\n", terminal_word(file.header.version, text));
        journal_step_text(file.header.step, step, sizeof step);
        if (file.header.step != UINT32_MAX)
            printf("# step: %s\n# task: %" PRIu32 "\n", step, file.header.task);
        printf("# rank: %" PRIu32 "\n# ranks: %" PRIu32 "\n", file.header.rank, file.header.size);
        printf("# node: %s\n# pid: %" PRId32 "\n", terminal_word(file.header.node, text),
               file.header.pid);
        print_time("begin", file.header.begin_ns);
        print_time((file.header.flags & PROFILE_RANK_END_KNOWN) != 0 ? "end" : "end, at least",
                   file.header.end_ns);
        printf("# reached exit: %s\n",
               (file.header.flags & PROFILE_RANK_ENDED) != 0 ? "yes" : "no");
        printf("# interval: %.6f s\n", (double)file.header.interval_ns / 1e9);
        printf("# stacks: %" PRIu64 ", at %" PRIu64 "\n", file.header.stacks,
               file.header.stacks_at);
        printf("# samples: %" PRIu64 ", at %" PRIu64 "\n", file.header.samples,
               file.header.samples_at);
        printf("# names: %" PRIu64 " bytes, at %" PRIu64 "\n", file.header.name_bytes,
               file.header.names_at);
        error = print_samples(&file);
    }
    sample_file_free(&file);
    readable_names_free(&names);
    return error;
}
