/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/object_edit.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"

/* The object as it grows: what is there, and where the next appended byte goes. */
struct object_image {
    const struct object *object;
    unsigned char *bytes;
    size_t used;
};

/* Writes a number of `width` bytes in the object's byte order. */
static int put_number(struct object_image *image, uint64_t at, uint64_t value, size_t width)
{
    bool is_little = image->object->header.e_ident[EI_DATA] == ELFDATA2LSB;
    if (width < 8 && value >> 8 * width != 0)
        return -EFBIG;
    if (at > image->object->size || image->object->size - at < width)
        return -ENOEXEC;
    for (size_t i = 0; i < width; i++)
        image->bytes[at + i] = (unsigned char)(value >> 8 * (is_little ? i : width - 1 - i));
    return 0;
}

/* The section's bytes are from now on those at `offset`. */
static int move_section(struct object_image *image, size_t section, uint64_t offset, uint64_t size)
{
    const GElf_Ehdr *header = &image->object->header;
    bool is_64 = image->object->is_64;
    size_t width = is_64 ? 8 : 4;
    uint64_t at = header->e_shoff + section * header->e_shentsize;
    if (header->e_shentsize != (is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)) ||
        header->e_shoff > image->object->size)
        return -ENOEXEC;
    int error = put_number(
        image, at + (is_64 ? offsetof(Elf64_Shdr, sh_offset) : offsetof(Elf32_Shdr, sh_offset)),
        offset, width);
    return error != 0 ? error
                      : put_number(image,
                                   at + (is_64 ? offsetof(Elf64_Shdr, sh_size)
                                               : offsetof(Elf32_Shdr, sh_size)),
                                   size, width);
}

static size_t append(struct object_image *image, const void *bytes, size_t size)
{
    size_t at = image->used;
    memcpy(image->bytes + at, bytes, size);
    image->used += size;
    return at;
}

/* Where the names of symbols are, which may be where those of sections are. */
static int find_names(const struct object *object, GElf_Shdr *names)
{
    Elf_Scn *section = elf_getscn(object->elf, object->symbols.sh_link);
    if (section == NULL || gelf_getshdr(section, names) == NULL || names->sh_type != SHT_STRTAB ||
        names->sh_offset > object->size || names->sh_size > object->size - names->sh_offset ||
        (names->sh_flags & SHF_COMPRESSED) != 0)
        return -ENOEXEC;
    return 0;
}

/* Binding and visibility; the type stays. */
static void make_like(struct object_image *image, uint64_t at, const GElf_Sym *like)
{
    bool is_64 = image->object->is_64;
    unsigned char *info =
        image->bytes + at + (is_64 ? offsetof(Elf64_Sym, st_info) : offsetof(Elf32_Sym, st_info));
    unsigned char *other =
        image->bytes + at + (is_64 ? offsetof(Elf64_Sym, st_other) : offsetof(Elf32_Sym, st_other));
    *info = (unsigned char)(GELF_ST_INFO(GELF_ST_BIND(like->st_info), GELF_ST_TYPE(*info)));
    *other = like->st_other;
}

static int edit_symbols(struct object_image *image, const struct object_edit *edit)
{
    const struct object *object = image->object;
    GElf_Shdr names;
    int error = find_names(object, &names);
    if (error != 0)
        return error;
    size_t begins = append(image, object->bytes + names.sh_offset, names.sh_size);
    for (size_t i = 0; i < edit->symbol_count && error == 0; i++) {
        const struct symbol_edit *symbol = &edit->symbols[i];
        if (symbol->symbol >= object->count)
            return -ENOEXEC;
        uint64_t at = object->symbols.sh_offset + symbol->symbol * object->symbols.sh_entsize;
        size_t name = append(image, symbol->name, strlen(symbol->name) + 1);
        error = put_number(image, at, name - begins, 4); /* st_name is first in both classes */
        if (error == 0 && symbol->like != NULL)
            make_like(image, at, symbol->like);
    }
    if (error == 0)
        error = move_section(image, object->symbols.sh_link, begins, image->used - begins);
    return error;
}

static size_t room_for(const struct object *object, const struct object_edit *edit)
{
    size_t room = 2 * object->size + edit->section.size + 8;
    for (size_t i = 0; i < edit->symbol_count; i++)
        room += strlen(edit->symbols[i].name) + 1;
    return room;
}

int object_edit(const struct object *object, const struct object_edit *edit, unsigned char **bytes,
                size_t *size)
{
    size_t room = room_for(object, edit);
    CLEANUP_FREE unsigned char *made = malloc(room);
    struct object_image image = {object, made, object->size};
    if (made == NULL)
        return -ENOMEM;
    memcpy(made, object->bytes, object->size);
    int error = 0;
    if (edit->section.section != 0) {
        while (image.used % 8 != 0)
            made[image.used++] = 0;
        size_t at = append(&image, edit->section.bytes, edit->section.size);
        error = move_section(&image, edit->section.section, at, edit->section.size);
    }
    if (error == 0 && edit->symbol_count > 0)
        error = edit_symbols(&image, edit);
    if (error != 0)
        return error;
    *bytes = made;
    *size = image.used;
    made = NULL;
    return 0;
}
