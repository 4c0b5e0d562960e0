/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the watermark of a program in the way in which XALT 3.2.4 does at run time, and prints it,
 * "KEY = VALUE" a line. XALT's reader takes the sizes in the file as they are:
 *
 * - It walks the notes of each PT_NOTE segment, and expects each right after the name and the
 * content of the one before, without padding.
 * - It copies the strings of its note up to an empty one, with a '.' after each, into a buffer of
 * the note's size.
 * - It looks for '<' in the copy, then for `>%%`, then for `%%.`, and for the next '<' from there.
 *
 * Where XALT's reader would leave the segment, the buffer or the copy, this one ends with status 3.
 * It reads the file, so that it can look at programs that do not run here.
 *
 *   read_note_as_xalt FILE      0: printed; 1: no watermark; 2: cannot be read; 3: XALT would crash
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 12, NAME = 8, TYPE = 0x746c6158, VERSION = 2 };
enum { STATUS_NONE = 1, STATUS_UNREADABLE, STATUS_CRASH };

static void print_keys(char *text)
{
    for (char *at = text; (at = strchr(at, '<')) != NULL;) {
        char *end = strstr(at, ">%%");
        char *stop = end == NULL ? NULL : strstr(end, "%%.");
        if (stop == NULL)
            errx(STATUS_CRASH, "a key or a value has no end");
        *stop = *end = '\0';
        printf("%s = ", at + 1);
        for (char *value = end + 3; value < stop; value++) {
            bool is_blank = strncmp(value, "_%_%_", 5) == 0;
            putchar(is_blank ? ' ' : *value);
            value += is_blank ? 4 : 0;
        }
        putchar('\n');
        at = stop + 1;
    }
}

/* The content of XALT's note: `size` bytes of it are in the note, `room` in the segment. */
static void copy_strings(const char *content, size_t size, size_t room)
{
    char *copy = malloc(size);
    size_t used = 0;
    for (size_t at = 1; at < room && content[at] != '\0';) {
        size_t length = strnlen(content + at, room - at);
        if (at + length >= size)
            errx(STATUS_CRASH, "no empty string in the note");
        if (used + length + 2 > size)
            errx(STATUS_CRASH, "the copy is larger than the note");
        memcpy(copy + used, content + at, length);
        used += length;
        copy[used++] = '.';
        at += length + 1;
    }
    copy[used] = '\0';
    print_keys(copy);
    free(copy);
}

static bool read_segment(const char *notes, size_t size)
{
    uint32_t head[3];
    for (size_t at = 0; at < size; at += HEAD + head[0] + head[1]) {
        if (size - at < HEAD)
            errx(STATUS_CRASH, "the walk leaves the segment");
        memcpy(head, notes + at, sizeof head);
        if (head[2] != TYPE || size - at <= HEAD + NAME || notes[at + HEAD + NAME] != VERSION)
            continue;
        copy_strings(notes + at + HEAD + NAME, head[1], size - at - HEAD - NAME);
        return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    struct stat status;
    int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0 || fstat(fd, &status) != 0)
        err(STATUS_UNREADABLE, "%s", argc == 2 ? argv[1] : "usage: read_note_as_xalt FILE");
    const char *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    const Elf64_Ehdr *header = (const void *)file;
    if (file == MAP_FAILED || header->e_ident[EI_CLASS] != ELFCLASS64)
        errx(STATUS_UNREADABLE, "%s: no 64-bit ELF file", argv[1]);
    const Elf64_Phdr *segment = (const void *)(file + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++) {
        if (segment[i].p_type == PT_NOTE &&
            read_segment(file + segment[i].p_offset, segment[i].p_filesz))
            return 0;
    }
    return STATUS_NONE;
}
