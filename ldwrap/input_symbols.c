/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/input_symbols.h"

#include <errno.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/whole_file.h"
#include "contrib/routines/robj/object_read.h"
#include "ldwrap/elf_file.h"
#include "ldwrap/elf_symbols.h"

enum { SCRIPT_MAX = 4 << 20 };

struct input {
    input_symbol_taker *take;
    void *context;
};

static int take_symbol(void *context, const char *name, const GElf_Sym *symbol)
{
    const struct input *input = context;
    enum symbol_use use = USE_DEFINES;
    int binding = GELF_ST_BIND(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF)
        use = binding == STB_WEAK ? USE_ASKS : USE_REFERS;
    if (binding != STB_LOCAL)
        input->take(input->context, name, use);
    return 0;
}

static int read_object(Elf *elf, const struct input *input)
{
    size_t size;
    struct object object;
    const char *bytes = elf_rawfile(elf, &size);
    if (bytes == NULL || object_open((const unsigned char *)bytes, size, &object) != NULL)
        return -ENOTSUP;
    int error = object_refusal(&object) == NULL ? 0 : -ENOTSUP;
    if (error == 0)
        error = elf_symbols_each(object.elf, SHT_SYMTAB, take_symbol, (void *)input);
    object_close(&object);
    return error;
}

/* What is no object in an archive, such as rustc's metadata, has no symbols, but for the
 * intermediate code of LLVM. */
static int read_member(Elf *member, const struct input *input)
{
    size_t size;
    if (elf_kind(member) == ELF_K_ELF)
        return read_object(member, input);
    const char *bytes = elf_rawfile(member, &size);
    return bytes != NULL && size >= 4 && memcmp(bytes, "BC\xc0\xde", 4) == 0 ? -ENOTSUP : 0;
}

static int read_archive(int fd, Elf *archive, const struct input *input)
{
    int error = 0;
    Elf_Cmd command = ELF_C_READ_MMAP;
    for (Elf *member; error == 0 && (member = elf_begin(fd, command, archive)) != NULL;) {
        error = read_member(member, input);
        command = elf_next(member);
        elf_end(member);
    }
    return error;
}

/* A script that names files, as libc.so is one, assigns to no symbol. */
static int read_script(const char *path)
{
    CLEANUP_FREE char *text = NULL;
    size_t size;
    if (whole_file_open_read(path, SCRIPT_MAX, &text, &size) != 0 || strlen(text) != size)
        return -ENOTSUP;
    return strncmp(text, "!<thin>", 7) == 0 || strchr(text, '=') != NULL ? -ENOTSUP : 0;
}

int input_symbols_read(const char *path, input_symbol_taker *take, void *context)
{
    struct input input = {take, context};
    GElf_Ehdr header;
    CLEANUP_CLOSE int fd = -1;
    CLEANUP_ELF Elf *elf = elf_file_open(path, ELF_C_READ_MMAP, &fd);
    if (elf == NULL)
        return -ENOTSUP;
    if (elf_kind(elf) == ELF_K_AR)
        return read_archive(fd, elf, &input);
    if (elf_kind(elf) != ELF_K_ELF)
        return read_script(path);
    if (gelf_getehdr(elf, &header) != NULL && header.e_type == ET_DYN)
        return elf_symbols_each(elf, SHT_DYNSYM, take_symbol, &input);
    return read_object(elf, &input);
}
