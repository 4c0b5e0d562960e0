/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * As trampoline_x86_64.S. The registers x16 and x17 are free between a call and its routine (AAPCS64,
 * "Use of IP0 and IP1 by the linker").
 */
        .text
        .balign 16
        .globl  jobtrail_entry
        .type   jobtrail_entry, %function
jobtrail_entry:
        .cfi_startproc
        hint    #34                     /* bti c */
        adrp    x16, word
        ldr     x16, [x16, #:lo12:word]
        br      x16
        .cfi_endproc
        .size   jobtrail_entry, . - jobtrail_entry

        .hidden jobtrail_real
        .data
        .balign 8
word:   .xword  jobtrail_real

        .section .note.jobtrail.routine, "a", %note
        .balign 4
        .word   9, 8, 0x4a545201
        .asciz  "jobtrail"
        .balign 4
        .xword  word - .

        .section .note.gnu.property, "a", %note
        .balign 8
        .word   4, 16, 5
        .asciz  "GNU"
        .word   0xc0000000, 4, 7, 0      /* BTI, PAC, GCS: no return address is changed */

        .section .note.GNU-stack, "", %progbits
