/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/loaded_versions.h"

#include <stddef.h>

#include "preload/memory.h"

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

/* As do_lookup_x() of glibc has it: who wants none gets the first version of all, or the default.
 */
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
