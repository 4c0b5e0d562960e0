/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Slots of global offset tables, by which objects of this process call routines of others. Both
 * libraries that point slots to stubs have this room, each with a copy of its own: first calls are
 * noted (preload/routines), or calls are counted and timed (preload/profile). What is different
 * they define as slots_user.h says.
 *
 * There are stubs for 64-bit programs on x86-64 alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/image.h"
#include "preload/loaded.h"
#include "preload/slots/designation.h"

enum {
    SLOTS_OBJECTS_MAX = 1024,
    SLOTS_LIBRARIES_MAX = 32, /* objects whose routines are wanted */
    SLOTS_PENDING_MAX = 4096,
};

#if defined __x86_64__ && defined __LP64__
#define SLOTS_LOADS 64 /* stubs before functions that load */
#else
#define SLOTS_LOADS 0
#endif

struct slots_object {
    struct loaded loaded;
    const ElfW(Dyn) * dynamic; /* the entry's; this stays when the object is unloaded */
    uint32_t after;            /* where designated, of designation_after() */
    uint32_t user;             /* the user's */
    uint32_t first;            /* the user's */
    uint32_t count;            /* the user's */
    bool is_program;           /* it is the executable */
    bool is_designated;
    bool is_wanted;  /* its routines are: it is designated, or the user says so */
    bool is_part;    /* the user's */
    bool is_runtime; /* the user's */
    bool is_below;   /* the user's: what it loads is not looked for */
    bool is_left;    /* its own calls are not looked at */
    bool is_silent;  /* it cannot be asked what it defines */
    bool is_lazy;    /* what it calls is bound at the first call: constructors have made such */
    bool is_new;     /* its calls have not been looked at yet */
};

/* A function by which objects are loaded, or routines found. */
enum slots_function {
    SLOTS_FUNCTION_NOT,
    SLOTS_FUNCTION_OPEN,
    SLOTS_FUNCTION_OPEN_SPACE, /* dlmopen(3) */
    SLOTS_FUNCTION_LOOK_UP,
    SLOTS_FUNCTION_CLOSE,
    SLOTS_FUNCTION_PRCTL, /* prctl(2), by which most programs enter a sandbox */
    SLOTS_FUNCTION_SYSCALL,
    SLOTS_FUNCTION_HOOK, /* of a program that was built with -finstrument-functions */
    SLOTS_FUNCTION_END,  /* the process ends */
};

/* What a stub before such a function goes on to. */
struct slots_load {
    uintptr_t target;
    enum slots_function function;
};

/* A slot that is to lead to a stub. */
struct slots_pending {
    uintptr_t *slot;
    const struct slots_object *importer;
    uint32_t load; /* its number */
};

/* An object that has been looked at. */
struct slots_seen {
    const struct link_map *entry;
    const ElfW(Dyn) * dynamic;
};

struct slots {
    const struct image *image;
    struct designation rules;
    bool has_rules;
    bool has_parts;       /* a library is wanted that is not designated */
    bool is_forbidden;    /* no slot may lead to a stub */
    bool is_instrumented; /* some object calls the hooks of -finstrument-functions */
    bool is_blind;        /* some function that loads could not be seen: each call of others asks */
    bool is_later;        /* what was loaded after the start is looked at */
    bool is_late;         /* it may have been called before */
    bool is_end;          /* no call comes any more: what could have been called is missed */
    bool is_again;        /* it has been looked at before */
    uint8_t is_confined;  /* atomic; a system call may end the process: none is made any more */
    uint8_t is_looking;   /* atomic; some thread looks */
    uint8_t has_loaded;   /* atomic; something may have been loaded since somebody looked */
    uint8_t was_late;     /* atomic; something may have been called that was not looked at */
    uint8_t had_threads;  /* atomic; the process had several threads when somebody asked */
    uint32_t closes;      /* atomic; calls of dlclose(3): something may have been unloaded */
    bool has_spaces;      /* dlmopen(3) may have made others */
    bool is_left;         /* something is to be looked at once more */
    bool is_reload;       /* something was unloaded since all was looked at */
    uint64_t adds;        /* what the loader had loaded when all was looked at */
    uint64_t subs;        /* what it had unloaded when somebody looked */
    int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *); /* dl_iterate_phdr(3) */
    const char *is_single;            /* glibc's __libc_single_threaded; NULL: nobody knows */
    uintptr_t other_start, other_end; /* of the other library that points slots to stubs */
    uintptr_t opened;                 /* of fixed_page_open() */
    uint32_t count;
    uint32_t start; /* objects of the loader's start, at the beginning; 0: not known yet */
    uint32_t library_count, left_out; /* wanted ones; those that there was no room for */
    uint32_t load_count, pending_count, seen_count;
    uint16_t library[SLOTS_LIBRARIES_MAX];
    struct slots_load load[SLOTS_LOADS + 1];
    struct slots_pending pending[SLOTS_PENDING_MAX];
    struct slots_object object[SLOTS_OBJECTS_MAX];
    struct slots_seen seen[SLOTS_OBJECTS_MAX];
};

/* A call of a wanted routine that an object can make, or its address that it has. */
struct slots_import {
    const char *name;
    uint32_t length; /* of the name */
    uint32_t hash;   /* of loaded_hash() */
    uintptr_t *slot;
    uint32_t number;     /* of the importer's symbol */
    uint32_t relocation; /* the slot's, as DT_JMPREL counts them */
    uint32_t flags;      /* the user's */
    struct slots_object *importer, *library;
    const ElfW(Sym) * symbol; /* of the library; NULL: which one is not known */
    bool is_lazy;             /* the loader finds the routine at the first call */
    bool is_others;           /* the slot leads to a stub of the other library */
    bool was_lazy;            /* which found it unbound */
    bool was_called;          /* it is bound, as the loader does at the first call */
    bool is_own;              /* the importer has one of this name itself */
};

/* ---- Objects (slots_find.c) ------------------------------------------------------------------ */

/* Begins with all objects of the link map. `slots` are zeros. `policy` is the base of the usable
 * rules; NULL: there are none. It, and the image, are to stay. */
void slots_begin(struct slots *slots, const struct image *image, const void *policy);

/* Adds the object of the entry. `info`: as dl_iterate_phdr(3) gives it, or NULL. */
void slots_add(struct slots *slots, const struct link_map *entry, const struct dl_phdr_info *info);

/* Leaves the first `count` objects. */
void slots_forget(struct slots *slots, uint32_t count);

/* How many objects are of the loader's start. */
uint32_t slots_start(struct slots *slots);

/* Whether the segments of the object are known now. */
bool slots_know(const struct slots *slots, struct slots_object *object);

/* Whether the slot can be stored to, until slots_close(). In a sandbox no system call is made. */
bool slots_open(struct slots *slots, const struct loaded *loaded, uintptr_t slot);
void slots_close(struct slots *slots);

/* Whether an address is within the object, whose segments are known. */
static inline bool slots_has(const struct slots_object *object, uintptr_t address)
{
    return address >= object->loaded.start && address < object->loaded.end;
}

#if SLOTS_LOADS > 0

/* What lies before the stubs of a library, each of which has 16 bytes and its number behind the
 * first six. By it the other library finds where a stub goes on to. */
struct slots_table {
    int32_t entries;             /* how far they are from here */
    uint8_t step;                /* between the numbers of two stubs */
    uint8_t size;                /* of an entry */
    uint8_t address_at, lazy_at; /* where these are in the entry, as slots_behind() gives them */
    bool is_pointer;             /* to the entries */
    uint8_t unused[3];
    uint32_t mark;
};

#define SLOTS_TABLE_MARK       "0x7374624a" /* for the assembler */
#define SLOTS_TABLE_MARK_VALUE UINT32_C(0x7374624a)

/* Where a stub of the other library goes on to; 0: that is not known. `*was_lazy`: whether the slot
 * was not bound when it was pointed there. */
uintptr_t slots_behind(const struct slots *slots, uintptr_t stub, bool *was_lazy);

/* The wanted library that the address is in; NULL: none. */
struct slots_object *slots_library_at(struct slots *slots, uintptr_t address);

/* The first wanted library, of the first `count` objects, that defines the function; NULL: none. */
struct slots_object *slots_wanted(struct slots *slots, uint32_t count, const char *name,
                                  uint32_t hash);

/* Whether an object before the importer has the function too: calls lead there. */
bool slots_has_before(const struct slots *slots, const struct slots_import *import);

/* Finds the first object that defines what is imported, in the version that is wanted, and its
 * symbol. The loader asks the objects of the start in this order. Of those that are loaded later
 * the order is not known: `symbol` is NULL where one of these has the name, too. */
void slots_define(struct slots *slots, struct slots_import *import);

/* What the loader binds a call to; 0: not known. Nothing is found by a resolver. */
uintptr_t slots_function(struct slots *slots, struct slots_import *import);

/* ---- Calls (slots_look.c) -------------------------------------------------------------------- */

/* Looks at an object's imports. What is wanted is found (slots_user.h) or missed. */
void slots_look(struct slots *slots, struct slots_object *object);

/* Looks at all objects. */
void slots_look_at_all(struct slots *slots);

/* Points the slots that were found of functions that load. */
void slots_point_loads(struct slots *slots);

/* dlsym(3) is called: the address of a wanted routine, of the first `count` objects, is missed. */
void slots_look_up(struct slots *slots, uint32_t count, const void *handle, const char *name);

/* ---- Stubs before functions that load (slots_stubs.c) ---------------------------------------- */

/* The stub with this number jumps to what slots_loads() returns: the function sees its caller. */
uintptr_t slots_load_stub(uint32_t index);
bool slots_is_load_stub(uintptr_t address);

/* Of slots_later.c. `argument`: six words. */
uintptr_t slots_loads(uint32_t index, const uint64_t *argument)
    __attribute__((visibility("hidden"), used, force_align_arg_pointer));

/* ---- What is loaded later (slots_later.c) ---------------------------------------------------- */

/* The slots are those of the process from now on. They have been looked at. */
void slots_keep(struct slots *slots);

/* Whether a call of a function that loads may come. */
bool slots_may_load(const struct slots *slots);

/* The process ends, whose start is known: looks, for what is missed. Returns whether something was
 * not looked at. */
bool slots_end(struct slots *slots);

/* Whether the call, of prctl(2) or syscall(2), enters a sandbox (slots_confine.c). */
bool slots_is_confining(enum slots_function function, const uint64_t *argument);

/* It does, or may do so unseen: no system call is made from now on. */
void slots_confine(struct slots *slots);

#endif
