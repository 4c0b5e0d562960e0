/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/stub_object.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "contrib/routines/robj/object_edit.h"
#include "preload/routines/routine_note.h"

int stub_template_open(const unsigned char *bytes, size_t size, struct stub_template *stub)
{
    size_t names;
    GElf_Shdr header;
    *stub = (struct stub_template){.entry = 0};
    if (object_open(bytes, size, &stub->object) != NULL)
        return -ENOEXEC;
    for (size_t i = stub->object.first_global; i < stub->object.count; i++) {
        GElf_Sym symbol;
        const char *name;
        if (object_symbol(&stub->object, i, &symbol, &name))
            *(symbol.st_shndx == SHN_UNDEF ? &stub->real : &stub->entry) = i;
    }
    Elf *elf = stub->object.elf;
    for (Elf_Scn *section = NULL;
         elf_getshdrstrndx(elf, &names) == 0 && (section = elf_nextscn(elf, section)) != NULL;) {
        const char *name =
            gelf_getshdr(section, &header) == NULL ? NULL : elf_strptr(elf, names, header.sh_name);
        if (name != NULL && strcmp(name, ROUTINE_NOTE_SECTION) == 0)
            stub->note = elf_ndxscn(section);
    }
    if (stub->entry != 0 && stub->real != 0 && stub->note != 0)
        return 0;
    stub_template_close(stub);
    return -ENOEXEC;
}

void stub_template_close(struct stub_template *stub)
{
    object_close(&stub->object);
}

enum { OWNER_ROOM = (sizeof ROUTINE_NOTE_OWNER + 3) / 4 * 4 };

/* A note as the template has it, but for the texts: where the word is stays to be filled in by the
 * linker. */
struct stub_note {
    Elf64_Nhdr header; /* of the same layout in both classes */
    char owner[OWNER_ROOM];
    struct routine_note routine;
    char texts[ROUTINE_NOTE_NAME_MAX + ROUTINE_NOTE_LIBRARY_MAX + 2 + 3];
};

static size_t fill_note(struct stub_note *note, const char *name, const char *library)
{
    size_t name_size = strlen(name) + 1, library_size = strlen(library) + 1;
    size_t size = sizeof note->routine + name_size + library_size;
    *note =
        (struct stub_note){.header = {sizeof ROUTINE_NOTE_OWNER, (uint32_t)size, ROUTINE_NOTE_TYPE},
                           .owner = ROUTINE_NOTE_OWNER};
    memcpy(note->texts, name, name_size);
    memcpy(note->texts + name_size, library, library_size);
    return offsetof(struct stub_note, routine) + (size + 3) / 4 * 4;
}

int stub_object_make(const struct stub_template *stub, const char *name, const char *real,
                     const char *library, const GElf_Sym *like, unsigned char **bytes, size_t *size)
{
    struct stub_note note;
    if (strlen(name) > ROUTINE_NOTE_NAME_MAX || strlen(library) > ROUTINE_NOTE_LIBRARY_MAX)
        return -ENAMETOOLONG;
    const struct symbol_edit symbols[] = {{stub->entry, name, like}, {stub->real, real, NULL}};
    const struct object_edit edit = {
        symbols, 2, {stub->note, &note, fill_note(&note, name, library)}};
    return object_edit(&stub->object, &edit, bytes, size);
}
