/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/journal_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spank/journal.h"
#include "submit/job/journal_facts.h"

/* Collects lines from blocks of the file. */
struct journal_lines {
    struct journal *journal;
    char text[JOURNAL_LINE_MAX + 1];
    size_t used; /* bytes of the current line; JOURNAL_LINE_MAX: it is too long to be valid */
};

static void append_to_line(struct journal_lines *lines, const char *bytes, size_t size)
{
    size_t room = JOURNAL_LINE_MAX - lines->used;
    if (size > room)
        size = room;
    memcpy(lines->text + lines->used, bytes, size);
    lines->used += size;
}

static int end_line(struct journal_lines *lines)
{
    size_t length = lines->used;
    lines->used = 0;
    lines->text[length] = '\0';
    if (length < JOURNAL_LINE_MAX)
        return journal_facts_take(lines->journal, lines->text, length);
    lines->journal->bad_lines++;
    return 0;
}

static int add_block(struct journal_lines *lines, const char *bytes, size_t size)
{
    const char *newline;
    int error = 0;
    while (error == 0 && (newline = memchr(bytes, '\n', size)) != NULL) {
        size_t length = (size_t)(newline - bytes);
        append_to_line(lines, bytes, length);
        error = end_line(lines);
        bytes += length + 1;
        size -= length + 1;
    }
    if (error == 0)
        append_to_line(lines, bytes, size);
    return error;
}

/* A line that a full file system has cut has no newline. */
static void count_rest(struct journal_lines *lines)
{
    lines->journal->bad_lines += lines->used != 0;
}

static int start_journal(struct journal *journal)
{
    *journal = (struct journal){0};
    int error = job_identity_start(&journal->identity);
    journal->boot = strdup("");
    journal->submit_host = strdup("");
    return journal->boot == NULL || journal->submit_host == NULL ? -ENOMEM : error;
}

/* Moves `*found` to `*journal`, or releases it where there is an `error` or it lacks its user. */
static int finish_journal(struct journal *found, int error, struct journal *journal)
{
    if (error == 0 && (found->identity.uid == (uid_t)-1 || found->identity.gid == (gid_t)-1))
        error = -ENODATA;
    if (error != 0) {
        journal_free(found);
        return error;
    }
    journal_facts_finish(found);
    *journal = *found;
    return 0;
}

int journal_read(int fd, struct journal *journal)
{
    struct journal found;
    struct journal_lines lines = {.journal = &found};
    char block[16 << 10];
    ssize_t got = 1;
    int error = start_journal(&found);
    while (error == 0 && got > 0) {
        got = read(fd, block, sizeof block);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got < 0)
            error = -errno;
        else
            error = add_block(&lines, block, (size_t)got);
    }
    count_rest(&lines);
    return finish_journal(&found, error, journal);
}

int journal_parse(const char *text, size_t size, struct journal *journal)
{
    struct journal found;
    struct journal_lines lines = {.journal = &found};
    int error = start_journal(&found);
    if (error == 0)
        error = add_block(&lines, text, size);
    count_rest(&lines);
    return finish_journal(&found, error, journal);
}

void journal_free(struct journal *journal)
{
    job_identity_free(&journal->identity);
    free(journal->boot);
    free(journal->submit_host);
    core_set_free(&journal->cores);
    free(journal->pauses);
    for (size_t i = 0; i < journal->step_count; i++)
        core_set_free(&journal->steps[i].cores);
    free(journal->steps);
    free(journal->tasks);
    while (journal->texts != NULL) {
        struct journal_shared_text *next = journal->texts->next;
        free(journal->texts);
        journal->texts = next;
    }
    free(journal->programs);
    journal_index_free(&journal->step_index);
    journal_index_free(&journal->task_index);
    *journal = (struct journal){0};
}
