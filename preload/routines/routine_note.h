/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Notes of routines: they name routines that were linked into a program from a prepared archive
 * (jobtrail-robj) or through the linker wrapper, so that the library can note their first calls.
 *
 * They are data alone. Nothing is called, no symbol is imported or exported, and a program that is
 * not recorded, has more rights than its caller, or runs where there is no jobtrail at all costs
 * one indirect jump. For each entry an object has
 *
 *     - the entry: a function that jumps to where a word leads,
 *     - the word, in memory that can be written to, which has the address of the real routine,
 *     - a note (elf(5)) in a section that is loaded, of type SHT_NOTE: owner ROUTINE_NOTE_OWNER,
 *       type ROUTINE_NOTE_TYPE, its descriptor a struct routine_note and then two texts, each ended
 *       by NUL: the routine as it is to be recorded, and the library that it belongs to.
 *
 * As x86-64 assembly, for the routine dgemm_ of liblapack.a, whose definition is now jt_dgemm_:
 *
 *             .text
 *             .globl  dgemm_
 *             .type   dgemm_, @function
 *     dgemm_: endbr64
 *             jmp     *word(%rip)
 *             .size   dgemm_, . - dgemm_
 *             .data
 *             .balign 8
 *     word:   .quad   jt_dgemm_
 *             .section .note.jobtrail.routine, "a", @note
 *             .balign 4
 *             .long   9, 2f - 1f, 0x4a545201     # size of the owner, of the descriptor; type
 *             .asciz  "jobtrail"
 *             .balign 4
 *     1:      .quad   word - .                   # self-relative: no relocation is left at run time
 *             .asciz  "dgemm_"
 *             .asciz  "liblapack.a"
 *     2:      .balign 4
 *             .section .note.GNU-stack, "", @progbits
 *
 * Linkers put the notes of all objects together into one PT_NOTE of the program. The library walks
 * them at the start of a recorded run. Then a word leads to a stub of the library's, until its
 * first call has been noted: the stub passes all arguments on, stores the original word again, and
 * jumps there. Where the library does nothing, the word stays as it is.
 *
 * What a program says here is its user's claim, as all of a capture is. The library writes to a
 * word only where it lies, aligned, in a segment of the executable that can be written to, and
 * outside of the part that is read-only after relocation.
 */
#pragma once

#include <stdint.h>

#define ROUTINE_NOTE_OWNER   "jobtrail"
#define ROUTINE_NOTE_TYPE    0x4a545201u /* "JTR" and the number of the format */
#define ROUTINE_NOTE_SECTION ".note.jobtrail.routine"

/* The head of a note's descriptor, which is only aligned to 4 bytes. */
struct routine_note {
    uint8_t word[8]; /* int64_t: the address of the word minus that of this member */
};

enum {
    ROUTINE_NOTE_NAME_MAX = 255,   /* bytes of a routine, without NUL; a longer one is not noted */
    ROUTINE_NOTE_LIBRARY_MAX = 255 /* bytes of a library, the same */
};

_Static_assert(sizeof(struct routine_note) == 8, "the same layout for every ABI");
