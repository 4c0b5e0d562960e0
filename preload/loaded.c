/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/loaded.h"

#include "preload/memory.h"

enum { DYNAMIC_TAGS = DT_JMPREL + 1 };

/* glibc has relocated the addresses in the dynamic section, musl has not. */
static const void *loaded_address(const struct link_map *entry, uintptr_t value)
{
    return (const void *)(value == 0 ? 0 : value < entry->l_addr ? entry->l_addr + value : value);
}

bool loaded_is_file(const struct link_map *entry)
{
    for (const char *at = entry->l_name; at != NULL && *at != '\0'; at++) {
        if (*at == '/')
            return true;
    }
    return false;
}

struct loaded loaded_read(const struct link_map *entry)
{
    uintptr_t value[DYNAMIC_TAGS] = {0}, hash = 0, relative = 0;
    for (const ElfW(Dyn) *at = entry->l_ld; at != NULL && at->d_tag != DT_NULL; at++) {
        if (at->d_tag >= 0 && at->d_tag < DYNAMIC_TAGS)
            value[at->d_tag] = at->d_un.d_val;
        else if (at->d_tag == DT_GNU_HASH)
            hash = at->d_un.d_val;
        else if (at->d_tag == DT_RELACOUNT)
            relative = at->d_un.d_val;
    }
    struct loaded object = {
        .entry = entry,
        .names = loaded_address(entry, value[DT_STRTAB]),
        .symbols = loaded_address(entry, value[DT_SYMTAB]),
        .hash = loaded_address(entry, hash),
    };
    if (object.names == NULL || object.symbols == NULL)
        return (struct loaded){.entry = entry, .soname = ""};
    if (value[DT_PLTREL] == DT_RELA) {
        object.calls = loaded_address(entry, value[DT_JMPREL]);
        object.call_count = value[DT_PLTRELSZ] / sizeof *object.calls;
    }
    object.others = loaded_address(entry, value[DT_RELA]);
    object.other_count = object.others == NULL ? 0 : value[DT_RELASZ] / sizeof *object.others;
    relative = relative < object.other_count ? relative : object.other_count;
    object.others += relative;
    object.other_count -= relative;
    object.soname =
        value[DT_SONAME] != 0 ? object.names + value[DT_SONAME] : text_last_part(entry->l_name);
    return object;
}

/* The loader's pages are the kernel's. Where stubs are, on x86-64, they have 4 KiB whatever
 * AT_PAGESZ says, or does not: larger ones would make more read-only than the loader did. */
bool loaded_find_segments(const struct image *image, bool is_executable, struct loaded *object)
{
    size_t count = is_executable ? image->phdr_count : object->phdr_count;
    const ElfW(Phdr) *phdr = is_executable ? image->phdr : object->phdr;
    if (phdr == NULL)
        phdr = image_headers(image, object->entry, &count);
    uintptr_t bias = is_executable ? image->load_bias : object->entry->l_addr;
    const uintptr_t page = IMAGE_PAGE_MIN;
    object->start = UINTPTR_MAX;
    object->end = object->fixed_start = object->fixed_end = object->frames = 0;
    for (size_t i = 0; phdr != NULL && i < count; i++) {
        uintptr_t start = bias + phdr[i].p_vaddr, end = start + phdr[i].p_memsz;
        if (phdr[i].p_type == PT_LOAD) {
            object->start = start < object->start ? start : object->start;
            object->end = end > object->end ? end : object->end;
        } else if (phdr[i].p_type == PT_GNU_RELRO) {
            object->fixed_start = start & ~(page - 1);
            object->fixed_end = end & ~(page - 1);
        } else if (phdr[i].p_type == PT_GNU_EH_FRAME) {
            object->frames = start;
        }
    }
    return object->end != 0;
}

bool loaded_needs(const struct loaded *object, const char *soname)
{
    for (const ElfW(Dyn) *at = object->entry->l_ld; object->names != NULL && at->d_tag != DT_NULL;
         at++) {
        if (at->d_tag != DT_NEEDED)
            continue;
        const char *needed = object->names + at->d_un.d_val;
        if (text_equal(needed, soname) || text_equal(text_last_part(needed), soname))
            return true;
    }
    return false;
}

struct image_bytes loaded_build_id(const struct image *image, const struct loaded *object)
{
    return object->phdr == NULL
               ? image_build_id(image, object->entry)
               : image_headers_build_id(object->phdr, object->phdr_count, object->entry->l_addr);
}

#ifdef __LP64__

static bool is_in_program(const struct image *image, uintptr_t address)
{
    bool is_in = false;
    for (size_t i = 0; i < image->phdr_count; i++) {
        uintptr_t start = image->load_bias + image->phdr[i].p_vaddr;
        is_in |= image->phdr[i].p_type == PT_LOAD && address >= start &&
                 address - start < image->phdr[i].p_memsz;
    }
    return is_in;
}

/* The loader relocates them in their order, so the last one tells, unless it leads into a program
 * that has such small addresses. */
bool loaded_is_relocated(const struct image *image, const struct loaded *object)
{
    uintptr_t bias = object->entry->l_addr;
    for (size_t i = object->call_count; i-- > 0;) {
        uintptr_t value = *(const uintptr_t *)(bias + object->calls[i].r_offset);
        if (ELF64_R_TYPE(object->calls[i].r_info) == R_X86_64_JUMP_SLOT && value != 0 &&
            !is_in_program(image, value))
            return value >= object->end - bias;
    }
    return true;
}

#endif

uint32_t loaded_hash(const char *name, uint32_t *length)
{
    uint32_t hash = 5381, at = 0;
    for (; name[at] != '\0'; at++)
        hash = hash * 33 + (unsigned char)name[at];
    *length = at;
    return hash;
}

/* Types of symbols, as bits. Assembly may have functions without one. */
enum {
    DATA = 1u << STT_OBJECT,
    FUNCTIONS = 1u << STT_FUNC | 1u << STT_GNU_IFUNC,
    CALLED = FUNCTIONS | 1u << STT_NOTYPE,
};

static bool has_symbol(const struct loaded *object, uint32_t index, const char *name,
                       unsigned types)
{
    const ElfW(Sym) *symbol = &object->symbols[index];
    return symbol->st_shndx != SHN_UNDEF && (types >> (symbol->st_info & 15u) & 1) != 0 &&
           text_equal(object->names + symbol->st_name, name);
}

static const uint32_t *chains_of(const struct loaded *object)
{
    const uint32_t *head = object->hash;
    const ElfW(Addr) *filter = (const void *)(head + 4);
    return (const uint32_t *)(const void *)(filter + head[2]) + head[0];
}

/* The last name of a chain has the lowest bit of its hash set. NULL: the rest of it has none. */
static const ElfW(Sym) * follow_chain(const struct loaded *object, uint32_t index, const char *name,
                                      uint32_t hash, unsigned types)
{
    const uint32_t *chains = chains_of(object);
    for (;; index++) {
        uint32_t other = chains[index - object->hash[1]];
        if ((other | 1) == (hash | 1) && has_symbol(object, index, name, types))
            return &object->symbols[index];
        if ((other & 1) != 0)
            return NULL;
    }
}

/* The filter, a power of two of words, says quickly of most names that they are not there. NULL:
 * the object does not define it. */
static const ElfW(Sym) *
    find_symbol(const struct loaded *object, const char *name, uint32_t hash, unsigned types)
{
    const uint32_t *head = object->hash;
    const uint32_t bits = 8 * sizeof(ElfW(Addr));
    if (head == NULL || head[0] == 0 || head[2] == 0)
        return NULL;
    const ElfW(Addr) *filter = (const void *)(head + 4);
    ElfW(Addr) word = filter[hash / bits & (head[2] - 1)];
    if ((word >> hash % bits & word >> (hash >> head[3]) % bits & 1) == 0)
        return NULL;
    const uint32_t *buckets = (const void *)(filter + head[2]);
    uint32_t index = buckets[hash % head[0]];
    return index < head[1] ? NULL : follow_chain(object, index, name, hash, types);
}

const ElfW(Sym) * loaded_next_symbol(const struct loaded *object, const char *name, uint32_t hash,
                                     const ElfW(Sym) * before)
{
    if (before == NULL)
        return find_symbol(object, name, hash, CALLED);
    uint32_t index = (uint32_t)(before - object->symbols);
    return (chains_of(object)[index - object->hash[1]] & 1) != 0
               ? NULL
               : follow_chain(object, index + 1, name, hash, CALLED);
}

bool loaded_has_function(const struct loaded *object, const char *name, uint32_t hash)
{
    return find_symbol(object, name, hash, FUNCTIONS) != NULL;
}

bool loaded_defines(const struct loaded *object, const char *name, uint32_t hash)
{
    return find_symbol(object, name, hash, ~0u) != NULL;
}

uintptr_t loaded_function(const struct loaded *object, const char *name)
{
    uint32_t length, hash = loaded_hash(name, &length);
    const ElfW(Sym) *symbol = find_symbol(object, name, hash, FUNCTIONS);
    return symbol == NULL || (symbol->st_info & 15u) != STT_FUNC
               ? 0
               : object->entry->l_addr + symbol->st_value;
}

const void *loaded_data(const struct loaded *object, const char *name)
{
    uint32_t length, hash = loaded_hash(name, &length);
    const ElfW(Sym) *symbol = find_symbol(object, name, hash, DATA);
    return symbol == NULL ? NULL : (const void *)(object->entry->l_addr + symbol->st_value);
}

/* ---- Where objects start --------------------------------------------------------------------- */

/* The loader looks for a file of the name that is needed, whatever soname it has. */
static bool is_named(const struct loaded *object, const char *needed)
{
    const char *name = text_last_part(needed);
    return text_equal(object->soname, name) ||
           text_equal(text_last_part(object->entry->l_name), name);
}

/* Whether one of the first `count` objects is what the loader has taken for that name. What has the
 * name behind it was loaded by its path. */
static bool is_had(const struct loaded_map *map, uint32_t count, const char *needed)
{
    uint32_t i = 0;
    while (i < count && !is_named(loaded_of_map(map, i), needed))
        i++;
    return i < count;
}

/* Objects are nearly always in the order in which they are needed. */
static uint32_t add_needed(const struct loaded_map *map, const struct loaded *object,
                           uint32_t count)
{
    const ElfW(Dyn) *at = object->names == NULL ? NULL : object->entry->l_ld;
    for (; at != NULL && at->d_tag != DT_NULL && count < map->count; at++) {
        const char *needed = at->d_tag == DT_NEEDED ? object->names + at->d_un.d_val : NULL;
        if (needed != NULL && is_named(loaded_of_map(map, count), needed) &&
            !is_had(map, count, needed))
            count++;
    }
    return count;
}

static bool is_needed(const struct loaded_map *map, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++) {
        if (add_needed(map, loaded_of_map(map, i), number) > number)
            return true;
    }
    return false;
}

/* The program, and what is preloaded, as this library is: all before the first object that one of
 * them needs. */
static uint32_t count_preloaded(const struct loaded_map *map, const char *own_name)
{
    uint32_t own = 0;
    while (own < map->count && !text_equal(loaded_of_map(map, own)->soname, own_name))
        own++;
    uint32_t first = own < map->count ? own + 1 : 1, next = first;
    while (next < map->count && !is_needed(map, next))
        next++;
    return next < map->count ? next : first;
}

uint32_t loaded_start_count(const struct loaded_map *map, const char *own)
{
    uint32_t before = 0, count = count_preloaded(map, own);
    while (count != before) {
        before = count;
        for (uint32_t i = 0; i < count && count < map->count; i++)
            count = add_needed(map, loaded_of_map(map, i), count);
    }
    return count;
}

/* ---- Versions of objects --------------------------------------------------------------------- */

enum { HIDDEN = 0x8000 };

static const void *find_table(const struct loaded *object, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *at = object->entry->l_ld; at->d_tag != DT_NULL; at++) {
        if (at->d_tag == tag)
            return loaded_address(object->entry, at->d_un.d_val);
    }
    return NULL;
}

static const void *behind(const void *at, uint32_t bytes)
{
    return bytes == 0 ? NULL : (const char *)at + bytes;
}

const char *loaded_version_wanted(const struct loaded *object, uint32_t number)
{
    const ElfW(Half) *versions = find_table(object, DT_VERSYM);
    uint32_t wanted = versions == NULL ? 0 : versions[number] & ~(uint32_t)HIDDEN;
    if (wanted <= VER_NDX_GLOBAL)
        return NULL;
    const ElfW(Verneed) *file = find_table(object, DT_VERNEED);
    for (; file != NULL; file = behind(file, file->vn_next)) {
        const ElfW(Vernaux) *version = behind(file, file->vn_aux);
        for (; version != NULL; version = behind(version, version->vna_next)) {
            if ((version->vna_other & ~(uint32_t)HIDDEN) == wanted)
                return object->names + version->vna_name;
        }
    }
    return "";
}

/* NULL: symbols with this number have no version. */
static const char *find_name(const struct loaded *object, uint32_t number)
{
    const ElfW(Verdef) *version = find_table(object, DT_VERDEF);
    for (; version != NULL; version = behind(version, version->vd_next)) {
        const ElfW(Verdaux) *name = behind(version, version->vd_aux);
        if (version->vd_ndx == number && (version->vd_flags & VER_FLG_BASE) == 0 && name != NULL)
            return object->names + name->vda_name;
    }
    return NULL;
}

/* As do_lookup_x() of glibc has it: who wants none gets the first of all, or the default. */
const ElfW(Sym) * loaded_version_find(const struct loaded *object, const char *name, uint32_t hash,
                                      const char *version)
{
    const ElfW(Sym) *symbol = loaded_next_symbol(object, name, hash, NULL), *usual = NULL;
    const ElfW(Half) *versions = symbol == NULL ? NULL : find_table(object, DT_VERSYM);
    for (; symbol != NULL; symbol = loaded_next_symbol(object, name, hash, symbol)) {
        if (versions == NULL)
            return symbol;
        uint32_t number = versions[symbol - object->symbols];
        bool is_hidden = (number & HIDDEN) != 0;
        number &= ~(uint32_t)HIDDEN;
        const char *own = version == NULL ? NULL : find_name(object, number);
        if (version == NULL ? number <= 2 : own == NULL ? !is_hidden : text_equal(own, version))
            return symbol;
        if (version == NULL && !is_hidden)
            usual = symbol;
    }
    return usual;
}
