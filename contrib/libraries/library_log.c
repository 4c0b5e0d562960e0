/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/library_log.h"

#include <stdio.h>
#include <string.h>

bool library_log_head(const char *line, size_t size, bool *is_sorted, char zone[DAYS_ZONE_MAX])
{
    /* The size of the head's words at the begin of the line; 0: they are not there. `sizeof`
     * without newline and NUL. */
    const size_t sorted = sizeof LIBRARY_LOG_SORTED - 2;
    const size_t unsorted = sizeof LIBRARY_LOG_UNSORTED - 2;
    *is_sorted = size >= sorted && memcmp(line, LIBRARY_LOG_SORTED, sorted) == 0;
    bool is_unsorted = size >= unsorted && memcmp(line, LIBRARY_LOG_UNSORTED, unsorted) == 0;
    const size_t length = *is_sorted ? sorted : is_unsorted ? unsorted : 0;
    zone[0] = '\0';
    if (length == 0)
        return false;
    if (size == length)
        return true;
    const char *name = line + length + 1;
    size_t name_size = size - length - 1;
    if (line[length] != ' ' || name_size == 0 || name_size >= DAYS_ZONE_MAX)
        return false;
    for (size_t i = 0; i < name_size; i++)
        if (name[i] <= ' ' || name[i] >= 0x7f)
            return false;
    memcpy(zone, name, name_size);
    zone[name_size] = '\0';
    return true;
}

void library_line_read(struct library_days *days, const char *at, const char *end,
                       struct library_line *line)
{
    line->dates = 0;
    while (line->dates < 2) {
        size_t length = library_date_read(days, at, end, &line->date[line->dates]);
        if (length == 0)
            break;
        line->dates++;
        at += length;
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
    }
    line->words = at;
}

/* Takes `ending` from the end of the name, unless nothing would be left. */
static bool take_ending(char *name, const char *ending)
{
    size_t length = strlen(name), size = strlen(ending);
    if (length <= size || strcmp(name + length - size, ending) != 0)
        return false;
    name[length - size] = '\0';
    return true;
}

/* Digits, and hyphens between them, behind `mark` and ".log" */
static void take_rotation(char *name, char mark)
{
    char *found = strrchr(name, mark);
    if (found == NULL || found[1] == '\0' || found[1 + strspn(found + 1, "0123456789")] != '\0')
        return;
    *found = '\0';
    size_t length = strlen(name);
    if (length < 4 || strcmp(name + length - 4, ".log") != 0)
        *found = mark;
}

void library_log_name(const char *path, char name[LIBRARY_NAME_SIZE])
{
    static const char *const compressed[] = {".gz", ".xz", ".zst", ".bz2"};
    const char *slash = strrchr(path, '/');
    const char *file = slash == NULL || slash[1] == '\0' ? path : slash + 1;
    snprintf(name, LIBRARY_NAME_SIZE, "%s", file);
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        if (take_ending(name, compressed[i]))
            break;
    take_rotation(name, '.');
    take_rotation(name, '-');
    take_ending(name, ".log");
}

const char *library_log_short(const char *name)
{
    return strncmp(name, "lib", 3) == 0 && name[3] != '\0' ? name + 3 : name;
}
