/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/routines.h"

#include "conf/policy/policy_read.h"
#include "preload/loaded.h"
#include "preload/memory.h"
#include "preload/routine_stubs.h"
#include "preload/system.h"

enum {
    LIBRARIES_MAX = 32, /* designated ones, one bit each in routine_object.needs */
    OBJECTS_MAX = 1024, /* of the link map */
};

/* A designated library that is loaded. */
struct routine_library {
    const struct link_map *entry;
    uint32_t object; /* its number */
    uint32_t state;  /* of the policy's automaton, after "routine:LIBRARY:" */
};

struct routine_object {
    struct loaded loaded;
    uint32_t first, count; /* of its entries */
    bool is_executable;
};

/* All that is kept: a mapping of its own, which forked children have too, as the slots of their
 * tables lead to stubs. */
struct routine_memory {
    struct routine_entry entry[ROUTINE_STUBS + 1];
    uint32_t entry_count;
    uint32_t library_count;
    uint32_t object_count;
    bool is_counted;
    const struct ledger_slot *slot; /* shared; NULL: nothing is noted */
    uint64_t random;                /* the slot's, by which it is known */
    struct ledger_routines *shared;
    size_t field_at; /* of the content of the LEDGER_ROUTINES field, in the fields */
    clock_function *now;
    struct routine_library library[LIBRARIES_MAX];
    struct routine_object object[OBJECTS_MAX];
};

/* In .data, as private.c says. NULL: no routine is watched. */
static struct routine_memory *known __attribute__((section(".data")));

/* What is needed while the imports are looked for. */
struct search {
    const struct image *image;
    struct policy_table table;
    struct routine_memory *memory;
    struct fields fields; /* within the field LEDGER_ROUTINES */
    size_t base;          /* where these begin, in the fields of the capture */
    uint32_t missed;
};

static bool is_kept(const struct policy_table *table, const char *kind, const char *name)
{
    uint32_t state = policy_walk(table, table->dfa->start, kind, text_length(kind));
    const struct policy_rule *rule =
        policy_verdict(table, policy_walk(table, state, name, text_length(name)));
    return rule != NULL && rule->action == POLICY_KEEP;
}

static bool is_designated(const struct policy_table *table, const struct loaded *object)
{
    return is_kept(table, "soname:", object->soname) ||
           is_kept(table, "path:", object->entry->l_name);
}

/* The number of designated libraries in the process, and the first ones of them. */
static uint32_t find_libraries(const struct search *search, const struct r_debug *loader,
                               struct routine_library library[LIBRARIES_MAX])
{
    uint32_t found = 0, at = 0;
    const struct link_map *entry = loader == NULL ? NULL : loader->r_map;
    for (; entry != NULL && at < OBJECTS_MAX; entry = entry->l_next, at++) {
        if (!image_is_object(entry))
            continue;
        const struct loaded object = loaded_read(entry);
        if (!is_designated(&search->table, &object))
            continue;
        if (found < LIBRARIES_MAX)
            library[found] = (struct routine_library){.entry = entry, .object = at};
        found++;
    }
    return found;
}

static struct routine_memory *map_memory(void)
{
    const size_t size = (sizeof(struct routine_memory) + LEDGER_PAGE - 1) & ~(LEDGER_PAGE - 1);
    long result = system_call6(SYSTEM_MAP, 0, (long)size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return system_failed(result) ? NULL : (struct routine_memory *)result;
}

#if ROUTINE_STUBS > 0

static void put_library(struct search *search, struct routine_library *library)
{
    static const char kind[] = "routine:";
    const struct policy_table *table = &search->table;
    const struct loaded *loaded = &search->memory->object[library->object].loaded;
    const struct image_bytes id = image_build_id(search->image, library->entry);
    const char *path = library->entry->l_name;
    unsigned char id_size = id.size > 64 ? 64 : (unsigned char)id.size;
    uint32_t state = policy_walk(table, table->dfa->start, kind, sizeof kind - 1);
    state = policy_walk(table, state, loaded->soname, text_length(loaded->soname));
    library->state = policy_walk(table, state, ":", 1);
    if (!fields_begin(&search->fields, LEDGER_LIBRARY))
        return;
    fields_add(&search->fields, &id_size, 1, search->fields.room);
    fields_add(&search->fields, id.at, id_size, search->fields.room);
    fields_add(&search->fields, path, text_length(path), search->fields.room);
    fields_end(&search->fields);
}

/* Adds an entry for the slot, and its field. A name that says that its routine takes arguments in
 * the register that stubs change is left alone. */
static void add_entry(struct search *search, const char *name, uint32_t library, uintptr_t *slot,
                      bool is_lazy)
{
    struct routine_memory *memory = search->memory;
    struct fields *fields = &search->fields;
    size_t length = text_length(name);
    const struct ledger_routine cell = {
        .library = library,
        .flags = is_lazy && memory->is_counted ? LEDGER_ROUTINE_AT_LEAST : 0,
    };
    if (memory->entry_count == ROUTINE_STUBS || text_after(name, "__regcall") != NULL ||
        fields->room - fields->used < sizeof(struct ledger_field) + sizeof cell + length) {
        search->missed++;
        return;
    }
    size_t at = search->base + fields->used + sizeof(struct ledger_field);
    fields_begin(fields, LEDGER_ROUTINE);
    fields_add(fields, &cell, sizeof cell, fields->room);
    fields_add(fields, name, length, fields->room);
    fields_end(fields);
    memory->entry[memory->entry_count++] = (struct routine_entry){
        .target = (uintptr_t)routine_first,
        .original = *slot,
        .cell = (struct ledger_routine *)at, /* until routines_point() */
        .slot = slot,
    };
}

/* Whether an object before the library defines the name, which then is not the library's. */
static bool is_defined_before(const struct routine_memory *memory, uint32_t object,
                              const char *name, uint32_t hash)
{
    for (uint32_t i = 0; i < object; i++) {
        if (loaded_has_function(&memory->object[i].loaded, name, hash))
            return true;
    }
    return false;
}

/* A slot that leads into the object itself has not been bound yet: then the loader will look for
 * the name in the order of the link map. */
static void look_at_import(struct search *search, const struct routine_object *object,
                           uint32_t needs, const ElfW(Rela) * import)
{
    struct routine_memory *memory = search->memory;
    const struct loaded *loaded = &object->loaded;
    const ElfW(Sym) *symbol = &loaded->symbols[ELF64_R_SYM(import->r_info)];
    const char *name = loaded->names + symbol->st_name;
    uintptr_t *slot = (uintptr_t *)(loaded->entry->l_addr + import->r_offset);
    if (symbol->st_shndx != SHN_UNDEF)
        return;
    bool is_lazy = *slot >= loaded->start && *slot < loaded->end;
    uint32_t hash = loaded_hash(name);
    for (uint32_t i = 0; i < memory->library_count; i++) {
        const struct routine_library *library = &memory->library[i];
        const struct loaded *other = &memory->object[library->object].loaded;
        if ((needs >> i & 1) == 0 || !loaded_has_function(other, name, hash))
            continue;
        if (is_lazy ? is_defined_before(memory, library->object, name, hash)
                    : *slot < other->start || *slot >= other->end)
            continue;
        const struct policy_rule *rule = policy_verdict(
            &search->table, policy_walk(&search->table, library->state, name, text_length(name)));
        if (rule == NULL || rule->action != POLICY_SKIP)
            add_entry(search, name, i, slot, is_lazy);
        return;
    }
}

/* Slots of calls alone, but where the object has none of these: with -fno-plt calls go through the
 * slots that addresses of functions are taken from. */
static void look_at_imports(struct search *search, struct routine_object *object, uint32_t needs)
{
    const struct loaded *loaded = &object->loaded;
    size_t calls = 0;
    for (size_t i = 0; i < loaded->call_count; i++) {
        if (ELF64_R_TYPE(loaded->calls[i].r_info) != R_X86_64_JUMP_SLOT)
            continue;
        calls++;
        look_at_import(search, object, needs, &loaded->calls[i]);
    }
    for (size_t i = 0; calls == 0 && i < loaded->other_count; i++) {
        if (ELF64_R_TYPE(loaded->others[i].r_info) == R_X86_64_GLOB_DAT)
            look_at_import(search, object, needs, &loaded->others[i]);
    }
}

static void look_at_object(struct search *search, struct routine_object *object)
{
    struct routine_memory *memory = search->memory;
    uint32_t needs = 0;
    object->first = memory->entry_count;
    for (uint32_t i = 0; i < memory->library_count; i++) {
        const char *soname = memory->object[memory->library[i].object].loaded.soname;
        if (loaded_needs(&object->loaded, soname))
            needs |= 1u << i;
    }
    if (needs == 0)
        return;
    if (loaded_find_segments(search->image, object->is_executable, &object->loaded))
        look_at_imports(search, object, needs);
    else
        search->missed++;
    object->count = memory->entry_count - object->first;
}

/* The number of an object is its place in the link map. The vDSO is there too, and nothing is bound
 * to what it exports. */
static void read_objects(struct routine_memory *memory, const struct r_debug *loader)
{
    const struct link_map *entry = loader->r_map;
    for (; entry != NULL && memory->object_count < OBJECTS_MAX; entry = entry->l_next) {
        struct routine_object *object = &memory->object[memory->object_count++];
        object->loaded = loaded_read(entry);
        object->is_executable = entry == loader->r_map;
        if (!object->is_executable && (entry->l_name == NULL || entry->l_name[0] != '/'))
            object->loaded.hash = NULL;
    }
}

static void search_objects(struct search *search, const struct r_debug *loader)
{
    struct routine_memory *memory = search->memory;
    read_objects(memory, loader);
    for (uint32_t i = 0; i < memory->library_count; i++) {
        struct routine_library *library = &memory->library[i];
        loaded_find_segments(search->image, false, &memory->object[library->object].loaded);
        put_library(search, library);
    }
    for (uint32_t i = 0; i < memory->object_count; i++)
        look_at_object(search, &memory->object[i]);
}

/* Stores the addresses of the stubs. Returns how many slots could not be written to. */
static uint32_t point_slots(const struct routine_object *object, struct routine_memory *memory)
{
    const struct loaded *loaded = &object->loaded;
    size_t fixed = loaded->fixed_end - loaded->fixed_start;
    long page = (long)loaded->fixed_start;
    uint32_t missed = 0;
    int can_fix = -1; /* not tried */
    for (uint32_t i = object->first; i < object->first + object->count; i++) {
        struct routine_entry *entry = &memory->entry[i];
        uintptr_t *slot = entry->slot;
        if ((uintptr_t)slot >= loaded->fixed_start && (uintptr_t)slot < loaded->fixed_end) {
            entry->slot = NULL;
            if (can_fix < 0)
                can_fix = system_call6(SYS_mprotect, page, (long)fixed, PROT_READ | PROT_WRITE, 0,
                                       0, 0) == 0;
            if (!can_fix) {
                missed++;
                continue;
            }
        }
        __atomic_store_n(slot, routine_stub(i), __ATOMIC_RELEASE);
    }
    if (can_fix > 0)
        system_call6(SYS_mprotect, page, (long)fixed, PROT_READ, 0, 0, 0);
    return missed;
}

/* Whether the slot of the ledger is still that of the run. After a run that was sampled out it is
 * another one's. */
static bool is_running(const struct routine_memory *memory)
{
    return memory->slot != NULL &&
           __atomic_load_n(&memory->slot->state, __ATOMIC_RELAXED) == LEDGER_OPEN &&
           memory->slot->random == memory->random;
}

static void note_call(const struct routine_memory *memory, struct ledger_routine *cell)
{
    uint64_t unknown = 0;
    uint64_t now_ns = memory->now == NULL ? LEDGER_TIME_UNKNOWN : clock_now_coarse(memory->now);
    if (memory->is_counted)
        __atomic_fetch_add(&cell->calls, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&cell->first_ns, __ATOMIC_RELAXED) != 0)
        return;
    __atomic_compare_exchange_n(&cell->first_ns, &unknown, now_ns, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    __atomic_store_n(&memory->shared->called, 1, __ATOMIC_RELAXED);
}

uintptr_t routine_called(struct routine_entry *entry)
{
    const struct routine_memory *memory = known;
    bool is_noted = is_running(memory);
    uintptr_t stub = routine_stub((unsigned)(entry - memory->entry));
    if (is_noted)
        note_call(memory, entry->cell);
    bool is_counted = is_noted && memory->is_counted;
    __atomic_store_n(&entry->target, is_counted ? (uintptr_t)routine_counted : entry->original,
                     __ATOMIC_RELAXED);
    if (!is_counted && entry->slot != NULL &&
        __atomic_load_n(entry->slot, __ATOMIC_RELAXED) == stub)
        __atomic_store_n(entry->slot, entry->original, __ATOMIC_RELAXED);
    return entry->original;
}

#endif

/* Where there are no stubs, each designated library is a miss. */
static void search_all(struct search *search, uint32_t found, const struct r_debug *loader)
{
    search->memory->library_count = found < LIBRARIES_MAX ? found : LIBRARIES_MAX;
    search->missed = found - search->memory->library_count;
#if ROUTINE_STUBS > 0
    search_objects(search, loader);
#else
    (void)loader;
    search->missed = found;
#endif
}

static void put_all(struct search *search, uint32_t found, const struct r_debug *loader,
                    size_t later, struct fields *fields)
{
    struct ledger_routines head = {.flags = 0};
    if (search->memory->is_counted)
        head.flags = LEDGER_ROUTINES_COUNTED;
    if (fields->room - fields->used < later + sizeof(struct ledger_field) + sizeof head ||
        !fields_begin(fields, LEDGER_ROUTINES))
        return;
    search->memory->field_at = fields->used;
    search->base = fields->used + sizeof head;
    search->fields = (struct fields){
        .start = fields->start + search->base,
        .room = fields->room - search->base - later,
    };
    search_all(search, found, loader);
    head.bytes = (uint32_t)search->fields.used;
    head.missed = search->missed;
    fields_add(fields, &head, sizeof head, fields->room);
    fields_wrote(fields, search->fields.used);
    fields_end(fields);
    known = search->memory;
}

void routines_choose(const struct image *image, const void *policy, size_t later,
                     struct fields *fields)
{
    const struct policy_header *header = policy;
    const struct r_debug *loader = image_loader(image);
    struct routine_library library[LIBRARIES_MAX];
    struct search search = {.image = image};
    if (!policy_find(policy, POLICY_ROUTINE, &search.table))
        return;
    uint32_t found = find_libraries(&search, loader, library);
    if (found == 0 || (search.memory = map_memory()) == NULL)
        return;
    search.memory->is_counted = (header->switches & POLICY_COUNTS) != 0;
    memcpy(search.memory->library, library, sizeof library);
    put_all(&search, found, loader, later, fields);
}

void routines_point(const struct image *image, struct ledger_slot *slot, clock_function *now)
{
    struct routine_memory *memory = known;
    if (memory == NULL)
        return;
    (void)image;
    char *fields = (char *)(slot + 1);
    memory->shared = (struct ledger_routines *)(void *)(fields + memory->field_at);
    memory->random = slot->random;
    memory->now = now;
    memory->slot = slot;
#if ROUTINE_STUBS > 0
    uint32_t missed = 0;
    routine_entries = memory->entry;
    for (uint32_t i = 0; i < memory->entry_count; i++)
        memory->entry[i].cell = (void *)(fields + (size_t)memory->entry[i].cell);
    for (uint32_t i = 0; i < memory->object_count; i++)
        missed += point_slots(&memory->object[i], memory);
    if (missed != 0)
        __atomic_fetch_add(&memory->shared->missed, missed, __ATOMIC_RELAXED);
#endif
}

bool routines_were_called(void)
{
    return known != NULL && known->shared != NULL &&
           __atomic_load_n(&known->shared->called, __ATOMIC_RELAXED) != 0;
}
