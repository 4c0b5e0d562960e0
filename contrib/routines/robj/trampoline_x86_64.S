/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The object that trampolines are copies of: see trampoline.h and preload/routines/routine_note.h. The jump leaves
 * all registers and the stack as they are. The routine is hidden: a shared library that the archive
 * is linked into exports the trampoline alone.
 */
        .text
        .balign 16                      /* of a pointer to a member of C++ an odd address says: virtual */
        .globl  jobtrail_entry
        .type   jobtrail_entry, @function
jobtrail_entry:
        .cfi_startproc
        endbr64
        jmp     *word(%rip)
        .cfi_endproc
        .size   jobtrail_entry, . - jobtrail_entry

        .hidden jobtrail_real
        .data
        .balign 8
word:   .quad   jobtrail_real

        .section .note.jobtrail.routine, "a", @note
        .balign 4
        .long   9, 8, 0x4a545201
        .asciz  "jobtrail"
        .balign 4
        .quad   word - .

/* The program loses neither IBT nor a shadow stack by it (x86-64 psABI, "Program Property"). */
        .section .note.gnu.property, "a", @note
        .balign 8
        .long   4, 16, 5
        .asciz  "GNU"
        .long   0xc0000002, 4, 3, 0

        .section .note.GNU-stack, "", @progbits
