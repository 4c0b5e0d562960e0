/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/evidence/package_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "conf/base/text.h"
#include "contrib/hooks/packages.h"

enum { FIELDS_MAX = 7 };

/* Cuts the line at its tabs. Returns the number of fields; 0: more than FIELDS_MAX. */
static size_t split_fields(char *line, const char **fields)
{
    size_t count = 0;
    for (char *at = line; at != NULL;) {
        if (count == FIELDS_MAX)
            return 0;
        fields[count++] = strsep(&at, "\t");
    }
    return count;
}

static bool is_valid_text(const char *text, size_t max)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    }
    return length <= max;
}

static bool is_valid(const struct package *package)
{
    return strspn(package->uuid, "0123456789abcdef") == PACKAGE_UUID_SIZE - 1 &&
           package->uuid[PACKAGE_UUID_SIZE - 1] == '\0' && package->program[0] != '\0' &&
           is_valid_text(package->program, PACKAGES_PROGRAM) &&
           is_valid_text(package->name, PACKAGES_NAME_BYTES) &&
           is_valid_text(package->version, PACKAGES_VERSION) &&
           is_valid_text(package->path, PACKAGES_LINE);
}

static bool parse_number(const char *text, uint32_t *number)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 9 || text[digits] != '\0')
        return false;
    *number = (uint32_t)strtoul(text, NULL, 10);
    return true;
}

/* Returns 1 and fills `*package`; 0 for a line of a newer hook; -EINVAL for a bad one. */
static int parse_line(char *line, struct package *package)
{
    const char *fields[FIELDS_MAX];
    size_t count = split_fields(line, fields);
    if (count == 4 && strcmp(fields[0], "hook") == 0) {
        *package = (struct package){fields[1], fields[2], "", fields[3], "", 0, false};
        return is_valid(package) ? 1 : -EINVAL;
    }
    bool is_xalts = count > 0 && strcmp(fields[0], "xalt") == 0;
    if (count == 7 && (is_xalts || strcmp(fields[0], "pkg") == 0)) {
        *package =
            (struct package){fields[1], fields[2], fields[4], fields[5], fields[6], 0, is_xalts};
        return parse_number(fields[3], &package->lost) && package->name[0] != '\0' &&
                       is_valid(package)
                   ? 1
                   : -EINVAL;
    }
    bool is_known = is_xalts || (count > 0 &&
                                 (strcmp(fields[0], "hook") == 0 || strcmp(fields[0], "pkg") == 0));
    size_t letters = count == 0 ? 0 : strspn(fields[0], "abcdefghijklmnopqrstuvwxyz");
    return !is_known && letters > 0 && fields[0][letters] == '\0' ? 0 : -EINVAL;
}

static int compare_packages(const struct package *a, const struct package *b)
{
    int order = strcmp(a->uuid, b->uuid);
    if (order == 0)
        order = strcmp(a->program, b->program);
    return order != 0 ? order : strcmp(a->name, b->name);
}

/* As compare_packages(); of the lines of one package, one of a hook of ours comes first, and of
 * these one with a version. */
static int by_run_and_name(const void *left, const void *right)
{
    const struct package *a = left, *b = right;
    int order = compare_packages(a, b);
    if (order == 0)
        order = a->is_xalts - b->is_xalts;
    if (order == 0)
        order = (a->version[0] == '\0') - (b->version[0] == '\0');
    if (order == 0)
        order = a->uuid < b->uuid ? -1 : a->uuid > b->uuid;
    return order;
}

static void remove_duplicates(struct packages *packages)
{
    size_t kept = 0;
    if (packages->count > 0)
        qsort(packages->package, packages->count, sizeof *packages->package, by_run_and_name);
    for (size_t i = 0; i < packages->count; i++) {
        struct package *last = kept == 0 ? NULL : &packages->package[kept - 1];
        const struct package *next = &packages->package[i];
        if (last == NULL || compare_packages(last, next) != 0)
            packages->package[kept++] = *next;
        else if (next->lost > last->lost)
            last->lost = next->lost;
    }
    packages->count = kept;
}

int packages_parse(char *text, size_t size, struct packages *packages)
{
    struct packages found = {.text = text};
    int result = 0;
    text[size] = '\0';
    for (char *line = text, *end = text + size; result >= 0 && line < end;) {
        struct package package;
        char *newline = memchr(line, '\n', (size_t)(end - line));
        char *stop = newline == NULL ? end : newline;
        *stop = '\0';
        result =
            newline == NULL || stop - line >= PACKAGES_LINE || strlen(line) < (size_t)(stop - line)
                ? -EINVAL
                : parse_line(line, &package);
        if (result == 1) {
            result = GROW(found.package, found.count);
            if (result == 0)
                found.package[found.count++] = package;
        }
        if (result == -EINVAL) {
            found.bad_lines++;
            result = 0;
        }
        line = stop + 1;
    }
    if (result < 0) {
        packages_free(&found);
        return result;
    }
    remove_duplicates(&found);
    *packages = found;
    return 0;
}

int packages_read(int fd, struct packages *packages)
{
    const size_t limit = PACKAGES_BYTES + PACKAGES_LINE;
    struct packages found;
    off_t length = lseek(fd, 0, SEEK_END);
    if (length < 0)
        return -errno;
    size_t room = (size_t)length < limit ? (size_t)length : limit;
    char *text = malloc(room + 1);
    if (text == NULL)
        return -ENOMEM;
    ssize_t size = io_read_at(fd, text, room, 0);
    if (size < 0) {
        free(text);
        return (int)size;
    }
    int result = packages_parse(text, (size_t)size, &found);
    if (result == 0) {
        found.bad_lines += (size_t)length > limit;
        *packages = found;
    }
    return result;
}

void packages_free(struct packages *packages)
{
    free(packages->package);
    free(packages->text);
    *packages = (struct packages){0};
}

struct package_run packages_of_run(const struct packages *packages, const uint8_t uuid[16])
{
    char text[PACKAGE_UUID_SIZE];
    struct package_run run = {0};
    size_t low = 0, high = packages->count;
    text_hex(uuid, 16, text);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(packages->package[middle].uuid, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    run.package = packages->count == 0 ? NULL : packages->package + low;
    for (; low < packages->count && strcmp(packages->package[low].uuid, text) == 0; low++) {
        const struct package *package = &packages->package[low];
        run.hooked |= package->name[0] == '\0' || package->is_xalts;
        run.lost = package->lost > run.lost ? package->lost : run.lost;
        run.count++;
    }
    if (run.count > PACKAGES_OF_RUN_MAX) {
        run.lost += run.count - PACKAGES_OF_RUN_MAX;
        run.count = PACKAGES_OF_RUN_MAX;
    }
    return run;
}
