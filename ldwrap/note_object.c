/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/note_object.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/base/cleanup.h"
#include "submit/evidence/watermark.h"

/* Section names, and where each begins in them. */
static char names[] = "\0.note.xalt.info\0.note.gnu.property\0.note.GNU-stack\0.shstrtab";
enum { NAME_MARK = 1, NAME_PROPERTY = 17, NAME_STACK = 36, NAME_NAMES = 52 };

/* All bits of the feature word: each is granted only where all objects have it (x86-64 psABI,
 * section "program property"; AArch64 ELF). */
enum { PROPERTY_FEATURES = 0xff };

struct note_section {
    size_t name;
    uint32_t type;
    uint64_t flags, align;
    void *bytes;
    size_t size;
};

/* Writes a 32-bit word in the target's byte order. */
static void put_word(unsigned char *at, uint32_t value, const struct elf_target *target)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * (target->data == ELFDATA2LSB ? i : 3 - i));
}

static size_t padded(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

/* A note, malloc'ed, in `*note_size` bytes; NULL when out of memory. */
static unsigned char *make_note(const struct elf_target *target, const char *owner, uint32_t type,
                                const void *content, size_t size, size_t *note_size)
{
    size_t owner_size = strlen(owner) + 1, content_at = 12 + padded(owner_size, 4);
    unsigned char *note = calloc(1, content_at + padded(size, 4));
    if (note == NULL)
        return NULL;
    put_word(note, (uint32_t)owner_size, target);
    put_word(note + 4, (uint32_t)size, target);
    put_word(note + 8, type, target);
    memcpy(note + 12, owner, owner_size);
    memcpy(note + content_at, content, size);
    *note_size = content_at + padded(size, 4);
    return note;
}

/* The type of the property that lists the features of an object; 0: this machine has none. */
static uint32_t property_type(const struct elf_target *target)
{
    switch (target->machine) {
    case EM_X86_64:
    case EM_386:
        return GNU_PROPERTY_X86_FEATURE_1_AND;
    case EM_AARCH64:
        return GNU_PROPERTY_AARCH64_FEATURE_1_AND;
    default:
        return 0;
    }
}

static int add_section(Elf *elf, const struct note_section *section)
{
    GElf_Shdr header;
    Elf_Scn *scn = elf_newscn(elf);
    Elf_Data *data = scn == NULL ? NULL : elf_newdata(scn);
    if (data == NULL || gelf_getshdr(scn, &header) == NULL)
        return -EIO;
    data->d_buf = section->bytes;
    data->d_size = section->size;
    data->d_align = section->align;
    data->d_type = ELF_T_BYTE;
    header.sh_name = (GElf_Word)section->name;
    header.sh_type = section->type;
    header.sh_flags = section->flags;
    header.sh_addralign = section->align;
    return gelf_update_shdr(scn, &header) == 0 ? -EIO : 0;
}

static int add_property(Elf *elf, const struct elf_target *target, unsigned char **note)
{
    unsigned char content[16] = {0};
    size_t size, align = target->elf_class == ELFCLASS64 ? 8 : 4;
    uint32_t type = property_type(target);
    if (type == 0)
        return 0;
    put_word(content, type, target);
    put_word(content + 4, 4, target);
    put_word(content + 8, PROPERTY_FEATURES, target);
    *note =
        make_note(target, ELF_NOTE_GNU, NT_GNU_PROPERTY_TYPE_0, content, padded(12, align), &size);
    if (*note == NULL)
        return -ENOMEM;
    return add_section(
        elf, &(struct note_section){NAME_PROPERTY, SHT_NOTE, SHF_ALLOC, align, *note, size});
}

static int fill_header(Elf *elf, const struct elf_target *target)
{
    GElf_Ehdr header;
    if (gelf_newehdr(elf, target->elf_class) == NULL || gelf_getehdr(elf, &header) == NULL)
        return -EIO;
    header.e_ident[EI_DATA] = target->data;
    header.e_type = ET_REL;
    header.e_machine = target->machine;
    header.e_flags = target->flags;
    header.e_version = EV_CURRENT;
    return gelf_update_ehdr(elf, &header) == 0 ? -EIO : 0;
}

static int name_sections(Elf *elf)
{
    GElf_Ehdr header;
    struct note_section section = {NAME_NAMES, SHT_STRTAB, 0, 1, names, sizeof names};
    size_t count;
    if (add_section(elf, &section) != 0 || elf_getshdrnum(elf, &count) != 0 ||
        gelf_getehdr(elf, &header) == NULL)
        return -EIO;
    header.e_shstrndx = (GElf_Half)(count - 1);
    return gelf_update_ehdr(elf, &header) == 0 ? -EIO : 0;
}

static int write_sections(Elf *elf, const struct elf_target *target,
                          const struct note_section *mark, unsigned char **property)
{
    struct note_section stack = {NAME_STACK, SHT_PROGBITS, 0, 1, NULL, 0};
    int error = fill_header(elf, target);
    if (error == 0)
        error = add_section(elf, mark);
    if (error == 0)
        error = add_property(elf, target, property);
    if (error == 0)
        error = add_section(elf, &stack);
    if (error == 0)
        error = name_sections(elf);
    return error == 0 && elf_update(elf, ELF_C_WRITE) < 0 ? -EIO : error;
}

int note_object_write(int fd, const struct elf_target *target, const void *mark, size_t size)
{
    CLEANUP_FREE unsigned char *property = NULL;
    struct note_section section = {NAME_MARK, SHT_NOTE, SHF_ALLOC, 4, NULL, 0};
    CLEANUP_FREE unsigned char *note =
        make_note(target, WATERMARK_OWNER, WATERMARK_TYPE, mark, size, &section.size);
    if (note == NULL)
        return -ENOMEM;
    section.bytes = note;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return -EIO;
    CLEANUP_ELF Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
    return elf == NULL ? -EIO : write_sections(elf, target, &section, &property);
}

/* ---- Watermarks ------------------------------------------------------------------------------ */

/* Our reader accepts strings below 32 KiB. A blank is written and counted as five bytes. */
enum { VALUE_MAX = 16 << 10 };

static void add_fact(FILE *stream, const char *key, const char *value)
{
    if (value == NULL)
        return;
    fprintf(stream, "<%s>%%%%", key);
    for (size_t used = 0; *value != '\0' && used < VALUE_MAX; value++) {
        used += *value == ' ' ? 5 : 1;
        if (*value == ' ')
            fputs("_%_%_", stream);
        else
            putc(*value, stream);
    }
    fputs("%%", stream);
    putc('\0', stream);
}

/* The keys in XALT's order. Its reader joins the strings and looks for `>%%` after each '<',
 * whatever a value holds. The last value is a number, so that it always finds one. */
static void add_all(FILE *stream, const struct watermark_facts *facts)
{
    static const char zeros[7];
    char epoch[32], date[64] = "", year[8] = "";
    struct tm broken;
    time_t when = (time_t)facts->epoch;
    if ((facts->is_utc ? gmtime_r(&when, &broken) : localtime_r(&when, &broken)) != NULL) {
        strftime(date, sizeof date, "%a %b %d %H:%M:%S %Y", &broken);
        strftime(year, sizeof year, "%Y", &broken);
    }
    snprintf(epoch, sizeof epoch, "%.4f", facts->epoch);
    putc(2, stream);
    fputs("XALT_Link_Info", stream);
    putc('\0', stream);
    add_fact(stream, "XALT_Version", facts->version);
    add_fact(stream, "Build_host", facts->host);
    add_fact(stream, "Build_Syshost", facts->syshost);
    add_fact(stream, "Build_compiler", facts->compiler);
    add_fact(stream, "Build_compilerPath", facts->compiler_path);
    add_fact(stream, "Build_OS", facts->os);
    add_fact(stream, "Build_User", facts->user);
    add_fact(stream, "Build_UUID", facts->uuid);
    add_fact(stream, "Build_Year", year);
    add_fact(stream, "Build_date", date);
    add_fact(stream, "Build_LOADEDMODULES", facts->loaded_modules);
    add_fact(stream, "Build_LMFILES", facts->lmfiles);
    add_fact(stream, "Build_CWD", facts->cwd);
    add_fact(stream, "Build_Epoch", epoch);
    fwrite(zeros, 1, sizeof zeros, stream);
    fputs("XALT_Link_Info_End", stream);
    putc('\0', stream);
}

char *watermark_write(const struct watermark_facts *facts, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    if (stream == NULL)
        return NULL;
    add_all(stream, facts);
    int failed = ferror(stream);
    if (fclose(stream) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
