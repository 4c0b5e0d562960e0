/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/archive_symbols.h"

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

static bool is_in_code(const struct object *object, const GElf_Sym *symbol)
{
    GElf_Shdr section;
    return object_section_of(object, symbol, &section) && (section.sh_flags & SHF_EXECINSTR) != 0;
}

static enum symbol_kind kind_of(const struct object *object, const GElf_Sym *symbol)
{
    unsigned char type = GELF_ST_TYPE(symbol->st_info);
    if (type == STT_TLS) /* a reference, too, is to a thread's own data */
        return symbol->st_shndx == SHN_UNDEF ? SYMBOL_REFERENCE : SYMBOL_TLS;
    if (symbol->st_shndx == SHN_UNDEF)
        return SYMBOL_REFERENCE;
    if (symbol->st_shndx == SHN_COMMON || type == STT_COMMON)
        return SYMBOL_COMMON;
    if (type == STT_GNU_IFUNC)
        return SYMBOL_IFUNC;
    if (type == STT_FUNC)
        return is_in_code(object, symbol) ? SYMBOL_ROUTINE : SYMBOL_DATA;
    return type == STT_NOTYPE && is_in_code(object, symbol) ? SYMBOL_UNTYPED : SYMBOL_DATA;
}

/* Old compilers have no groups, but sections of this name, which the linker keeps once. */
static bool is_grouped(const struct object *object, const GElf_Sym *symbol)
{
    size_t names;
    GElf_Shdr section;
    if (!object_section_of(object, symbol, &section))
        return false;
    const char *name = elf_getshdrstrndx(object->elf, &names) != 0
                           ? NULL
                           : elf_strptr(object->elf, names, section.sh_name);
    return (section.sh_flags & SHF_GROUP) != 0 ||
           (name != NULL && strncmp(name, ".gnu.linkonce.", 14) == 0);
}

static int read_member(const struct archive *archive, size_t member,
                       struct archive_symbols *symbols)
{
    const struct object *object = &archive->member[member].object;
    for (size_t i = object->first_global; i < object->count; i++) {
        GElf_Sym symbol;
        const char *name;
        if (!object_symbol(object, i, &symbol, &name))
            return -ENOEXEC;
        if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL || name[0] == '\0')
            continue;
        if (GROW(symbols->item, symbols->count) != 0)
            return -ENOMEM;
        symbols->item[symbols->count++] = (struct archive_symbol){
            .name = name,
            .symbol = symbol,
            .member = member,
            .number = i,
            .kind = kind_of(object, &symbol),
            .is_weak = GELF_ST_BIND(symbol.st_info) == STB_WEAK,
            .is_grouped = is_grouped(object, &symbol),
        };
    }
    return 0;
}

static int compare_symbols(const void *left, const void *right)
{
    const struct archive_symbol *a = *(const struct archive_symbol *const *)left,
                                *b = *(const struct archive_symbol *const *)right;
    int by_name = strcmp(a->name, b->name);
    return by_name != 0 ? by_name : (a > b) - (a < b);
}

static int order_symbols(struct archive_symbols *symbols)
{
    symbols->by_name = calloc(symbols->count + 1, sizeof(struct archive_symbol *));
    if (symbols->by_name == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < symbols->count; i++)
        symbols->by_name[i] = &symbols->item[i];
    if (symbols->count > 0)
        qsort(symbols->by_name, symbols->count, sizeof(struct archive_symbol *), compare_symbols);
    return 0;
}

int archive_symbols_read(struct archive *archive, struct archive_symbols *symbols)
{
    struct archive_symbols found = {.count = 0};
    int error = 0;
    for (size_t i = 0; i < archive->count && error == 0; i++) {
        struct archive_member *member = &archive->member[i];
        size_t before = found.count;
        error = member->fault == NULL ? read_member(archive, i, &found) : 0;
        if (error == -ENOEXEC) {
            found.count = before;
            member->fault = "is damaged";
            object_close(&member->object);
            error = 0;
        }
    }
    if (error == 0)
        error = order_symbols(&found);
    if (error == 0)
        *symbols = found;
    else
        archive_symbols_free(&found);
    return error;
}

void archive_symbols_free(struct archive_symbols *symbols)
{
    free(symbols->item);
    free(symbols->by_name);
    *symbols = (struct archive_symbols){.count = 0};
}

/* The place of the first one whose name is not before `name`, or with `is_after`, is after it. */
static size_t find_border(const struct archive_symbols *symbols, const char *name, bool is_after)
{
    size_t low = 0, high = symbols->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(symbols->by_name[middle]->name, name);
        if (order < 0 || (is_after && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t archive_symbols_find(const struct archive_symbols *symbols, const char *name, size_t *count)
{
    size_t at = find_border(symbols, name, false);
    *count = find_border(symbols, name, true) - at;
    return at;
}

bool archive_symbols_are_used(const struct archive_symbols *symbols, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; i++)
        if (symbols->by_name[i]->kind == SYMBOL_REFERENCE)
            return true;
    return false;
}

const char *symbol_kind_name(enum symbol_kind kind)
{
    static const char *const names[SYMBOL_KINDS] = {
        [SYMBOL_ROUTINE] = "routine", [SYMBOL_REFERENCE] = "reference",
        [SYMBOL_DATA] = "data",       [SYMBOL_COMMON] = "common",
        [SYMBOL_TLS] = "tls",         [SYMBOL_IFUNC] = "ifunc",
        [SYMBOL_UNTYPED] = "untyped",
    };
    return names[kind];
}
