/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/archive_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"

#define THIN_MAGIC "!<thin>\n"

static int add_member(struct archive *archive, const struct ar_hdr *header, const char *name,
                      const unsigned char *bytes, size_t size)
{
    char *copy = strdup(name);
    if (copy == NULL || GROW(archive->member, archive->count) != 0) {
        free(copy);
        return -ENOMEM;
    }
    struct archive_member *member = &archive->member[archive->count++];
    *member = (struct archive_member){.name = copy, .header = header, .bytes = bytes, .size = size};
    member->fault = object_open(bytes, size, &member->object);
    return 0;
}

/* The decimal number that a field begins with; SIZE_MAX where there is none, or more behind it than
 * blanks. */
static size_t read_number(const char *field, size_t room)
{
    size_t number = 0, i = 0;
    while (i < room && field[i] >= '0' && field[i] <= '9')
        number = 10 * number + (size_t)(field[i++] - '0');
    if (i == 0)
        return SIZE_MAX;
    while (i < room && field[i] == ' ')
        i++;
    return i == room ? number : SIZE_MAX;
}

/* The name in a header: NAME/, or /PLACE in the table of long names. Returns a copy, or NULL with
 * `*error`: -ENOMEM, or -ENOEXEC where there is none. */
static char *read_name(const struct archive *archive, const struct ar_hdr *header, int *error)
{
    const char *from = header->ar_name, *end = from + sizeof header->ar_name;
    if (from[0] == '/') {
        size_t place = read_number(from + 1, sizeof header->ar_name - 1);
        if (place >= archive->names_size) {
            *error = -ENOEXEC;
            return NULL;
        }
        from = (const char *)(archive->names + 1) + place;
        end = (const char *)(archive->names + 1) + archive->names_size;
    }
    const char *newline = memchr(from, '\n', (size_t)(end - from));
    end = newline == NULL ? end : newline;
    while (end > from && (end[-1] == ' ' || end[-1] == '/'))
        end--;
    char *name = strndup(from, (size_t)(end - from));
    *error = name == NULL ? -ENOMEM : 0;
    return name;
}

static bool is_named(const struct ar_hdr *header, const char *name)
{
    size_t length = strlen(name);
    return memcmp(header->ar_name, name, length) == 0 && header->ar_name[length] == ' ';
}

/* A member of `size` bytes behind its header: an object, an index, or the table of long names. */
static int take_member(struct archive *archive, const struct ar_hdr *header, size_t size)
{
    int error = 0;
    if (is_named(header, "/") || is_named(header, "/SYM64/"))
        return 0;
    if (is_named(header, "//")) {
        archive->names = header;
        archive->names_size = size;
        return 0;
    }
    CLEANUP_FREE char *name = read_name(archive, header, &error);
    return error != 0
               ? error
               : add_member(archive, header, name, (const unsigned char *)(header + 1), size);
}

static int read_members(struct archive *archive)
{
    size_t at = SARMAG;
    int error = 0;
    while (error == 0 && at < archive->size) {
        const struct ar_hdr *header = (const struct ar_hdr *)(archive->bytes + at);
        if (archive->size - at < sizeof *header ||
            memcmp(header->ar_fmag, ARFMAG, sizeof header->ar_fmag) != 0)
            return -ENOEXEC;
        size_t size = read_number(header->ar_size, sizeof header->ar_size);
        at += sizeof *header;
        if (size > archive->size - at)
            return -ENOEXEC;
        error = take_member(archive, header, size);
        at += size + size % 2; /* the last one may lack the byte that makes it even */
    }
    return error;
}

int archive_read(char *bytes, size_t size, const char *name, struct archive *archive,
                 const char **fault)
{
    *archive = (struct archive){.bytes = bytes, .size = size};
    *fault = NULL;
    if (size >= SARMAG && memcmp(bytes, THIN_MAGIC, SARMAG) == 0) {
        *fault = "is a thin archive, which has only names of objects: make one that has them, by "
                 "ar rc NEW.a $(ar t THIN.a)";
        return 0;
    }
    archive->is_archive = size >= SARMAG && memcmp(bytes, ARMAG, SARMAG) == 0;
    if (!archive->is_archive) {
        int error = add_member(archive, NULL, name, (unsigned char *)bytes, size);
        if (error == 0)
            *fault = archive->member[0].fault;
        return error;
    }
    int error = read_members(archive);
    if (error == -ENOEXEC)
        *fault = "is damaged, or no archive of the System V kind";
    return error == -ENOEXEC ? 0 : error;
}

void archive_free(struct archive *archive)
{
    for (size_t i = 0; i < archive->count; i++) {
        object_close(&archive->member[i].object);
        free(archive->member[i].name);
    }
    free(archive->member);
    free(archive->bytes);
    *archive = (struct archive){.count = 0};
}
