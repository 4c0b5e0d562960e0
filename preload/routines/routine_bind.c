/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/routines/routine_bind.h"

#if ROUTINE_STUBS > 0

#include <cpuid.h>

#include "preload/memory.h"

/* What listens to bindings, or prints them, is to hear of each. */
static bool is_listened_to(const struct image *image)
{
    static const char *const names[] = {"LD_AUDIT=", "LD_DEBUG=", "LD_PROFILE="};
    const struct r_debug *loader = image_loader(image);
    /* Libraries of audits are in a namespace of their own, which newer versions tell. */
    if (loader == NULL || loader->r_version > 1 || image->loader_base == 0)
        return true;
    for (char **at = image->envp; at != NULL && *at != NULL; at++) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (text_after(*at, names[i]) != NULL)
                return true;
        }
    }
    return false;
}

/* Whether the object can be asked what it defines, is asked in its order, and asks for no audit. */
static bool is_usual(const struct slots_object *object)
{
    const struct loaded *loaded = &object->loaded;
    if (!object->is_program && !loaded_is_file(loaded->entry))
        return true; /* the vDSO, to which nothing is bound */
    for (const ElfW(Dyn) *at = loaded->entry->l_ld; at != NULL && at->d_tag != DT_NULL; at++) {
        if (at->d_tag == DT_FILTER || at->d_tag == DT_AUXILIARY || at->d_tag == DT_AUDIT ||
            at->d_tag == DT_DEPAUDIT)
            return false;
    }
    return loaded->hash != NULL || loaded->symbols == NULL;
}

enum { CODE_BYTES = 16 };

/* Whether code that can be read is there. */
static bool is_code(const struct image *image, const struct slots_object *object, uintptr_t address)
{
    const ElfW(Phdr) *phdr = image->phdr;
    size_t count = image->phdr_count;
    if (!object->is_program)
        phdr = image_headers(image, object->loaded.entry, &count);
    for (size_t i = 0; phdr != NULL && i < count; i++) {
        uintptr_t start = object->loaded.entry->l_addr + phdr[i].p_vaddr;
        if (phdr[i].p_type == PT_LOAD && (phdr[i].p_flags & (PF_R | PF_X)) == (PF_R | PF_X) &&
            address >= start && address - start + CODE_BYTES <= phdr[i].p_memsz)
            return true;
    }
    return false;
}

/* Whether it is a linker's code that hands the relocation of this number to the loader: it pushes
 * the number and jumps (bfd, gold, lld), or is mold's one for all. A program may have put a
 * function of its own into the slot. */
static bool is_linkers(const unsigned char *code, uint32_t number)
{
    static const unsigned char marked[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    static const unsigned char mold[] = {0x41, 0x53, 0xff, 0x35};   /* push %r11; push GOT+8 */
    uint32_t pushed;
    if (memcmp(code, marked, sizeof marked) == 0)
        code += sizeof marked;
    memcpy(&pushed, code + 1, sizeof pushed);
    bool is_jump = code[5] == 0xe9 || (code[5] == 0xf2 && code[6] == 0xe9);
    return memcmp(code, mold, sizeof mold) == 0 || (code[0] == 0x68 && pushed == number && is_jump);
}

/* Whether the entry's slot is one of calls, and as the loader leaves it until the first one. */
static bool is_unbound(const struct image *image, const struct slots_object *object,
                       const struct routine_entry *entry)
{
    const struct loaded *loaded = &object->loaded;
    if (!entry->is_lazy || entry->name == NULL || entry->relocation >= loaded->call_count)
        return false;
    const ElfW(Rela) *call = &loaded->calls[entry->relocation];
    return ELF64_R_TYPE(call->r_info) == R_X86_64_JUMP_SLOT &&
           loaded->entry->l_addr + call->r_offset == (uintptr_t)entry->slot &&
           ELF64_ST_VISIBILITY(loaded->symbols[ELF64_R_SYM(call->r_info)].st_other) ==
               STV_DEFAULT &&
           is_code(image, object, entry->original) &&
           is_linkers((const unsigned char *)entry->original, entry->relocation);
}

/* What an argument can be in, by the components of XSAVE (Intel's manual, volume 1, 13.1): the
 * loader keeps the same when it binds. */
enum { VECTORS = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7 };

/* In `vectors` of the memory, beside these: whether they are known, and can all be kept. */
enum { VECTORS_KNOWN = 1 << 30, VECTORS_KEPT = 1 << 29 };

/* CPUID is slow in virtual machines, so it waits for the first function that is chosen. */
static uint32_t find_vectors(void)
{
    uint32_t size, offset, flags, other, enabled, high;
    __cpuid(1, size, offset, flags, other);
    if ((flags & bit_OSXSAVE) == 0)
        return VECTORS_KNOWN | VECTORS_KEPT; /* the stub keeps all that there is */
    __asm__("xgetbv" : "=a"(enabled), "=d"(high) : "c"(0));
    enabled &= VECTORS;
    for (uint32_t i = 2; enabled >> i != 0; i++) {
        if ((enabled >> i & 1) == 0)
            continue;
        __cpuid_count(0xd, i, size, offset, flags, other);
        if (offset + size > ROUTINE_VECTOR_BYTES || (flags & 1) != 0)
            return VECTORS_KNOWN;
    }
    return VECTORS_KNOWN | VECTORS_KEPT | enabled;
}

/* What its resolver chooses; 0: not all that an argument can be in would be kept. Threads that come
 * here at once find the same. */
static uintptr_t choose(struct routine_memory *memory, uintptr_t resolver)
{
    uint32_t vectors = __atomic_load_n(&memory->vectors, __ATOMIC_RELAXED);
    if (vectors == 0) {
        vectors = find_vectors();
        __atomic_store_n(&memory->vectors, vectors, __ATOMIC_RELAXED);
    }
    return (vectors & VECTORS_KEPT) == 0 ? 0 : routine_choose(resolver, vectors & VECTORS);
}

void routine_bind_prepare(struct routine_memory *memory)
{
    struct slots *slots = &memory->slots;
    if (is_listened_to(&memory->image))
        return;
    uint32_t count = slots_start(slots);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_usual(&memory->slots.object[i]))
            return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct slots_object *object = &memory->slots.object[i];
        for (uint32_t at = object->first; at < object->first + object->count; at++) {
            struct routine_entry *entry = &memory->entry[at];
            if (is_unbound(&memory->image, object, entry))
                entry->target = (uintptr_t)routine_unbound;
        }
    }
    memory->start_bound = count;
}

static const struct loaded *find_importer(const struct routine_memory *memory, uint32_t entry)
{
    uint32_t i = 0;
    while (entry - memory->slots.object[i].first >= memory->slots.object[i].count)
        i++;
    return &memory->slots.object[i].loaded;
}

/* Who wants no version gets one of several by rules that are left to the loader. */
static const ElfW(Sym) *
    find_version(const struct loaded *definer, const char *name, uint32_t hash, const char *version)
{
    if (version != NULL)
        return *version == '\0' ? NULL : loaded_version_find(definer, name, hash, version);
    const ElfW(Sym) *symbol = loaded_next_symbol(definer, name, hash, NULL);
    return symbol == NULL || loaded_next_symbol(definer, name, hash, symbol) != NULL
               ? NULL
               : loaded_version_find(definer, name, hash, NULL);
}

static uintptr_t find_address(struct routine_memory *memory, const struct loaded *definer,
                              const ElfW(Sym) * symbol)
{
    uint32_t bind = ELF64_ST_BIND(symbol->st_info), type = ELF64_ST_TYPE(symbol->st_info);
    uint32_t visibility = ELF64_ST_VISIBILITY(symbol->st_other);
    if ((bind != STB_GLOBAL && bind != STB_WEAK) || symbol->st_shndx == SHN_ABS ||
        symbol->st_value == 0 || (visibility != STV_DEFAULT && visibility != STV_PROTECTED))
        return 0;
    uintptr_t address = definer->entry->l_addr + symbol->st_value;
    if (type == STT_FUNC)
        return address;
    return type == STT_GNU_IFUNC ? choose(memory, address) : 0;
}

/* What is loaded later is asked after the objects of the start. */
uintptr_t routine_bind_find(struct routine_memory *memory, const struct routine_entry *entry)
{
    const struct loaded *importer = find_importer(memory, (uint32_t)(entry - memory->entry));
    const struct loaded *definer = NULL;
    uint32_t number = (uint32_t)ELF64_R_SYM(importer->calls[entry->relocation].r_info);
    const char *name = importer->names + importer->symbols[number].st_name;
    uint32_t length, hash = loaded_hash(name, &length);
    for (uint32_t i = 0; i < memory->start_bound; i++) {
        if (!loaded_defines(&memory->slots.object[i].loaded, name, hash))
            continue;
        if (definer != NULL)
            return 0;
        definer = &memory->slots.object[i].loaded;
    }
    if (definer == NULL)
        return 0;
    const ElfW(Sym) *symbol =
        find_version(definer, name, hash, loaded_version_wanted(importer, number));
    return symbol == NULL ? 0 : find_address(memory, definer, symbol);
}

#endif
