/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stubs: functions that stand in for routines. Each jumps to where its entry leads, with all
 * arguments as they are. They are assembled beforehand; no code is made at run time. The registers
 * that a stub changes are those that a call through a procedure linkage table may change (System V
 * ABI, AMD64 supplement): r11 and the flags. r10 has a static chain and stays. What a slot
 * that is not bound led to gets the number of its relocation in r11: mold's entries hand it to the
 * loader there.
 *
 * There are stubs for 64-bit programs on x86-64 alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined __x86_64__ && defined __LP64__
#define ROUTINE_STUBS 4096
#else
#define ROUTINE_STUBS 0
#endif

struct ledger_routine;

/* Where a stub leads, what is noted at the first call. The assembly has the members' offsets. */
struct routine_entry {
    uintptr_t target;            /* atomic; where the stub jumps to */
    uintptr_t original;          /* what the slot led to: the routine, or what looks it up */
    struct ledger_routine *cell; /* shared; what is noted */
    uintptr_t *slot;             /* is given its value back at the first call; NULL: it stays */
    const char *name;            /* stays where it is as long as the process lives */
    uint32_t relocation;         /* the slot's, as DT_JMPREL counts them */
    uint32_t library;            /* as of struct routine_call */
    uint16_t length;             /* of the name */
    uint8_t flags;               /* enum ledger_routine_flag */
    uint8_t is_noted; /* atomic; some thread of this process notes the call, or has noted it */
    bool is_lazy;     /* the slot was not bound: `original` takes `relocation` */
};

#if ROUTINE_STUBS > 0

/* ROUTINE_STUBS entries; to be set before a stub is used, and then left. */
extern struct routine_entry *routine_entries __attribute__((visibility("hidden")));

/* The stub that jumps to routine_entries[index].target. */
uintptr_t routine_stub(unsigned index);

/* Whether the address is that of a stub. */
bool routine_is_stub(uintptr_t address);

/* Targets. The first two go on at what routine_called() and routine_binds() return; the last one
 * counts the call in the entry's cell, and goes on at the entry's original. */
void routine_first(void) __attribute__((visibility("hidden")));
void routine_unbound(void) __attribute__((visibility("hidden")));
void routine_counted(void) __attribute__((visibility("hidden")));

enum { ROUTINE_VECTOR_BYTES = 2816 };

/* What the resolver of a function that is chosen when it is first called returns. Arguments in
 * vector registers are kept: the components `vectors` of XSAVE, whose area has at most
 * ROUTINE_VECTOR_BYTES; 0: there is no XSAVE. */
uintptr_t routine_choose(uintptr_t resolver, uint64_t vectors)
    __attribute__((visibility("hidden")));

/* Of routines.c. Called in the middle of any call, in signal
 * handlers, forked and vforked children and several threads at once, and by callers whose stack is
 * not aligned: the loader aligns it where it binds, too. */
uintptr_t routine_called(struct routine_entry *entry)
    __attribute__((visibility("hidden"), used, noinline, force_align_arg_pointer));
uintptr_t routine_binds(struct routine_entry *entry)
    __attribute__((visibility("hidden"), used, noinline, force_align_arg_pointer));

#endif
