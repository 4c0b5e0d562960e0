/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/routines/routine_search.h"

#include "preload/memory.h"

bool routine_search_begin(struct routine_search *search, const struct image *image,
                          const void *policy)
{
    *search = (struct routine_search){.image = image};
    return designation_find(&search->rules, policy);
}

bool routine_search_is_library(const struct routine_search *search, const struct loaded *object)
{
    return designation_has_library(&search->rules, object);
}

bool routine_search_is_archive(const struct routine_search *search, const char *name)
{
    return designation_has_archive(&search->rules, name);
}

uint32_t routine_search_count(const struct routine_search *search)
{
    const struct r_debug *loader = image_loader(search->image);
    const struct link_map *entry = loader == NULL ? NULL : loader->r_map;
    uint32_t found = 0;
    for (uint32_t at = 0; entry != NULL && at < ROUTINE_OBJECTS_MAX; entry = entry->l_next, at++) {
        const struct loaded object = loaded_read(entry);
        found += loaded_is_file(entry) && routine_search_is_library(search, &object);
    }
    return found;
}

/* Whether the object is of one of valgrind's tools that report each store which threads do not
 * agree about by locks: stubs and slots are stored to without. They have no DT_SONAME. */
static bool is_race_detector(const struct loaded *object)
{
    const char *tool = text_after(object->soname, "vgpreload_");
    return tool != NULL &&
           (text_after(tool, "helgrind") != NULL || text_after(tool, "drd") != NULL);
}

/* Its constructor may have run before. */
static void find_timer(struct routine_search *search, const struct loaded *object)
{
    if (search->timer.end != 0 || !text_equal(object->soname, "libjobtrail-profile.so"))
        return;
    search->timer = *object;
    loaded_find_segments(search->image, false, &search->timer);
}

/* The number of an object is its place in the link map. The vDSO is there too, and nothing is bound
 * to what it exports. */
uint32_t routine_search_libraries(struct routine_search *search)
{
    struct routine_memory *memory = search->memory;
    const struct r_debug *loader = image_loader(search->image);
    const struct link_map *entry = loader == NULL ? NULL : loader->r_map;
    uint32_t found = 0, at = 0;
    for (; entry != NULL && at < ROUTINE_OBJECTS_MAX; entry = entry->l_next, at++) {
        struct loaded *object = &memory->object[at].loaded;
        *object = loaded_read(entry);
        memory->object[at].is_executable = entry == loader->r_map;
        if (!loaded_is_file(entry)) {
            if (!memory->object[at].is_executable)
                object->hash = NULL;
            continue;
        }
        search->is_forbidden |= is_race_detector(object);
        find_timer(search, object);
        if (!routine_search_is_library(search, object))
            continue;
        if (found < ROUTINE_LIBRARIES_MAX)
            memory->library[found] =
                (struct designated_library){.entry = entry, .name = object->soname, .object = at};
        found++;
    }
    memory->object_count = at;
    return found;
}

#if ROUTINE_STUBS > 0

void routine_search_put_library(struct routine_search *search, struct designated_library *library)
{
    const struct link_map *entry = library->entry;
    const char *path = entry == NULL ? library->name : entry->l_name;
    const struct image_bytes id =
        entry == NULL
            ? (struct image_bytes){NULL, 0}
            : loaded_build_id(search->image, &search->memory->object[library->object].loaded);
    library->state = designation_after(&search->rules, library->name);
    library->number = routine_list_library(&search->memory->list, id, path);
    if (entry != NULL && search->memory->object[library->object].loaded.hash == NULL)
        search->missed++; /* it cannot be asked what it exports */
}

/* A name of Intel's convention, by which r11 has an argument, is left alone: stubs change that. */
static bool can_watch(const struct routine_memory *memory, const struct routine_import *import,
                      uint32_t library)
{
    return memory->entry_count < ROUTINE_STUBS &&
           memory->library[library].number != ROUTINE_LIST_FULL && import->length <= UINT16_MAX &&
           text_after(import->name, "__regcall") == NULL;
}

/* The name where it stays. Nothing of the start is unloaded. NULL: there is no room. */
static const char *lasting_name(struct routine_memory *memory, const struct routine_import *import)
{
    if (memory->start_objects == 0)
        return import->name;
    if (import->length > sizeof memory->names - memory->names_used)
        return NULL;
    char *copy = memory->names + memory->names_used;
    memory->names_used += import->length;
    return memcpy(copy, import->name, import->length);
}

/* Whether the routine has been noted, by an object that may have been unloaded: where calls are not
 * counted, no more of it is to be known. */
static bool has_been_noted(const struct routine_memory *memory, const struct routine_import *import,
                           uint32_t number)
{
    if (memory->subs == 0 || memory->is_counted)
        return false;
    for (uint32_t i = memory->start_entries; i < memory->entry_count; i++) {
        const struct routine_entry *entry = &memory->entry[i];
        if (entry->name != NULL && entry->library == number && entry->length == import->length &&
            __atomic_load_n(&entry->is_noted, __ATOMIC_RELAXED) &&
            memcmp(entry->name, import->name, import->length) == 0)
            return true;
    }
    return false;
}

void routine_search_add(struct routine_search *search, const struct routine_import *import,
                        uint32_t library)
{
    struct routine_memory *memory = search->memory;
    if (designation_skip(&search->rules, memory->library[library].state, import->name) ||
        has_been_noted(memory, import, memory->library[library].number))
        return;
    const char *name = can_watch(memory, import, library) ? lasting_name(memory, import) : NULL;
    if (name == NULL) {
        search->missed++;
        return;
    }
    memory->entry[memory->entry_count++] = (struct routine_entry){
        .target = (uintptr_t)routine_first,
        .original = *import->slot,
        .slot = import->slot,
        .name = name,
        .relocation = import->relocation,
        .library = memory->library[library].number,
        .length = (uint16_t)import->length,
        .flags = import->is_lazy && memory->is_counted ? LEDGER_ROUTINE_AT_LEAST : 0,
        .is_lazy = import->is_lazy,
    };
    search->watched++;
    search->need += routine_list_size(import->length);
}

static enum routine_loading loading_of(const char *name)
{
    static const struct {
        char name[8];
        enum routine_loading is;
    } functions[] = {
        {"dlopen", ROUTINE_LOADING_OPEN},     {"dlmopen", ROUTINE_LOADING_OPEN},
        {"dlsym", ROUTINE_LOADING_LOOK_UP},   {"dlvsym", ROUTINE_LOADING_LOOK_UP},
        {"dlclose", ROUTINE_LOADING_CLOSE},   {"prctl", ROUTINE_LOADING_CONFINE},
        {"syscall", ROUTINE_LOADING_SYSCALL},
    };
    if ((name[0] != 'd' || name[1] != 'l') && (name[0] != 'p' || name[1] != 'r') &&
        (name[0] != 's' || name[1] != 'y'))
        return ROUTINE_LOADING_NOT;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (text_equal(name, functions[i].name))
            return functions[i].is;
    }
    return ROUTINE_LOADING_NOT;
}

uintptr_t routine_search_function(const struct routine_memory *memory, const char *name)
{
    uint32_t count = memory->start_objects == 0 ? memory->object_count : memory->start_objects;
    uintptr_t function = 0;
    for (uint32_t i = 0; i < count && function == 0; i++)
        function = loaded_function(&memory->object[i].loaded, name);
    return function;
}

/* A library that is loaded later, and may call prctl(2), is taken to have called it: its
 * constructors may have. Of syscall(2) that would be too much to say, and its calls are those of
 * the start. Which of them enters a sandbox an argument says, so that all have to be seen: the
 * loader is not to write over the stub. */
static void add_loading(struct routine_search *search, const struct loaded *loaded,
                        enum routine_loading loading, const struct routine_import *import)
{
    struct routine_memory *memory = search->memory;
    bool is_start = memory->start_objects == 0;
    uintptr_t original = *import->slot;
    if (loading == ROUTINE_LOADING_CONFINE && !is_start) {
        __atomic_store_n(&memory->is_confined, 1, __ATOMIC_RELAXED);
        return;
    }
    if (loading == ROUTINE_LOADING_SYSCALL && original >= loaded->start && original < loaded->end)
        original = routine_search_function(memory, import->name);
    if (original == 0 || routine_is_stub(original) ||
        (loading == ROUTINE_LOADING_SYSCALL && !is_start))
        return;
    if (memory->entry_count == ROUTINE_STUBS) {
        search->missed++;
        return;
    }
    if (is_start && loading != ROUTINE_LOADING_SYSCALL &&
        memory->pointer_count < ROUTINE_LOADING_MAX)
        memory->pointer[memory->pointer_count++] =
            (struct routine_pointer){import->name, memory->entry_count};
    memory->entry[memory->entry_count++] = (struct routine_entry){
        .target = (uintptr_t)routine_loading,
        .original = original,
        .cell = (struct ledger_routine *)(uintptr_t)loading,
        .slot = import->slot,
        .relocation = import->relocation,
    };
}

/* Whether an object other than the library defines the name, of those from `first` to `end`. */
static bool is_defined(const struct routine_memory *memory, uint32_t first, uint32_t end,
                       const struct designated_library *library,
                       const struct routine_import *import, uint32_t hash)
{
    for (uint32_t i = first; i < end; i++) {
        if (i != library->object &&
            loaded_next_symbol(&memory->object[i].loaded, import->name, hash, NULL) != NULL)
            return true;
    }
    return false;
}

enum definer { OTHER, LIBRARY, UNKNOWN };

/* To whom the loader will bind the name. It asks the objects of the start first, in the order of
 * the link map, and then those that the importer itself was loaded with, in another one. */
static enum definer will_be_of(const struct routine_memory *memory,
                               const struct designated_library *library,
                               const struct routine_import *import, uint32_t hash)
{
    uint32_t start = memory->start_objects;
    bool is_later = start != 0 && library->object >= start;
    if (is_defined(memory, 0, is_later ? start : library->object, library, import, hash))
        return OTHER;
    return is_later && is_defined(memory, start, memory->object_count, library, import, hash)
               ? UNKNOWN
               : LIBRARY;
}

/* Whose routine the import is, which the library defines. */
static enum definer is_of(const struct routine_search *search,
                          const struct designated_library *library,
                          const struct routine_import *import, uint32_t hash)
{
    const struct loaded *other = &search->memory->object[library->object].loaded;
    const uintptr_t bound = *import->slot;
    bool is_timed = bound >= search->timer.start && bound < search->timer.end;
    if (import->is_lazy || is_timed)
        return will_be_of(search->memory, library, import, hash);
    return bound >= other->start && bound < other->end ? LIBRARY : OTHER;
}

/* A slot that leads into the object itself has not been bound yet: then the loader will look for
 * the name in the order of the link map. So has one that leads to a stub of the timer's. One that
 * leads neither there nor to the library has not been relocated, or leads to another's routine. */
static void look_at_name(struct routine_search *search, const struct loaded *loaded, uint32_t needs,
                         struct routine_import *import)
{
    const struct routine_memory *memory = search->memory;
    const char *name = import->name;
    const uintptr_t bound = *import->slot;
    uint32_t hash = loaded_hash(name, &import->length);
    if (routine_is_stub(bound))
        return; /* it was found before */
    import->is_lazy = bound >= loaded->start && bound < loaded->end;
    for (uint32_t i = 0; i < memory->library_count; i++) {
        const struct designated_library *library = &memory->library[i];
        const struct loaded *other = &memory->object[library->object].loaded;
        if ((needs >> i & 1) == 0 || !loaded_has_function(other, name, hash))
            continue;
        enum definer definer = is_of(search, library, import, hash);
        if (definer == LIBRARY)
            routine_search_add(search, import, i);
        else if (definer == UNKNOWN)
            search->missed += !designation_skip(&search->rules, library->state, name);
        if (definer != OTHER)
            return;
    }
}

static void look_at_import(struct routine_search *search, struct routine_object *object,
                           uint32_t needs, const ElfW(Rela) * relocation, size_t number)
{
    struct loaded *loaded = &object->loaded;
    const ElfW(Sym) *symbol = &loaded->symbols[ELF64_R_SYM(relocation->r_info)];
    const char *name = loaded_name(loaded, relocation);
    enum routine_loading loading = loading_of(name);
    if (symbol->st_shndx != SHN_UNDEF || (needs == 0 && loading == ROUTINE_LOADING_NOT))
        return;
    if (loaded->end == 0 && !loaded_find_segments(search->image, object->is_executable, loaded)) {
        search->missed++;
        return;
    }
    struct routine_import import = {
        .name = name,
        .slot = (uintptr_t *)(loaded->entry->l_addr + relocation->r_offset),
        .relocation = (uint32_t)number,
    };
    if (loading != ROUTINE_LOADING_NOT)
        add_loading(search, loaded, loading, &import);
    else
        look_at_name(search, loaded, needs, &import);
}

/* Whether a slot that addresses are taken from leads to a designated routine. Calls may go through
 * it unseen: the linker makes one slot of both, and -fno-plt calls so. Of the objects of the start
 * alone, where all these are bound. What each object's start-up code refers to is weak, or
 * __libc_start_main(). */
static bool is_unseen(const struct routine_search *search, const struct loaded *loaded,
                      uint32_t needs, const ElfW(Rela) * import)
{
    const struct routine_memory *memory = search->memory;
    const ElfW(Sym) *symbol = &loaded->symbols[ELF64_R_SYM(import->r_info)];
    const char *name = loaded_name(loaded, import);
    const uintptr_t address = *(const uintptr_t *)(loaded->entry->l_addr + import->r_offset);
    uint32_t length;
    if (memory->start_objects > 0 || symbol->st_shndx != SHN_UNDEF ||
        symbol->st_info >> 4 != STB_GLOBAL || text_equal(name, "__libc_start_main"))
        return false;
    for (uint32_t i = 0; i < memory->library_count; i++) {
        const struct loaded *other = &memory->object[memory->library[i].object].loaded;
        if ((needs >> i & 1) != 0 && address >= other->start && address < other->end &&
            loaded_has_function(other, name, loaded_hash(name, &length)))
            return !designation_skip(&search->rules, memory->library[i].state, name);
    }
    return false;
}

/* Slots of calls alone, but where the object has none of these beside compilers': with -fno-plt
 * calls go through the slots that addresses of functions are taken from. */
static void look_at_imports(struct routine_search *search, struct routine_object *object,
                            uint32_t needs)
{
    const struct loaded *loaded = &object->loaded;
    size_t calls = 0;
    for (size_t i = 0; i < loaded->call_count; i++) {
        if (ELF64_R_TYPE(loaded->calls[i].r_info) != R_X86_64_JUMP_SLOT)
            continue;
        calls += !compiler_names_has(loaded_name(loaded, &loaded->calls[i]));
        look_at_import(search, object, needs, &loaded->calls[i], i);
    }
    for (size_t i = 0; (calls == 0 || needs != 0) && i < loaded->other_count; i++) {
        if (ELF64_R_TYPE(loaded->others[i].r_info) != R_X86_64_GLOB_DAT)
            continue;
        if (calls == 0)
            look_at_import(search, object, needs, &loaded->others[i], 0);
        else
            search->missed += is_unseen(search, loaded, needs, &loaded->others[i]);
    }
}

void routine_search_object(struct routine_search *search, struct routine_object *object)
{
    struct routine_memory *memory = search->memory;
    uint32_t needs = 0;
    object->first = memory->entry_count;
    for (uint32_t i = 0; i < memory->library_count; i++) {
        if (loaded_needs(&object->loaded, memory->library[i].name))
            needs |= 1u << i;
    }
    look_at_imports(search, object, needs);
    object->count = memory->entry_count - object->first;
    object->is_new = object->count > 0;
}

void routine_search_imports(struct routine_search *search)
{
    struct routine_memory *memory = search->memory;
    if (!designation_has_loaded(&search->rules))
        return;
    for (uint32_t i = 0; i < memory->library_count; i++) {
        struct designated_library *library = &memory->library[i];
        loaded_find_segments(search->image, false, &memory->object[library->object].loaded);
        routine_search_put_library(search, library);
    }
    for (uint32_t i = 0; i < memory->object_count; i++)
        routine_search_object(search, &memory->object[i]);
}

#endif
