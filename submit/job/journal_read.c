/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/journal_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/grow.h"
#include "spank/journal.h"

/* One line, cut into its words in place. */
struct line {
    char *verb;
    char *word[64]; /* "key=value", value decoded */
    size_t words;
    uint64_t time_ns;
};

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Decodes %XX in place; returns 0, or -EINVAL for a malformed or NUL one. */
static int decode(char *text)
{
    char *to = text;
    for (; *text != '\0'; text++) {
        if (*text != '%') {
            *to++ = *text;
            continue;
        }
        int high = hex_digit(text[1]);
        int low = high < 0 ? -1 : hex_digit(text[2]);
        if (low < 0 || (high == 0 && low == 0))
            return -EINVAL;
        *to++ = (char)(high << 4 | low);
        text += 2;
    }
    *to = '\0';
    return 0;
}

static const char *value_of(const struct line *line, const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < line->words; i++) {
        if (strncmp(line->word[i], key, length) == 0 && line->word[i][length] == '=')
            return line->word[i] + length + 1;
    }
    return NULL;
}

static uint64_t number(const struct line *line, const char *key, uint64_t otherwise)
{
    const char *value = value_of(line, key);
    char *end;
    if (value == NULL || *value < '0' || *value > '9')
        return otherwise;
    errno = 0;
    unsigned long long result = strtoull(value, &end, 10);
    return errno != 0 || *end != '\0' ? otherwise : result;
}

static uint32_t number32(const struct line *line, const char *key, uint32_t otherwise)
{
    uint64_t value = number(line, key, otherwise);
    return value > UINT32_MAX ? otherwise : (uint32_t)value;
}

/* "SECONDS.NANOSECONDS" with nine digits behind the point; 0 when it is anything else. */
static uint64_t parse_time(const char *text)
{
    char *end;
    if (text == NULL || *text < '0' || *text > '9')
        return 0;
    unsigned long long seconds = strtoull(text, &end, 10);
    if (*end != '.' || strspn(end + 1, "0123456789") != 9 || end[10] != '\0' ||
        seconds > UINT32_MAX * 4ull)
        return 0;
    return seconds * 1000000000u + strtoull(end + 1, NULL, 10);
}

static int cut(char *text, struct line *line)
{
    char *rest;
    *line = (struct line){.verb = strtok_r(text, " ", &rest)};
    char *word;
    while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
        if (line->words == sizeof line->word / sizeof line->word[0] || decode(word) != 0)
            return -EINVAL;
        line->word[line->words++] = word;
    }
    line->time_ns = parse_time(value_of(line, "time"));
    return line->verb == NULL || line->time_ns == 0 ? -EINVAL : 0;
}

static int set_text(char **text, const struct line *line, const char *key)
{
    const char *value = value_of(line, key);
    if (value == NULL)
        return 0;
    char *copy = strdup(value);
    if (copy == NULL)
        return -ENOMEM;
    free(*text);
    *text = copy;
    return 0;
}

/* Room for one more element of `size` bytes in an array that doubles. */
static int grow(struct journal *journal, void **array, size_t count, size_t size)
{
    if (journal->facts_bytes > JOURNAL_FACTS_MAX)
        return -EFBIG;
    journal->facts_bytes += size;
    return grow_by_one(array, count, size);
}

static uint32_t number_of_step(const void *steps, size_t i)
{
    return ((const struct journal_step *)steps)[i].step;
}

static uint32_t pid_of_task(const void *tasks, size_t i)
{
    return (uint32_t)((const struct journal_task *)tasks)[i].pid;
}

static struct journal_step *find_step(struct journal *journal, uint32_t step)
{
    return (struct journal_step *)journal_find_step(journal, step);
}

/* Whose job it is, and where. */
static int take_job(struct journal *journal, const struct line *line)
{
    struct job_identity *identity = &journal->identity;
    identity->job = number32(line, "job", identity->job);
    identity->restart = number32(line, "restart", identity->restart);
    identity->uid = (uid_t)number32(line, "uid", (uint32_t)identity->uid);
    identity->gid = (gid_t)number32(line, "gid", (uint32_t)identity->gid);
    return set_text(&identity->node, line, "node") != 0 ||
                   set_text(&journal->boot, line, "boot") != 0
               ? -ENOMEM
               : 0;
}

static int take_step(struct journal *journal, const struct line *line)
{
    struct journal_step step = {
        .step = number32(line, "step", JOURNAL_NONE),
        .nodes = number32(line, "nodes", 0),
        .node_id = number32(line, "node_id", 0),
        .tasks = number32(line, "tasks", 0),
        .local_tasks = number32(line, "local_tasks", 0),
        .cpus = number32(line, "cpus", 0),
        .cpus_per_task = number32(line, "cpus_per_task", 0),
        .pid = (int32_t)number32(line, "pid", 0),
        .ticks = number(line, "ticks", 0),
        .start_ns = line->time_ns,
        .opted_out = number32(line, "opted_out", 0) != 0,
        .container = number32(line, "container", 0) != 0,
    };
    struct job_identity *identity = &journal->identity;
    identity->array_task = number32(line, "array_task", identity->array_task);
    if (identity->array_task != JOURNAL_NONE)
        identity->array_job = number32(line, "array_job", identity->array_job);
    if (take_job(journal, line) != 0 || set_text(&identity->qos, line, "qos") != 0 ||
        set_text(&journal->submit_host, line, "submit_host") != 0)
        return -ENOMEM;
    int result =
        grow(journal, (void **)&journal->steps, journal->step_count, sizeof *journal->steps);
    if (result != 0)
        return result;
    journal->steps[journal->step_count++] = step;
    return journal_index_add(&journal->step_index, journal->step_count, number_of_step,
                             journal->steps);
}

static int take_no_ledger(struct journal *journal, const struct line *line)
{
    struct journal_step *step = find_step(journal, number32(line, "step", JOURNAL_NONE));
    if (step == NULL)
        return -ENOENT;
    step->no_ledger = 1;
    return 0;
}

/* The text of `key`: the `last` one where it is the same. */
static int share_text(struct journal *journal, const struct line *line, const char *key,
                      const char *last, const char **text)
{
    const char *value = value_of(line, key);
    *text = value != NULL && last != NULL && strcmp(value, last) == 0 ? last : NULL;
    if (value == NULL || *text != NULL)
        return 0;
    size_t size = strlen(value) + 1;
    struct journal_shared_text *shared = malloc(sizeof *shared + size);
    if (shared == NULL)
        return -ENOMEM;
    memcpy(shared->text, value, size);
    shared->next = journal->texts;
    journal->texts = shared;
    journal->facts_bytes += sizeof *shared + size;
    *text = shared->text;
    return 0;
}

static int take_program(struct journal *journal, const struct line *line)
{
    const struct journal_program none = {.path = NULL};
    int result = grow(journal, (void **)&journal->programs, journal->program_count,
                      sizeof *journal->programs);
    if (result != 0)
        return result;
    struct journal_program *program = &journal->programs[journal->program_count];
    const struct journal_program *last = journal->program_count == 0 ? &none : program - 1;
    journal->program_count++;
    *program = (struct journal_program){
        .step = number32(line, "step", JOURNAL_NONE),
        .task = number32(line, "task", JOURNAL_NONE),
        .leader = number32(line, "leader", JOURNAL_NONE),
    };
    return share_text(journal, line, "path", last->path, &program->path) != 0 ||
                   share_text(journal, line, "cwd", last->cwd, &program->cwd) != 0 ||
                   share_text(journal, line, "search", last->search, &program->search) != 0
               ? -ENOMEM
               : 0;
}

static int take_task(struct journal *journal, const struct line *line)
{
    int result =
        grow(journal, (void **)&journal->tasks, journal->task_count, sizeof *journal->tasks);
    if (result != 0)
        return result;
    journal->tasks[journal->task_count++] = (struct journal_task){
        .step = number32(line, "step", JOURNAL_NONE),
        .task = number32(line, "task", JOURNAL_NONE),
        .pid = (int32_t)number32(line, "pid", 0),
        .ticks = number(line, "ticks", 0),
        .start_ns = line->time_ns,
    };
    return journal_index_add(&journal->task_index, journal->task_count, pid_of_task,
                             journal->tasks);
}

/* How much earlier a task may have ended than slurmstepd saw. It blocks until the first task of a
 * node ends, looks for others 100 ms later, all at once, and blocks again (measured, 22.05): what
 * is seen shortly behind others may have ended at any time since those, or with them. */
static uint64_t exit_error(struct journal_step *step, uint64_t seen_ns)
{
    const uint64_t latency_ns = 10000000, together_ns = 50000000, apart_ns = 1000000000;
    if (step == NULL)
        return apart_ns;
    uint64_t since_ns = seen_ns - step->last_exit_ns;
    if (since_ns > apart_ns)
        step->exits_since_ns = seen_ns;
    else if (since_ns > together_ns)
        step->exits_since_ns = step->last_exit_ns;
    step->last_exit_ns = seen_ns;
    return seen_ns - step->exits_since_ns + latency_ns;
}

/* Ends the youngest task of this number that has not ended: pids come back, unended tasks of the
 * same step and number do not. */
static int take_exit(struct journal *journal, const struct line *line)
{
    uint32_t step = number32(line, "step", JOURNAL_NONE);
    uint32_t task = number32(line, "task", JOURNAL_NONE);
    int32_t pid = (int32_t)number32(line, "pid", 0);
    uint64_t status = number(line, "status", UINT64_MAX);
    if (status > UINT32_MAX)
        return -EINVAL;
    const struct journal_index *index = &journal->task_index;
    for (uint32_t i = journal_index_first(index, journal->task_count, (uint32_t)pid); i > 0;
         i = journal_index_next(index, i)) {
        struct journal_task *known = &journal->tasks[i - 1];
        if (known->step != step || known->task != task || known->pid != pid || known->end_ns != 0)
            continue;
        known->end_ns = line->time_ns;
        known->error_ns = exit_error(find_step(journal, step), line->time_ns);
        known->status = (int)status;
        return 0;
    }
    return -ENOENT;
}

static int take_end(struct journal *journal, const struct line *line)
{
    struct journal_step *step = find_step(journal, number32(line, "step", JOURNAL_NONE));
    if (step == NULL)
        return -ENOENT;
    step->end_ns = line->time_ns;
    return 0;
}

/* SLURM_JOB_CPUS_PER_NODE, as "4" or "4(x2),2": the sum; 0 when it is anything else. */
static uint32_t sum_cpus(const char *text)
{
    uint64_t sum = 0;
    while (text != NULL && *text != '\0') {
        char *end;
        unsigned long cpus = strtoul(text, &end, 10);
        unsigned long times = 1;
        if (strncmp(end, "(x", 2) == 0) {
            times = strtoul(end + 2, &end, 10);
            if (*end++ != ')')
                return 0;
        }
        if (end == text || (*end != ',' && *end != '\0') || cpus > 65536 || times > 1000000)
            return 0;
        sum += (uint64_t)cpus * times;
        text = *end == ',' ? end + 1 : end;
    }
    return sum > UINT32_MAX ? 0 : (uint32_t)sum;
}

static uint32_t count_list(const char *text)
{
    uint32_t count = text != NULL && *text != '\0';
    while (text != NULL && (text = strchr(text, ',')) != NULL) {
        text++;
        count++;
    }
    return count;
}

static int take_credential(struct journal *journal, const struct line *line)
{
    struct job_identity *identity = &journal->identity;
    journal->nodes = number32(line, "nodes", 0);
    identity->het_job = number32(line, "het_job", JOURNAL_NONE);
    journal->cpus = sum_cpus(value_of(line, "cpus"));
    journal->gpus = count_list(value_of(line, "gpus"));
    if (set_text(&identity->user, line, "user") != 0 ||
        set_text(&identity->account, line, "account") != 0 ||
        set_text(&identity->partition, line, "partition") != 0 ||
        set_text(&identity->qos, line, "qos") != 0 ||
        set_text(&identity->cluster, line, "cluster") != 0)
        return -ENOMEM;
    return 0;
}

static int take_prolog(struct journal *journal, const struct line *line)
{
    journal->prolog_ns = line->time_ns;
    int result = take_job(journal, line);
    return result == 0 ? take_credential(journal, line) : result;
}

static int take_epilog(struct journal *journal, const struct line *line)
{
    if (journal->epilog_ns != 0)
        return 0;
    journal->epilog_ns = line->time_ns;
    return take_credential(journal, line);
}

static int take(struct journal *journal, const struct line *line)
{
    static const struct {
        const char *verb;
        int (*take)(struct journal *, const struct line *);
    } verbs[] = {
        {"prolog", take_prolog},   {"step", take_step},
        {"task", take_task},       {"exit", take_exit},
        {"end", take_end},         {"epilog", take_epilog},
        {"program", take_program}, {"noledger", take_no_ledger},
    };
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(line->verb, verbs[i].verb) == 0)
            return verbs[i].take(journal, line);
    }
    return 0;
}

/* One line with a NUL in place of its newline, `length` bytes before that. Bytes of a file that a
 * crash left unwritten are NUL. */
static int take_line(struct journal *journal, char *text, size_t length)
{
    struct line line;
    int result = strlen(text) == length ? cut(text, &line) : -EINVAL;
    if (result == 0 && line.time_ns > journal->last_ns)
        journal->last_ns = line.time_ns;
    if (result == 0)
        result = take(journal, &line);
    if (result == -ENOMEM)
        return result;
    journal->bad_lines += result != 0;
    return 0;
}

/* Lines as they come, block by block. */
struct lines {
    struct journal *journal;
    char text[JOURNAL_LINE_MAX + 1];
    size_t used; /* of the line that has begun; JOURNAL_LINE_MAX: it is none of ours */
};

static void keep_start(struct lines *lines, const char *bytes, size_t size)
{
    size_t room = JOURNAL_LINE_MAX - lines->used;
    if (size > room)
        size = room;
    memcpy(lines->text + lines->used, bytes, size);
    lines->used += size;
}

static int end_line(struct lines *lines)
{
    size_t length = lines->used;
    lines->used = 0;
    lines->text[length] = '\0';
    if (length < JOURNAL_LINE_MAX)
        return take_line(lines->journal, lines->text, length);
    lines->journal->bad_lines++;
    return 0;
}

static int take_block(struct lines *lines, const char *bytes, size_t size)
{
    const char *newline;
    int result = 0;
    while (result == 0 && (newline = memchr(bytes, '\n', size)) != NULL) {
        size_t length = (size_t)(newline - bytes);
        keep_start(lines, bytes, length);
        result = end_line(lines);
        bytes += length + 1;
        size -= length + 1;
    }
    if (result == 0)
        keep_start(lines, bytes, size);
    return result;
}

/* A line that a full file system cut has no newline, or ends in `%`. */
static void take_rest(struct lines *lines)
{
    lines->journal->bad_lines += lines->used != 0;
}

static int start_empty(struct journal *journal)
{
    *journal = (struct journal){0};
    int error = job_identity_start(&journal->identity);
    journal->boot = strdup("");
    journal->submit_host = strdup("");
    return journal->boot == NULL || journal->submit_host == NULL ? -ENOMEM : error;
}

/* Ends in `*journal` or is released. */
static int finish(struct journal *found, int result, struct journal *journal)
{
    if (result == 0 && (found->identity.uid == (uid_t)-1 || found->identity.gid == (gid_t)-1))
        result = -ENODATA;
    if (result == 0)
        *journal = *found;
    else
        journal_free(found);
    return result;
}

int journal_read(int fd, struct journal *journal)
{
    struct journal found;
    struct lines lines = {.journal = &found};
    char block[16 << 10];
    ssize_t got = 1;
    int result = start_empty(&found);
    while (result == 0 && got > 0) {
        got = read(fd, block, sizeof block);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got < 0)
            result = -errno;
        else
            result = take_block(&lines, block, (size_t)got);
    }
    take_rest(&lines);
    return finish(&found, result, journal);
}

int journal_parse(const char *text, size_t size, struct journal *journal)
{
    struct journal found;
    struct lines lines = {.journal = &found};
    int result = start_empty(&found);
    if (result == 0)
        result = take_block(&lines, text, size);
    take_rest(&lines);
    return finish(&found, result, journal);
}

static void free_texts(struct journal_shared_text *text)
{
    while (text != NULL) {
        struct journal_shared_text *next = text->next;
        free(text);
        text = next;
    }
}

void journal_free(struct journal *journal)
{
    job_identity_free(&journal->identity);
    free(journal->boot);
    free(journal->submit_host);
    free(journal->steps);
    free(journal->tasks);
    free_texts(journal->texts);
    free(journal->programs);
    journal_index_free(&journal->step_index);
    journal_index_free(&journal->task_index);
    *journal = (struct journal){0};
}

const struct journal_step *journal_find_step(const struct journal *journal, uint32_t step)
{
    const struct journal_index *index = &journal->step_index;
    for (uint32_t i = journal_index_first(index, journal->step_count, step); i > 0;
         i = journal_index_next(index, i)) {
        if (journal->steps[i - 1].step == step)
            return &journal->steps[i - 1];
    }
    return NULL;
}

const struct journal_task *journal_find_task(const struct journal *journal, int32_t pid,
                                             uint64_t ticks)
{
    const struct journal_index *index = &journal->task_index;
    for (uint32_t i = journal_index_first(index, journal->task_count, (uint32_t)pid); i > 0;
         i = journal_index_next(index, i)) {
        const struct journal_task *task = &journal->tasks[i - 1];
        if (task->pid == pid && task->ticks == ticks)
            return task;
    }
    return NULL;
}
