/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/trampoline.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "contrib/routines/robj/object_edit.h"
#include "preload/routines/routine_note.h"

int trampoline_open(const unsigned char *bytes, size_t size, struct trampoline *template)
{
    size_t names;
    GElf_Shdr header;
    *template = (struct trampoline){.entry = 0};
    if (object_open(bytes, size, &template->object) != NULL)
        return -ENOEXEC;
    for (size_t i = template->object.first_global; i < template->object.count; i++) {
        GElf_Sym symbol;
        const char *name;
        if (object_symbol(&template->object, i, &symbol, &name))
            *(symbol.st_shndx == SHN_UNDEF ? &template->real : &template->entry) = i;
    }
    Elf *elf = template->object.elf;
    for (Elf_Scn *section = NULL;
         elf_getshdrstrndx(elf, &names) == 0 && (section = elf_nextscn(elf, section)) != NULL;) {
        const char *name =
            gelf_getshdr(section, &header) == NULL ? NULL : elf_strptr(elf, names, header.sh_name);
        if (name != NULL && strcmp(name, ROUTINE_NOTE_SECTION) == 0)
            template->note = elf_ndxscn(section);
    }
    if (template->entry != 0 && template->real != 0 && template->note != 0)
        return 0;
    trampoline_close(template);
    return -ENOEXEC;
}

void trampoline_close(struct trampoline *template)
{
    object_close(&template->object);
}

enum { OWNER_ROOM = (sizeof ROUTINE_NOTE_OWNER + 3) / 4 * 4 };

/* A note as the template has it, but for the texts: where the word is stays to be filled in by the
 * linker. */
struct trampoline_note {
    Elf64_Nhdr header; /* of the same layout in both classes */
    char owner[OWNER_ROOM];
    struct routine_note routine;
    char texts[ROUTINE_NOTE_NAME_MAX + ROUTINE_NOTE_LIBRARY_MAX + 2 + 3];
};

static size_t fill_note(struct trampoline_note *note, const char *name, const char *library)
{
    size_t name_size = strlen(name) + 1, library_size = strlen(library) + 1;
    size_t size = sizeof note->routine + name_size + library_size;
    *note = (struct trampoline_note){
        .header = {sizeof ROUTINE_NOTE_OWNER, (uint32_t)size, ROUTINE_NOTE_TYPE},
        .owner = ROUTINE_NOTE_OWNER};
    memcpy(note->texts, name, name_size);
    memcpy(note->texts + name_size, library, library_size);
    return offsetof(struct trampoline_note, routine) + (size + 3) / 4 * 4;
}

int trampoline_make(const struct trampoline *template, const char *name, const char *real,
                    const char *library, const GElf_Sym *like, unsigned char **bytes, size_t *size)
{
    struct trampoline_note note;
    if (strlen(name) > ROUTINE_NOTE_NAME_MAX || strlen(library) > ROUTINE_NOTE_LIBRARY_MAX)
        return -ENAMETOOLONG;
    const struct symbol_edit symbols[] = {{template->entry, name, like},
                                          {template->real, real, NULL}};
    const struct object_edit edit = {
        symbols, 2, {template->note, &note, fill_note(&note, name, library)}};
    return object_edit(&template->object, &edit, bytes, size);
}
