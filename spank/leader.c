/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/leader.h"

#include <stdlib.h>
#include <string.h>

/* The text comes from the user: these bound the work that it makes. */
enum { LINES_MAX = 1024, RANKS_MAX = 1 << 16 };

struct rank_line {
    const char *ranks; /* "0", "1-3", "2,5-7", "*" */
    const char *program;
    size_t program_length;
};

struct rank_lines {
    struct rank_line line[LINES_MAX];
    size_t count;
};

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Returns false for a line that cannot be one of a multi-prog configuration. */
static bool parse_line(const char *text, struct rank_lines *lines)
{
    text = skip_blanks(text);
    if (*text == '\n' || *text == '\0' || *text == '#')
        return true;
    size_t ranks = strspn(text, "0123456789,-*");
    const char *program = skip_blanks(text + ranks);
    size_t length = strcspn(program, " \t\n");
    if (ranks == 0 || program == text + ranks || length == 0 || lines->count == LINES_MAX)
        return false;
    lines->line[lines->count++] = (struct rank_line){text, program, length};
    return true;
}

static bool parse_text(const char *text, struct rank_lines *lines)
{
    lines->count = 0;
    while (*text != '\0') {
        if (!parse_line(text, lines))
            return false;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return lines->count > 0;
}

static bool has_rank(const char *ranks, uint32_t rank)
{
    while (*ranks >= '0' && *ranks <= '9') {
        char *end;
        unsigned long first = strtoul(ranks, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (first <= rank && rank <= last)
            return true;
        ranks = *end == ',' ? end + 1 : "";
    }
    return false;
}

/* A rank that no line names runs the program of the line `*`. */
static const struct rank_line *line_of(const struct rank_lines *lines, uint32_t rank)
{
    const struct rank_line *rest = NULL;
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->line[i].ranks[0] == '*')
            rest = &lines->line[i];
        else if (has_rank(lines->line[i].ranks, rank))
            return &lines->line[i];
    }
    return rest;
}

bool leader_program(const char *text, uint32_t rank, char *program, size_t size)
{
    static struct rank_lines lines;
    const struct rank_line *own = parse_text(text, &lines) ? line_of(&lines, rank) : NULL;
    if (own == NULL || own->program_length >= size)
        return false;
    memcpy(program, own->program, own->program_length);
    program[own->program_length] = '\0';
    return true;
}

uint32_t leader_find(const char *text, uint32_t rank)
{
    static struct rank_lines lines; /* too large for a stack; a task's environment is made once */
    /* An ordinary program's only argument has no newline; several lines have. */
    if (rank == 0 || rank >= RANKS_MAX || strchr(text, '\n') == NULL || !parse_text(text, &lines))
        return 0;
    const struct rank_line *own = line_of(&lines, rank);
    for (uint32_t other = 0; own != NULL && other < rank; other++) {
        const struct rank_line *line = line_of(&lines, other);
        if (line != NULL && line->program_length == own->program_length &&
            memcmp(line->program, own->program, own->program_length) == 0)
            return other;
    }
    return own == NULL ? 0 : rank;
}
