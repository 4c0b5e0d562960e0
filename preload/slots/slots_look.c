/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stddef.h>

#include "preload/memory.h"
#include "preload/slots/slots.h"
#include "preload/slots/slots_user.h"

#if SLOTS_LOADS > 0

/* What an object has a slot, or another word with an address, for. */
enum slots_use {
    USE_CALL,    /* calls alone, or the object has no slots of these beside compilers', as with
                    -fno-plt */
    USE_ADDRESS, /* an address is taken, and where the object calls the routine as well, the linker
                    makes one slot of both */
    USE_WORD,    /* a word of data: programs compare and copy what is in tables */
};

static enum slots_function function_of(const char *name)
{
    static const struct {
        char name[12];
        enum slots_function is;
    } functions[] = {
        {"dlopen", SLOTS_FUNCTION_OPEN},     {"dlmopen", SLOTS_FUNCTION_OPEN_SPACE},
        {"dlsym", SLOTS_FUNCTION_LOOK_UP},   {"dlvsym", SLOTS_FUNCTION_LOOK_UP},
        {"dlclose", SLOTS_FUNCTION_CLOSE},   {"prctl", SLOTS_FUNCTION_PRCTL},
        {"syscall", SLOTS_FUNCTION_SYSCALL},
    };
    bool is_likely = (name[0] == 'd' && name[1] == 'l') || (name[0] == 'p' && name[1] == 'r') ||
                     (name[0] == 's' && name[1] == 'y');
    for (size_t i = 0; is_likely && i < sizeof functions / sizeof functions[0]; i++) {
        if (text_equal(name, functions[i].name))
            return functions[i].is;
    }
    return name[0] == '_' && text_equal(name, "__cyg_profile_func_enter") ? SLOTS_FUNCTION_HOOK
                                                                          : SLOTS_FUNCTION_NOT;
}

/* ---- Functions that load --------------------------------------------------------------------- */

/* glibc's dl_iterate_phdr(3), which no other library's stands before here. Others hold no lock
 * while they call back. */
static void find_iterate(struct slots *slots)
{
    for (uint32_t i = 0; i < slots->count && slots->iterate == NULL; i++) {
        const struct loaded *loaded = &slots->object[i].loaded;
        if (loaded->names == NULL || !text_equal(loaded->soname, "libc.so.6"))
            continue;
        uintptr_t function = loaded_function(loaded, "dl_iterate_phdr");
        memcpy(&slots->iterate, &function, sizeof function);
        slots->is_single = loaded_data(loaded, "__libc_single_threaded");
    }
}

/* The number of the stub that goes on to the function; SLOTS_LOADS: there is no room. */
static uint32_t load_of(struct slots *slots, uintptr_t target, enum slots_function function)
{
    uint32_t i = 0;
    while (i < slots->load_count &&
           (slots->load[i].target != target || slots->load[i].function != function))
        i++;
    if (i == slots->load_count && i < SLOTS_LOADS)
        slots->load[slots->load_count++] = (struct slots_load){target, function};
    return i;
}

/* Who stands before dlopen(3) with a stub of somebody else's is left alone. */
static uintptr_t find_target(struct slots *slots, struct slots_import *import, bool is_sandbox)
{
    uintptr_t bound = *import->slot;
    if (import->is_others || (is_sandbox && !import->is_lazy))
        return bound;
    import->hash = loaded_hash(import->name, &import->length);
    uintptr_t function = slots_function(slots, import);
    return import->is_lazy || bound == function ? function : 0;
}

static bool is_of_sandbox(enum slots_function function)
{
    return function == SLOTS_FUNCTION_PRCTL || function == SLOTS_FUNCTION_SYSCALL;
}

/* Its slot leads to no stub: nobody tells when it is called. */
static void lose(struct slots *slots, enum slots_function function)
{
    if (is_of_sandbox(function))
        slots_confine(slots);
    else
        slots->is_blind = true;
}

static void add_load(struct slots *slots, struct slots_import *import, enum slots_function function)
{
    bool is_sandbox = is_of_sandbox(function);
    if (slots_is_load_stub(*import->slot) ||
        (!is_sandbox && slots_user_is_below(slots, import->importer)))
        return;
    find_iterate(slots);
    uintptr_t target = find_target(slots, import, is_sandbox);
    uint32_t load = target == 0 ? SLOTS_LOADS : load_of(slots, target, function);
    if (load < SLOTS_LOADS && slots->pending_count < SLOTS_PENDING_MAX)
        slots->pending[slots->pending_count++] =
            (struct slots_pending){import->slot, import->importer, load};
    else
        lose(slots, function);
}

void slots_point_loads(struct slots *slots)
{
    for (uint32_t i = 0; i < slots->pending_count; i++) {
        const struct slots_pending *pending = &slots->pending[i];
        if (slots_open(slots, &pending->importer->loaded, (uintptr_t)pending->slot))
            __atomic_store_n(pending->slot, slots_load_stub(pending->load), __ATOMIC_RELEASE);
        else
            lose(slots, slots->load[pending->load].function);
    }
    slots->pending_count = 0;
    slots_close(slots);
}

/* ---- Wanted routines ------------------------------------------------------------------------- */

/* Finds whose routine it is. What has been bound tells: the loader asked by rules of its own, and
 * the importer need not name the library. A slot that is not bound leads into its own object, and
 * one of the other library's stubs may lead anywhere. Returns whether that is known. */
static bool find_library(struct slots *slots, struct slots_import *import)
{
    import->hash = loaded_hash(import->name, &import->length);
    if (import->library != NULL)
        return loaded_has_function(&import->library->loaded, import->name, import->hash);
    if (slots_wanted(slots, slots->count, import->name, import->hash) == NULL ||
        (import->is_own && !slots_has_before(slots, import)))
        return false;
    slots_define(slots, import);
    if (import->symbol == NULL && (import->library == NULL || !import->library->is_wanted))
        import->library = slots_wanted(slots, slots->count, import->name, import->hash);
    if (import->library == NULL || import->library == import->importer)
        return false;
    return import->is_lazy || import->is_others ||
           (slots_know(slots, import->library) && slots_has(import->library, *import->slot));
}

static void look_at_routine(struct slots *slots, struct slots_import *import, enum slots_use use)
{
    const bool is_told = import->library != NULL;
    if (slots_user_is_stub(*import->slot) || !find_library(slots, import))
        return;
    enum slots_want want = slots_user_wants(slots, import);
    if (want == SLOTS_NOT)
        return;
    bool is_known = is_told || !(import->is_lazy || import->is_others) || import->symbol != NULL;
    bool could = want == SLOTS_WANTED && use == USE_CALL && is_known && !slots->is_end &&
                 slots_know(slots, import->importer);
    bool is_found = could && slots_user_found(slots, import);
    if ((!is_found || slots->is_late || import->was_called) &&
        (!slots->is_again || (could && !is_found)))
        slots_user_miss(slots, import);
}

/* dlopen(3) may be called by its address. */
static void look_at_address(struct slots *slots, const struct loaded *loaded,
                            const ElfW(Rela) * relocation)
{
    size_t number = ELF64_R_SYM(relocation->r_info);
    if (number == 0 || loaded->symbols[number].st_shndx != SHN_UNDEF)
        return;
    enum slots_function function = function_of(loaded_name(loaded, relocation));
    slots->is_blind |= function == SLOTS_FUNCTION_OPEN || function == SLOTS_FUNCTION_OPEN_SPACE;
}

/* What each object's start-up code has the address of is weak, or __libc_start_main(). */
static bool is_start_up(const ElfW(Sym) * symbol, const char *name)
{
    return symbol->st_info >> 4 != STB_GLOBAL || text_equal(name, "__libc_start_main");
}

static void look_at(struct slots *slots, struct slots_object *object, const ElfW(Rela) * relocation,
                    enum slots_use use)
{
    const struct loaded *loaded = &object->loaded;
    const uint32_t number = (uint32_t)ELF64_R_SYM(relocation->r_info);
    const ElfW(Sym) *symbol = &loaded->symbols[number];
    const char *name = loaded_name(loaded, relocation);
    enum slots_function function = use == USE_CALL ? function_of(name) : SLOTS_FUNCTION_NOT;
    bool is_load = function != SLOTS_FUNCTION_NOT && function != SLOTS_FUNCTION_HOOK;
    slots->is_instrumented |= function == SLOTS_FUNCTION_HOOK;
    bool is_own = symbol->st_shndx != SHN_UNDEF;
    if ((is_own && (is_load || use != USE_CALL)) || (!is_load && slots->library_count == 0) ||
        (use != USE_CALL && is_start_up(symbol, name)) || !slots_know(slots, object))
        return;
    uintptr_t *slot = (uintptr_t *)(loaded->entry->l_addr + relocation->r_offset), bound = *slot;
    if (is_own && bound == loaded->entry->l_addr + symbol->st_value)
        return;
    bool is_lazy = use == USE_CALL && slots_has(object, bound);
    bool is_others = bound >= slots->other_start && bound < slots->other_end;
    bool was_lazy = false;
    uintptr_t leads = is_others ? slots_behind(slots, bound, &was_lazy) : bound;
    struct slots_object *library = is_lazy ? NULL : slots_library_at(slots, leads);
    library = library == object ? NULL : library;
    if (!is_load && library == NULL && !is_lazy && !is_others &&
        (use != USE_CALL || !slots->has_parts))
        return;
    struct slots_import import = {
        .name = name,
        .number = number,
        .slot = slot,
        .importer = object,
        .library = library,
        .is_lazy = is_lazy,
        .is_others = is_others,
        .was_lazy = was_lazy,
        .was_called = object->is_lazy && library != NULL && !was_lazy &&
                      ELF64_R_TYPE(relocation->r_info) == R_X86_64_JUMP_SLOT,
        .is_own = is_own,
    };
    if (relocation - loaded->calls < (ptrdiff_t)loaded->call_count)
        import.relocation = (uint32_t)(relocation - loaded->calls);
    if (is_load)
        add_load(slots, &import, function);
    else
        look_at_routine(slots, &import, use);
}

/* Whether the loader binds what the object calls at the first call, as some slots are not bound. */
static bool is_lazy_object(const struct slots *slots, struct slots_object *object)
{
    const struct loaded *loaded = &object->loaded;
    for (size_t i = 0; slots->library_count > 0 && i < loaded->call_count; i++) {
        const ElfW(Rela) *call = &loaded->calls[i];
        const uintptr_t *slot = (const uintptr_t *)(loaded->entry->l_addr + call->r_offset);
        if (ELF64_R_TYPE(call->r_info) == R_X86_64_JUMP_SLOT &&
            loaded->symbols[ELF64_R_SYM(call->r_info)].st_shndx == SHN_UNDEF &&
            slots_know(slots, object) && slots_has(object, *slot))
            return true;
    }
    return false;
}

void slots_look(struct slots *slots, struct slots_object *object)
{
    const struct loaded *loaded = &object->loaded;
    size_t calls = 0;
    object->is_lazy = is_lazy_object(slots, object);
    for (size_t i = 0; i < loaded->call_count; i++) {
        if (ELF64_R_TYPE(loaded->calls[i].r_info) != R_X86_64_JUMP_SLOT)
            continue;
        calls += !compiler_names_has(loaded_name(loaded, &loaded->calls[i]));
        look_at(slots, object, &loaded->calls[i], USE_CALL);
    }
    for (size_t i = 0; (calls == 0 || slots->library_count > 0) && i < loaded->other_count; i++) {
        const ElfW(Rela) *relocation = &loaded->others[i];
        uint32_t type = ELF64_R_TYPE(relocation->r_info);
        const uintptr_t *word = (const uintptr_t *)(loaded->entry->l_addr + relocation->r_offset);
        if (type == R_X86_64_GLOB_DAT && calls == 0)
            look_at(slots, object, relocation, USE_CALL);
        else if (type != R_X86_64_GLOB_DAT && type != R_X86_64_64)
            continue;
        else if (slots_library_at(slots, *word) != NULL)
            look_at(slots, object, relocation, type == R_X86_64_64 ? USE_WORD : USE_ADDRESS);
        else
            look_at_address(slots, loaded, relocation);
    }
    object->is_new = false;
}

void slots_look_at_all(struct slots *slots)
{
    for (uint32_t i = 0; i < slots->count; i++) {
        struct slots_object *object = &slots->object[i];
        if (!object->is_left)
            slots_look(slots, object);
    }
}

/* ---- Addresses by name ----------------------------------------------------------------------- */

/* What dlsym(3) finds of the handle's own libraries is not known: the first that has the name. */
static struct slots_object *find_named(struct slots *slots, uint32_t count, const void *handle,
                                       const struct slots_import *import)
{
    struct slots_object *first = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct slots_object *object = &slots->object[i];
        if (!loaded_has_function(&object->loaded, import->name, import->hash))
            continue;
        if (object->loaded.entry == handle)
            return object;
        first = first == NULL ? object : first;
    }
    return first;
}

void slots_look_up(struct slots *slots, uint32_t count, const void *handle, const char *name)
{
    struct slots_import import = {.name = name};
    import.hash = loaded_hash(name, &import.length);
    if (slots_wanted(slots, count, name, import.hash) == NULL)
        return;
    import.library = find_named(slots, count, handle, &import);
    if (import.library != NULL && slots_user_wants(slots, &import) != SLOTS_NOT)
        slots_user_miss(slots, &import);
}

#endif
