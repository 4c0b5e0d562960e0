/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/slots/slots.h"

#include <stddef.h>

#include "preload/memory.h"
#include "preload/slots/fixed_page.h"
#include "preload/slots/slots_user.h"

/* Whether the object is of one of valgrind's tools that report each store which threads do not
 * agree about by locks: stubs and slots are stored to without. They have no DT_SONAME. */
static bool is_race_detector(const struct loaded *object)
{
    const char *tool = text_after(object->soname, "vgpreload_");
    return tool != NULL &&
           (text_after(tool, "helgrind") != NULL || text_after(tool, "drd") != NULL);
}

/* The other library's constructor may have run before. */
static void find_other(struct slots *slots, struct slots_object *object)
{
    if (text_after(object->loaded.soname, "libjobtrail") == NULL ||
        text_equal(object->loaded.soname, slots_user_name) || !slots_know(slots, object))
        return;
    slots->other_start = object->loaded.start;
    slots->other_end = object->loaded.end;
}

static void add_library(struct slots *slots, struct slots_object *object)
{
    if (slots->library_count == SLOTS_LIBRARIES_MAX) {
        slots->left_out++;
        object->is_wanted = object->is_designated = false;
        return;
    }
    slots_know(slots, object);
    slots->has_parts |= !object->is_designated;
    slots->library[slots->library_count++] = (uint16_t)(object - slots->object);
}

/* Nothing is bound to the vDSO, which has no file. */
void slots_add(struct slots *slots, const struct link_map *entry, const struct dl_phdr_info *info)
{
    struct slots_object *object = &slots->object[slots->count];
    bool is_program = slots->count++ == 0;
    if (object->loaded.entry != NULL) /* the place was another's */
        memset(object, 0, sizeof *object);
    object->loaded = loaded_read(entry);
    object->dynamic = entry->l_ld;
    object->is_program = is_program;
    object->is_new = true;
    if (info != NULL) {
        object->loaded.phdr = info->dlpi_phdr;
        object->loaded.phdr_count = info->dlpi_phnum;
    }
    if (!is_program && !loaded_is_file(entry)) {
        object->loaded.hash = NULL;
        object->is_left = true;
        return;
    }
    object->is_silent = object->loaded.hash == NULL && object->loaded.symbols != NULL;
    slots->is_forbidden |= is_race_detector(&object->loaded);
    find_other(slots, object);
    object->is_designated = object->is_wanted =
        !is_program && slots->has_rules && designation_has_library(&slots->rules, &object->loaded);
    if (object->is_designated)
        object->after = designation_after(&slots->rules, object->loaded.soname);
    slots_user_object(slots, object);
    if (object->is_wanted)
        add_library(slots, object);
}

void slots_begin(struct slots *slots, const struct image *image, const void *policy)
{
    const struct r_debug *loader = image_loader(image);
    const struct link_map *entry = loader == NULL ? NULL : loader->r_map;
    slots->image = image;
    slots->has_rules = policy != NULL && designation_find(&slots->rules, policy) &&
                       designation_has_loaded(&slots->rules);
    for (; entry != NULL && slots->count < SLOTS_OBJECTS_MAX; entry = entry->l_next)
        slots_add(slots, entry, NULL);
}

void slots_forget(struct slots *slots, uint32_t count)
{
    slots->count = count < slots->count ? count : slots->count;
    while (slots->library_count > 0 && slots->library[slots->library_count - 1] >= slots->count)
        slots->library_count--;
}

uint32_t slots_start(struct slots *slots)
{
    const struct loaded_map map = {&slots->object[0].loaded, sizeof slots->object[0], slots->count};
    if (slots->start == 0)
        slots->start = loaded_start_count(&map, slots_user_name);
    return slots->start;
}

bool slots_know(const struct slots *slots, struct slots_object *object)
{
    return object->loaded.end != 0 ||
           loaded_find_segments(slots->image, object->is_program, &object->loaded);
}

bool slots_open(struct slots *slots, const struct loaded *loaded, uintptr_t slot)
{
    bool is_fixed = slot >= loaded->fixed_start && slot < loaded->fixed_end;
    return !is_fixed || (!__atomic_load_n(&slots->is_confined, __ATOMIC_RELAXED) &&
                         fixed_page_open(&slots->opened, loaded, slot));
}

void slots_close(struct slots *slots)
{
    fixed_page_close(&slots->opened);
}

#if SLOTS_LOADS > 0

struct slots_object *slots_library_at(struct slots *slots, uintptr_t address)
{
    for (uint32_t i = 0; i < slots->library_count; i++) {
        struct slots_object *library = &slots->object[slots->library[i]];
        if (slots_has(library, address))
            return library;
    }
    return NULL;
}

uintptr_t slots_behind(const struct slots *slots, uintptr_t stub, bool *was_lazy)
{
    static const uint8_t steps[] = {1, 56}; /* of profile and routines */
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct slots_table table;
        uint32_t number;
        memcpy(&number, (const void *)(stub + 6), sizeof number);
        uintptr_t index = number / steps[i], at = stub - index * 16 - sizeof table, address = 0;
        if (stub % 16 != 0 || at < slots->other_start || at >= stub)
            continue;
        memcpy(&table, (const void *)at, sizeof table);
        if (table.mark != SLOTS_TABLE_MARK_VALUE || table.step != steps[i])
            continue;
        at += (uintptr_t)(intptr_t)table.entries;
        if (table.is_pointer)
            memcpy(&at, (const void *)at, sizeof at);
        if (at == 0)
            return 0;
        at += index * table.size;
        memcpy(&address, (const void *)(at + table.address_at), sizeof address);
        memcpy(was_lazy, (const void *)(at + table.lazy_at), sizeof *was_lazy);
        return address;
    }
    return 0;
}

struct slots_object *slots_wanted(struct slots *slots, uint32_t count, const char *name,
                                  uint32_t hash)
{
    for (uint32_t i = 0; i < slots->library_count && slots->library[i] < count; i++) {
        struct slots_object *library = &slots->object[slots->library[i]];
        if (loaded_has_function(&library->loaded, name, hash))
            return library;
    }
    return NULL;
}

bool slots_has_before(const struct slots *slots, const struct slots_import *import)
{
    const struct slots_object *object = slots->object;
    while (object < import->importer &&
           !loaded_has_function(&object->loaded, import->name, import->hash))
        object++;
    return object < import->importer;
}

/* Whether no object behind those of the start but the library has the name, or may have it. With
 * RTLD_DEEPBIND one that is loaded later asks its own libraries first. */
static bool is_alone(const struct slots *slots, const struct slots_import *import)
{
    for (uint32_t i = slots->start; i < slots->count; i++) {
        const struct slots_object *object = &slots->object[i];
        if (object != import->library &&
            (object->is_silent ||
             loaded_next_symbol(&object->loaded, import->name, import->hash, NULL) != NULL))
            return false;
    }
    return true;
}

/* Where one object alone has the name, in one version, this is all that there is to know. */
static bool is_only(struct slots *slots, struct slots_import *import)
{
    for (uint32_t i = 0; i < slots->count; i++) {
        struct slots_object *object = &slots->object[i];
        const ElfW(Sym) *symbol =
            loaded_next_symbol(&object->loaded, import->name, import->hash, NULL);
        if (symbol == NULL && !object->is_silent)
            continue;
        if (import->symbol != NULL || symbol == NULL ||
            loaded_next_symbol(&object->loaded, import->name, import->hash, symbol) != NULL)
            return false;
        import->library = object;
        import->symbol = symbol;
    }
    return true;
}

void slots_define(struct slots *slots, struct slots_import *import)
{
    import->library = NULL;
    import->symbol = NULL;
    if (is_only(slots, import))
        return;
    const char *version = loaded_version_wanted(&import->importer->loaded, import->number);
    bool is_known = version == NULL || *version != '\0';
    import->library = NULL;
    import->symbol = NULL;
    for (uint32_t i = 0; i < slots->count && import->library == NULL; i++) {
        struct slots_object *object = &slots->object[i];
        const ElfW(Sym) *symbol =
            loaded_version_find(&object->loaded, import->name, import->hash, version);
        is_known &= !object->is_silent;
        if (symbol == NULL)
            continue;
        import->library = object;
        bool is_start = i < slots_start(slots) && import->importer < slots->object + slots->start;
        if (is_known && (is_start || is_alone(slots, import)))
            import->symbol = symbol;
    }
}

uintptr_t slots_function(struct slots *slots, struct slots_import *import)
{
    slots_define(slots, import);
    return import->symbol == NULL || (import->symbol->st_info & 15u) != STT_FUNC
               ? 0
               : import->library->loaded.entry->l_addr + import->symbol->st_value;
}

#endif
