/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All targets of indirect jumps begin with endbr64 (CET). No return address is changed, so that
 * shadow stacks agree, and nothing is left on the stack when the routine is entered: it sees its
 * caller's return address, may return twice, and exceptions pass.
 */
#include "preload/routines/routine_stubs.h"

#if ROUTINE_STUBS > 0

#include <stddef.h>

#include "preload/slots/slots.h"

_Static_assert(sizeof(struct routine_entry) == 56 &&
                   offsetof(struct routine_entry, original) == 8 &&
                   offsetof(struct routine_entry, cell) == 16 &&
                   offsetof(struct routine_entry, relocation) == 40 &&
                   offsetof(struct routine_entry, is_lazy) == 52 && ROUTINE_VECTOR_BYTES == 2816,
               "as the assembly has them");

/* In .data, as private.c says. */
struct routine_entry *routine_entries __attribute__((section(".data")));

/* Linkers put a section of this name behind .rodata. Between code and constants the stubs would
 * cost each process a page more that it touches. */
__asm__(".pushsection .gnu_extab.stubs, \"ax\", @progbits\n"
        "    .balign 16\n"
        "    .long routine_entries - .\n"
        "    .byte 56, 56, 8, 52, 1, 0, 0, 0\n"
        "    .long " SLOTS_TABLE_MARK "\n"
        "    .globl routine_stubs\n"
        "    .hidden routine_stubs\n"
        "    .type routine_stubs, @function\n"
        "routine_stubs:\n"
        "    .cfi_startproc\n"
        "    .set routine_at, 0\n"
        "    .rept 4096\n"
        "    .balign 16\n"
        "    endbr64\n"
        "    movl $routine_at, %r11d\n"
        "    jmp routine_through\n"
        "    .set routine_at, routine_at + 56\n"
        "    .endr\n"
        "    .cfi_endproc\n"
        "    .size routine_stubs, . - routine_stubs\n"
        "    .popsection\n");

/* The registers that may have arguments are kept: rax has the number of vector registers that a
 * variadic routine's are in. routine_called() reads the clock by the vDSO, which is the kernel's or
 * that of what runs in its place, and may use the lower halves of vector registers.
 *
 * A slot that is not bound may lead to what has the relocation's number in r11, as mold's entries
 * set it. So the jump goes by memory: below the stack pointer, in what no handler of a signal may
 * write to. */
__asm__(".pushsection .text, \"ax\", @progbits\n"
        "    .balign 16\n"
        "    .macro routine_target name, function\n"
        "    .globl \\name\n"
        "    .hidden \\name\n"
        "    .type \\name, @function\n"
        "\\name:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    .irp register, rax, rdi, rsi, rdx, rcx, r8, r9, r10\n"
        "    pushq %\\register\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .endr\n"
        "    subq $136, %rsp\n"
        "    .cfi_adjust_cfa_offset 136\n"
        "    .irp number, 0, 1, 2, 3, 4, 5, 6, 7\n"
        "    movups %xmm\\number, 16*\\number(%rsp)\n"
        "    .endr\n"
        "    movq %r11, 128(%rsp)\n"
        "    movq %r11, %rdi\n"
        "    call \\function\n"
        "    movq 128(%rsp), %r11\n"
        "    movl 40(%r11), %r11d\n"
        "    movq %rax, 128(%rsp)\n"
        "    .irp number, 0, 1, 2, 3, 4, 5, 6, 7\n"
        "    movups 16*\\number(%rsp), %xmm\\number\n"
        "    .endr\n"
        "    addq $136, %rsp\n"
        "    .cfi_adjust_cfa_offset -136\n"
        "    .irp register, r10, r9, r8, rcx, rdx, rsi, rdi, rax\n"
        "    popq %\\register\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .endr\n"
        "    jmp *-72(%rsp)\n"
        "    .cfi_endproc\n"
        "    .size \\name, . - \\name\n"
        "    .balign 16\n"
        "    .endm\n"
        "    .type routine_through, @function\n"
        "routine_through:\n"
        "    .cfi_startproc\n"
        "    addq routine_entries(%rip), %r11\n"
        "    jmp *(%r11)\n"
        "    .cfi_endproc\n"
        "    .size routine_through, . - routine_through\n"
        "    .balign 16\n"
        "    routine_target routine_first, routine_called\n"
        "    routine_target routine_unbound, routine_binds\n"
        "    .globl routine_counted\n"
        "    .hidden routine_counted\n"
        "    .type routine_counted, @function\n"
        "routine_counted:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rax\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    movq 16(%r11), %rax\n"
        "    lock incq 8(%rax)\n"
        "    popq %rax\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *8(%r11)\n"
        "    .cfi_endproc\n"
        "    .size routine_counted, . - routine_counted\n"
        "    .popsection\n");

/* A resolver is a function as any, and may use all of the vector registers. The header of the area
 * is to have zeros. */
__asm__(".pushsection .text, \"ax\", @progbits\n"
        "    .balign 16\n"
        "    .globl routine_choose\n"
        "    .hidden routine_choose\n"
        "    .type routine_choose, @function\n"
        "routine_choose:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    movl %esi, %ebx\n"
        "    subq $2816, %rsp\n"
        "    andq $-64, %rsp\n"
        "    testl %ebx, %ebx\n"
        "    jz 1f\n"
        "    .irp word, 512, 520, 528, 536, 544, 552, 560, 568\n"
        "    movq $0, \\word(%rsp)\n"
        "    .endr\n"
        "    movl %ebx, %eax\n"
        "    xorl %edx, %edx\n"
        "    xsave (%rsp)\n"
        "1:  call *%rdi\n"
        "    testl %ebx, %ebx\n"
        "    jz 2f\n"
        "    movq %rax, %r12\n"
        "    movl %ebx, %eax\n"
        "    xorl %edx, %edx\n"
        "    xrstor (%rsp)\n"
        "    movq %r12, %rax\n"
        "2:  leaq -16(%rbp), %rsp\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        "    .size routine_choose, . - routine_choose\n"
        "    .popsection\n");

enum { STUB_BYTES = 16 };

extern const unsigned char routine_stubs[] __attribute__((visibility("hidden")));

uintptr_t routine_stub(unsigned index)
{
    return (uintptr_t)(routine_stubs + (size_t)index * STUB_BYTES);
}

bool routine_is_stub(uintptr_t address)
{
    return address - routine_stub(0) < (uintptr_t)ROUTINE_STUBS * STUB_BYTES;
}

#endif
