/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/archive_write.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"

static size_t padded(size_t size)
{
    return size + size % 2;
}

static void write_field(char *field, size_t room, const char *text)
{
    memset(field, ' ', room);
    memcpy(field, text, strnlen(text, room));
}

/* A header as that of ar D: without user, group and time. */
static void make_header(const char *name, struct ar_hdr *header)
{
    char text[sizeof header->ar_name + 1];
    snprintf(text, sizeof text, "%.15s%s", name, name[0] == '/' ? "" : "/");
    write_field(header->ar_name, sizeof header->ar_name, text);
    write_field(header->ar_date, sizeof header->ar_date, "0");
    write_field(header->ar_uid, sizeof header->ar_uid, "0");
    write_field(header->ar_gid, sizeof header->ar_gid, "0");
    write_field(header->ar_mode, sizeof header->ar_mode, name[0] == '/' ? "0" : "100644");
    memcpy(header->ar_fmag, ARFMAG, sizeof header->ar_fmag);
}

static int write_member(int fd, const struct written_member *member)
{
    char size[24];
    struct ar_hdr header;
    if (member->header != NULL)
        header = *member->header;
    else
        make_header(member->name, &header);
    snprintf(size, sizeof size, "%zu", member->size);
    write_field(header.ar_size, sizeof header.ar_size, size);
    const struct iovec parts[] = {
        {&header, sizeof header},
        {(void *)(uintptr_t)member->bytes, member->size},
        {(void *)(uintptr_t) "\n", member->size % 2},
    };
    return io_write_parts(fd, parts, 3);
}

static void put_number(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * (3 - i));
}

/* Where the header of each member will be, behind an index of `index_size` bytes. */
static int find_places(const struct written_archive *archive, size_t index_size, uint64_t *places)
{
    uint64_t at = SARMAG + sizeof(struct ar_hdr) + index_size;
    if (archive->names != NULL)
        at += sizeof(struct ar_hdr) + padded(archive->names_size);
    for (size_t i = 0; i < archive->members; i++) {
        places[i] = at;
        at += sizeof(struct ar_hdr) + padded(archive->member[i].size);
    }
    return at > UINT32_MAX ? -EFBIG : 0;
}

/* The index: how many names, the place of the member of each, and the names. Malloc'ed. */
static int make_index(const struct written_archive *archive, unsigned char **index, size_t *size)
{
    size_t needed = 4 + 4 * archive->symbols;
    for (size_t i = 0; i < archive->symbols; i++)
        needed += strlen(archive->symbol[i].name) + 1;
    needed = padded(needed);
    CLEANUP_FREE unsigned char *bytes = calloc(1, needed);
    CLEANUP_FREE uint64_t *places = calloc(archive->members + 1, sizeof *places);
    if (bytes == NULL || places == NULL)
        return -ENOMEM;
    int error = find_places(archive, needed, places);
    if (error != 0)
        return error;
    put_number(bytes, archive->symbols);
    unsigned char *text = bytes + 4 + 4 * archive->symbols;
    for (size_t i = 0; i < archive->symbols; i++) {
        put_number(bytes + 4 + 4 * i, places[archive->symbol[i].member]);
        text = (unsigned char *)stpcpy((char *)text, archive->symbol[i].name) + 1;
    }
    *index = bytes;
    *size = needed;
    bytes = NULL;
    return 0;
}

int archive_write(int fd, const struct written_archive *archive)
{
    CLEANUP_FREE unsigned char *index = NULL;
    struct written_member head = {.name = "/"};
    int error = make_index(archive, &index, &head.size);
    head.bytes = index;
    if (error == 0)
        error = io_write_all(fd, ARMAG, SARMAG);
    if (error == 0)
        error = write_member(fd, &head);
    if (error == 0 && archive->names != NULL)
        error =
            write_member(fd, &(struct written_member){archive->names, NULL,
                                                      (const unsigned char *)(archive->names + 1),
                                                      archive->names_size});
    for (size_t i = 0; i < archive->members && error == 0; i++)
        error = write_member(fd, &archive->member[i]);
    return error;
}
