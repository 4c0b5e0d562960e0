/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/load_slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/program_run.h"
#include "conf/base/text.h"

#define JOBS_AT_ONCE 10000     /* in one transaction */
#define RECORD_MAX   (1 << 20) /* bytes */
#define CELLS        (SLURM_COLUMNS + 1)
#define CLUSTERS_MAX 65
#define NOT_ALL      3  /* exit status: what has not answered was told */
#define WHAT_BYTES   80 /* longer names of clusters are cut */

/* What comes of jobtrail-slurm-rows. */
struct slurm_input {
    struct slurm_load *load;
    char *text; /* owned: what is not read yet */
    size_t size, text_room;
    struct slurm_job *jobs; /* owned: not put yet */
    size_t count, room;
    char what[WHAT_BYTES]; /* shows the progress */
    bool store_failed;
};

static void say(struct slurm_load *load, const char *from, const char *what)
{
    char shown[TERMINAL_WORD_SIZE], words[TERMINAL_WORD_SIZE];
    progress_clear(&load->progress);
    fprintf(stderr, "jobtrail-load: jobs of Slurm: %s%s%s\n", terminal_word(from, shown),
            from[0] == '\0' ? "" : ": ", terminal_word(what, words));
}

static void drop_jobs(struct slurm_input *input)
{
    for (size_t i = 0; i < input->count; i++)
        free(input->jobs[i].text);
    input->count = 0;
}

/* With `until`: all of the cluster up to then have come. */
static int put_jobs(struct slurm_input *input, const char *cluster, const char *until)
{
    const struct slurm_answer answer = {input->jobs, input->count,
                                        until[0] == '\0' ? NULL : cluster, strtod(until, NULL)};
    int error = store_put_slurm_jobs(input->load->store, &answer, &input->load->counts);
    input->store_failed = error != 0;
    drop_jobs(input);
    return error;
}

static int take_job(struct slurm_input *input, const char *cells, size_t size)
{
    enum { TEXT, INT, REAL };
#define KIND(name, kind) kind,
    static const char kinds[] = {SLURM_KNOWN_COLUMNS(KIND) SLURM_OTHER_COLUMNS(KIND)};
#undef KIND
    if (GROW_TO(input->jobs, input->room, input->count + 1) != 0)
        return -ENOMEM;
    struct slurm_job *job = &input->jobs[input->count];
    char *text = job->text = malloc(size);
    if (text == NULL)
        return -ENOMEM;
    memcpy(text, cells, size);
    input->count++;
    for (size_t i = 0; i < SLURM_COLUMNS; i++) {
        struct value *value = &job->column[i];
        *value = value_text(text);
        if (kinds[i] == INT)
            *value = value_int(strtoll(text, NULL, 10));
        else if (kinds[i] == REAL)
            *value = (struct value){.kind = VALUE_REAL, .real = strtod(text, NULL)};
        if (text[0] == '\0' && kinds[i] != TEXT)
            *value = (struct value){.kind = VALUE_NULL};
        text += strlen(text) + 1;
    }
    return input->count < JOBS_AT_ONCE ? 0 : put_jobs(input, "", "");
}

static void show_day(struct slurm_input *input, char *const cell[4])
{
    size_t done = strtoul(cell[2], NULL, 10);
    snprintf(input->what, sizeof input->what,
             "days of Slurm's jobs%s%s: ", cell[1][0] == '\0' ? "" : ", ", cell[1]);
    if (done == 0)
        progress_begin(&input->load->progress, input->what, strtoul(cell[3], NULL, 10));
    progress_show(&input->load->progress, done, "");
}

/* See contrib/jobtrail/slurm_jobs.py. */
static int take_record(struct slurm_input *input, char *const cell[4], size_t size)
{
    if (strcmp(cell[0], "job") == 0)
        return take_job(input, cell[1], size - (size_t)(cell[1] - cell[0]));
    if (strcmp(cell[0], "put") == 0) {
        input->load->damaged += strtoul(cell[3], NULL, 10);
        return put_jobs(input, cell[1], cell[2]);
    }
    if (strcmp(cell[0], "say") == 0)
        say(input->load, cell[1], cell[2]);
    else
        show_day(input, cell);
    return 0;
}

static int take_bytes(void *context, const char *bytes, size_t size)
{
    struct slurm_input *input = context;
    if (*input->load->stop != 0)
        return -EINTR;
    if (input->size + size > RECORD_MAX)
        return -EMSGSIZE;
    if (GROW_TO(input->text, input->text_room, input->size + size) != 0)
        return -ENOMEM;
    memcpy(input->text + input->size, bytes, size);
    input->size += size;
    char *at = input->text, *end = input->text + input->size;
    int error = 0;
    while (error == 0) {
        char *cell[CELLS + 1] = {at};
        for (size_t i = 0; i < CELLS && cell[i] != NULL; i++) {
            cell[i + 1] = memchr(cell[i], '\0', (size_t)(end - cell[i]));
            cell[i + 1] += cell[i + 1] != NULL;
        }
        if (cell[CELLS] == NULL)
            break;
        error = take_record(input, cell, (size_t)(cell[CELLS] - at));
        at = cell[CELLS];
    }
    input->size = (size_t)(end - at);
    memmove(input->text, at, input->size);
    return error;
}

/* `argv` without the program, for which there is room. */
static enum slurm_result run(struct slurm_load *load, const char *argv[])
{
    struct slurm_input input = {.load = load};
    struct program_result result = {.text = NULL};
    char program[PATH_MAX];
    argv[0] = program;
    int error = -ENAMETOOLONG;
    if (program_place(ROWS_FROM_BIN, program, sizeof program))
        error = program_run_taking(argv, NULL, INT_MAX, take_bytes, &input, &result);
    bool is_told = error == 0 && WIFEXITED(result.status) && WEXITSTATUS(result.status) == NOT_ALL;
    bool has_failed = error != 0 || result.status != 0;
    if (error == -ENOENT)
        say(load, "", "jobtrail-slurm-rows is not installed");
    else if (has_failed && !is_told && !input.store_failed && error != -EINTR)
        say(load, "jobtrail-slurm-rows", error != 0 ? strerror(-error) : result.complaint);
    progress_clear(&load->progress);
    program_result_free(&result);
    drop_jobs(&input);
    free(input.jobs);
    free(input.text);
    if (input.store_failed)
        return SLURM_STORE_FAILED;
    if (error == -EINTR)
        return SLURM_STOPPED;
    return has_failed ? SLURM_NO_ANSWER : SLURM_LOADED;
}

enum slurm_result load_slurm(struct slurm_load *load)
{
    CLEANUP_FREE char *clusters = NULL;
    char days[16];
    const char *argv[CLUSTERS_MAX + 4] = {NULL, "ask", days};
    if (store_slurm_clusters(load->store, &clusters) != 0)
        return SLURM_STORE_FAILED;
    snprintf(days, sizeof days, "%u", load->days);
    size_t count = 3;
    for (char *word = clusters; *word != '\0' && count < CLUSTERS_MAX + 3; word += strlen(word) + 1)
        argv[count++] = word;
    return run(load, argv);
}

enum slurm_result load_slurm_rows(struct slurm_load *load, const char *path)
{
    char descriptor[16];
    const char *argv[] = {NULL, "read", path, descriptor, NULL};
    bool is_stdin = strcmp(path, "-") == 0;
    /* that the program inherits */
    CLEANUP_CLOSE int file = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY); // NOLINT
    snprintf(descriptor, sizeof descriptor, "%d", file);
    if (file >= 0)
        return run(load, argv);
    say(load, path, strerror(errno));
    return SLURM_NO_ANSWER;
}
