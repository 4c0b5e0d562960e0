/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a loaded object exports and imports, as its dynamic section says (System V ABI). The loader
 * has used the same tables, so they are believed. Nothing here makes a system call but
 * loaded_find_segments() and loaded_build_id() of an object whose program headers are not known.
 */
#pragma once

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/image.h"

struct loaded {
    const struct link_map *entry;
    const ElfW(Phdr) * phdr; /* as the loader gives them; NULL: they are to be looked for */
    size_t phdr_count;
    const char *names; /* NULL: the object has none of these tables */
    const ElfW(Sym) * symbols;
    const uint32_t *hash;              /* DT_GNU_HASH; NULL: it cannot be asked what it exports */
    const ElfW(Rela) * calls, *others; /* DT_JMPREL, and DT_RELA behind those without names */
    size_t call_count, other_count;
    const char *soname;               /* without DT_SONAME the last part of its path */
    uintptr_t start, end;             /* of its segments */
    uintptr_t fixed_start, fixed_end; /* what is read-only after relocation, whole pages */
    uintptr_t frames;                 /* .eh_frame_hdr; 0: it has none */
};

/* Whether the entry is of a file, whose name may be relative: neither the program nor the vDSO. */
bool loaded_is_file(const struct link_map *entry);

/* Reads the dynamic section. Segments are left out. */
struct loaded loaded_read(const struct link_map *entry);

/* Adds the segments. `is_executable`: it is the program itself. Returns whether they are known. */
bool loaded_find_segments(const struct image *image, bool is_executable, struct loaded *object);

#ifdef __LP64__

/* Whether the loader has relocated the slots of its calls: until then one has an offset, without
 * the object's address, or no routine's. The segments are known. */
bool loaded_is_relocated(const struct image *image, const struct loaded *object);

/* The name of what a relocation of the object is for. */
static inline const char *loaded_name(const struct loaded *object, const ElfW(Rela) * relocation)
{
    return object->names + object->symbols[ELF64_R_SYM(relocation->r_info)].st_name;
}

#endif

/* Whether DT_NEEDED names the library: by its path, where it was linked by that and has no
 * DT_SONAME. */
bool loaded_needs(const struct loaded *object, const char *soname);

/* The build-id. */
struct image_bytes loaded_build_id(const struct image *image, const struct loaded *object);

/* The hash of DT_GNU_HASH, and the length of the name. */
uint32_t loaded_hash(const char *name, uint32_t *length);

/* Whether the object defines a function of this name, in any version. */
bool loaded_has_function(const struct loaded *object, const char *name, uint32_t hash);

/* Whether the object defines the name, as whatever. */
bool loaded_defines(const struct loaded *object, const char *name, uint32_t hash);

/* The next symbol of this name behind `before`, or the first one behind NULL, that calls may go to:
 * there is one for each version. NULL: no other one. */
const ElfW(Sym) * loaded_next_symbol(const struct loaded *object, const char *name, uint32_t hash,
                                     const ElfW(Sym) * before);

/* The address of the function, which is none that is chosen when it is first called; 0: none. */
uintptr_t loaded_function(const struct loaded *object, const char *name);

/* The address of the variable; NULL: none. */
const void *loaded_data(const struct loaded *object, const char *name);

/* ---- Where objects start --------------------------------------------------------------------- */

/* Which objects the loader has loaded at the start of the program. They are asked first for each
 * name, in the order of the link map, and are never unloaded. Constructors may have loaded others
 * with dlopen(3) before ours has run: of these nobody tells whom the loader asks for a name. */

/* All objects of the link map, in its order, each of them in a larger one of `stride` bytes. */
struct loaded_map {
    const struct loaded *first;
    size_t stride;
    uint32_t count;
};

/* How many are of the start, at the beginning of the map. `own`: the soname of the calling library.
 * Objects that are not found by what others need, as some filters (DT_FILTER), and all behind them,
 * are taken for later ones. */
uint32_t loaded_start_count(const struct loaded_map *map, const char *own);

/* The object of that number. */
static inline const struct loaded *loaded_of_map(const struct loaded_map *map, uint32_t number)
{
    return (const void *)((const char *)map->first + number * map->stride);
}

/* ---- Versions of objects --------------------------------------------------------------------- */

/* Versions of symbols, as the loader matches them. A name may have several in one library, and
 * several libraries of a process may define it in different ones. */

/* The version in which the object wants its symbol with this number; NULL: none. "": not known. */
const char *loaded_version_wanted(const struct loaded *object, uint32_t number);

/* The symbol of this name in this version; NULL: the object has none. */
const ElfW(Sym) * loaded_version_find(const struct loaded *object, const char *name, uint32_t hash,
                                      const char *version);
